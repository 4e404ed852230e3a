#pragma once

#include <sys/types.h>

#include <string>

namespace stoker::test {

/// Each thread of a process in a line, as far as the system tells: its name, its state, what
/// it waits for in the kernel, and its system call with its arguments. For people who want to
/// know why it does not end.
std::string threads_of(pid_t pid);

} // namespace stoker::test
