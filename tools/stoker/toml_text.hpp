#pragma once

#include <string>
#include <string_view>

#include <toml++/toml.h>

namespace stoker {

/// Why a text is not taken.
struct TomlProblem {
  /// From 1 on.
  toml::source_index line = 0;

  /// May have several lines.
  std::string what;
};

/// Parses a text of TOML that users write. The tree is at most `2 * toml_depth_max` deep, so
/// functions may recurse into it.
/// @param path The text's name in the tree.
/// @throws TomlProblem if it is not TOML, or nested too deep.
toml::table parse_toml(std::string_view text, const std::string& path);

} // namespace stoker
