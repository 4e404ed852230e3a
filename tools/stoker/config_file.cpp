#include "tools/stoker/config_file.hpp"

#include <algorithm>
#include <utility>

#include <toml++/toml.h>

#include "tools/stoker/text_file.hpp"
#include "tools/stoker/toml_text.hpp"

namespace stoker {

namespace {

struct Entry {
  Setting setting;
  toml::source_index line = 0;
};

/// Appends what a node holds under its dotted name. Returns the line of what
/// cannot be a value, or 0.
toml::source_index flatten(const std::string& path, const std::string& name,
                           const toml::node& node, std::vector<Entry>& out) {
  auto line = node.source().begin.line;
  auto add = [&](std::string value) {
    out.push_back(
        {{name, std::move(value), path + ':' + std::to_string(line)}, line});
    return toml::source_index{0};
  };
  if (const auto* table = node.as_table()) {
    for (const auto& [key, child] : *table)
      if (auto wrong
          = flatten(path,
                    name.empty() ? std::string{key.str()}
                                 : name + '.' + std::string{key.str()},
                    child, out))
        return wrong;
    return 0;
  }
  if (const auto* x = node.as_string())
    return add(x->get());
  if (const auto* x = node.as_integer())
    return add(std::to_string(x->get()));
  if (const auto* x = node.as_boolean())
    return add(x->get() ? "true" : "false");
  return line;
}

} // namespace

Result<std::vector<Setting>> read_config_file(const std::string& path) {
  auto text = read_text_file(path, "the configuration");
  if (!text)
    return std::move(text).error();
  return parse_config(*text, path);
}

Result<std::vector<Setting>> parse_config(std::string_view text,
                                          const std::string& path) {
  std::vector<Entry> entries;
  try {
    auto table = parse_toml(text, path);
    if (auto line = flatten(path, {}, table, entries))
      return Error{Errc::invalid_request,
                   path + ':' + std::to_string(line)
                       + ": a value must be a text, a whole number, true or "
                         "false"};
  } catch (TomlProblem& e) {
    std::replace(e.what.begin(), e.what.end(), '\n', ' ');
    return Error{Errc::invalid_request,
                 path + ':' + std::to_string(e.line) + ": " + e.what};
  }
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const auto& a, const auto& b) { return a.line < b.line; });
  std::vector<Setting> result;
  for (auto& x : entries)
    result.push_back(std::move(x.setting));
  return result;
}

} // namespace stoker
