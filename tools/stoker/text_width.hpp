#pragma once

// How wide texts are in a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace stoker {

/// How many cells of a line a text takes, as `printable` shows it: two for a character of
/// Chinese, Japanese or Korean and for most emoji, none for a mark that combines with the
/// character before it, one for others.
[[nodiscard]] std::size_t cells_of(std::string_view text);

/// What of a text, as `printable` shows it, fits into so many cells, with "..." behind it if
/// that is not all: one cell less where a wide character does not fit. @pre max > 3
[[nodiscard]] std::string shortened_to_cells(std::string_view text,
                                             std::size_t max);

/// The text, shortened, with spaces behind it up to so many cells. @pre cells > 3
[[nodiscard]] std::string in_cells(std::string_view text, std::size_t cells);

} // namespace stoker
