// Texts of TOML: trees are shallow, and what the library takes is taken unless it is deep.

#include <algorithm>

#include "tests/fuzz/fuzz.hpp"
#include "tools/stoker/toml_scanner.hpp"
#include "tools/stoker/toml_text.hpp"

namespace {

int depth_of(const toml::node& node) {
  int result = 0;
  if (const auto* table = node.as_table())
    for (const auto& [key, child] : *table)
      result = std::max(result, 1 + depth_of(child));
  if (const auto* array = node.as_array())
    for (const auto& child : *array)
      result = std::max(result, 1 + depth_of(child));
  return result;
}

bool library_takes(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
    return true;
  } catch (const toml::parse_error&) {
    return false;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using stoker::test::require;
  auto text = stoker::test::text_of(data, size);
  auto structure = stoker::scan_toml(text);
  require(structure.bytes <= size);
  try {
    auto tree = stoker::parse_toml(text, "x.toml");
    require(depth_of(tree) <= 2 * stoker::toml_depth_max);
  } catch (const stoker::TomlProblem&) {
    require(structure.too_deep != nullptr || !library_takes(text));
  }
  return 0;
}
