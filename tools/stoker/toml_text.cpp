#include "tools/stoker/toml_text.hpp"

#include "tools/stoker/toml_scanner.hpp"

namespace stoker {

toml::table parse_toml(std::string_view text, const std::string& path) {
  // The library makes a table of each part of a key, and ends a tree by recursion. It has no
  // limit for that, so it is given what is known to be shallow, and what follows an
  // error only up to there.
  auto structure = scan_toml(text);
  auto line = static_cast<toml::source_index>(structure.line);
  if (structure.too_deep != nullptr)
    throw TomlProblem{line, structure.too_deep};
  try {
    auto result = toml::parse(text.substr(0, structure.bytes), path);
    if (!structure.complete)
      throw TomlProblem{line, "this is not TOML"};
    return result;
  } catch (const toml::parse_error& e) {
    throw TomlProblem{e.source().begin.line, std::string{e.description()}};
  }
}

} // namespace stoker
