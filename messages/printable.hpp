#pragma once

#include <string>
#include <string_view>

namespace stoker {

// Texts from somewhere else: names, paths and messages may hold any bytes.

/// The text as UTF-8: with U+FFFD for each byte that is not part of a character, so
/// that JSON with it is JSON.
[[nodiscard]] std::string as_utf8(std::string_view text);

/// The text for a terminal or a log: UTF-8, with '?' for each control character. It
/// can neither write other lines than its own nor command the terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// How many characters a UTF-8 text has.
[[nodiscard]] std::size_t characters_of(std::string_view text);

/// The first so many characters of a UTF-8 text, the last of them "..." if there
/// are more. @pre max > 3
[[nodiscard]] std::string shortened(std::string_view text, std::size_t max);

} // namespace stoker
