#pragma once

#include <map>
#include <string>
#include <vector>

namespace stoker::process {

/// The files that a program's name may mean, in the order in which they are tried: as
/// execvpe(3) has it, but with the `PATH` of the program's own environment, and without
/// a shell for files of no known format. A name with a slash is a file itself.
std::vector<std::string>
program_files(const std::string& name,
              const std::map<std::string, std::string>& environment);

} // namespace stoker::process
