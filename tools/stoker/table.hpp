#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace stoker {

/// A text with '?' for each control character. Names come from users: they must
/// not write other lines than their own, nor speak to the terminal.
std::string printable(std::string text);

/// Prints rows in columns as wide as their content, under a heading, all of
/// them printable. Without rows it prints "(none)".
void print_table(std::ostream& out, const std::vector<std::string>& heading,
                 const std::vector<std::vector<std::string>>& rows);

/// Milliseconds since the epoch as this machine's clock shows them:
/// "2026-01-31 12:00:00".
std::string time_text(std::int64_t ms);

} // namespace stoker
