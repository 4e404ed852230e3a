#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace stoker {

/// Prints rows in columns as wide as their content, under a heading; a control
/// character comes out as '?'. Without rows it prints "(none)".
void print_table(std::ostream& out, const std::vector<std::string>& heading,
                 const std::vector<std::vector<std::string>>& rows);

} // namespace stoker
