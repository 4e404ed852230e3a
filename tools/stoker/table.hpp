#pragma once

#include <cstdint>
#include <optional>
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

/// "512 MB", or "14.0 GB" from 10 GB on where nobody counts MB.
std::string memory_text(std::int64_t mb);

/// Milliseconds since the epoch as this machine's clock shows them:
/// "2026-01-31 12:00:00".
std::string time_text(std::int64_t ms);

/// How long something has lasted that goes on unless it has an end: "1 min 49 s", as pages
/// show it.
std::string elapsed_text(std::int64_t begin_ms,
                         const std::optional<std::int64_t>& end_ms,
                         std::int64_t now_ms);

} // namespace stoker
