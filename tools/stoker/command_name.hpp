#pragma once

#include <string>
#include <vector>

namespace stoker {

/// Returns a name for what runs a command, if its user has given none: the first words of the
/// command in one line of at most 40 characters. The program has no directory there.
/// @param words The command. @pre not empty
std::string command_name(const std::vector<std::string>& words);

/// The same for a command that is a line for a shell.
std::string shell_line_name(const std::string& line);

} // namespace stoker
