#pragma once

#include <string>

namespace stoker::process {

/// Changes what `ps` and `pkill` see of this process: its name, of which the
/// kernel keeps 15 characters, and its command line. The memory of the old
/// arguments and environment is overwritten, so the environment is gone after.
void set_process_title(const char* name, const std::string& command_line);

} // namespace stoker::process
