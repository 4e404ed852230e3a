#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace stoker {

/// A cell with a name, which its owner chose: as long as a table bears.
std::string name_cell(const std::string& name);

/// Prints rows in columns as wide as their content, under a heading, all of
/// them printable. Without rows it prints "(none)".
void print_table(std::ostream& out, const std::vector<std::string>& heading,
                 const std::vector<std::vector<std::string>>& rows);

/// Milliseconds since the epoch as this machine's clock shows them:
/// "2026-01-31 12:00:00".
std::string time_text(std::int64_t ms);

} // namespace stoker
