#include "tools/stoker/toml_text.hpp"

#include <algorithm>

namespace stoker {

namespace {

constexpr int parts_max = 32;

/// The parts of the key that a line begins with: in front of its value, of a comment,
/// or all of it.
int parts_of_key(std::string_view line) {
  int parts = 1;
  auto quote = '\0';
  for (auto c : line) {
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '=' || c == '#')
      break;
    else if (c == '.')
      ++parts;
  }
  return parts;
}

} // namespace

int line_of_deep_key(std::string_view toml) {
  for (int number = 1; !toml.empty(); ++number) {
    auto line = toml.substr(0, toml.find('\n'));
    if (parts_of_key(line) > parts_max)
      return number;
    toml.remove_prefix(std::min(line.size() + 1, toml.size()));
  }
  return 0;
}

} // namespace stoker
