#pragma once

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

} // namespace stoker
