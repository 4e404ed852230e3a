#pragma once

namespace stoker {

/// Runs the command that the arguments name, and returns the exit code. Errors go
/// to standard error as one line each.
int run_command_line(int argc, char** argv, const char* version);

} // namespace stoker
