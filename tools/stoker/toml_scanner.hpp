#pragma once

#include <cstddef>
#include <string_view>

namespace stoker {

/// How deep tables, arrays and the parts of keys may be in one another.
inline constexpr int toml_depth_max = 32;

/// What a look at a document's structure has found.
struct TomlStructure {
  /// The length of the part that was understood: all of the text, or up to the end of the
  /// first character that TOML does not allow there.
  std::size_t bytes = 0;

  /// Whether that is all of the text.
  bool complete = false;

  /// The line, from 1 on, of the last byte that was understood.
  int line = 1;

  /// Set if something is nested deeper than `toml_depth_max`: what it is. It is in `line`.
  const char* too_deep = nullptr;
};

/// Follows the grammar of TOML 1.0 through a text, token by token, as a parser does, and
/// counts how deep it nests. Makes no tree, uses a bounded part of the stack, and takes time
/// in proportion to the text.
TomlStructure scan_toml(std::string_view text);

} // namespace stoker
