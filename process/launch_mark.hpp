#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace stoker::process {

// A mark by which the program of a launch, and all that descends from it, are recognised
// whatever they do: it survives exec, setsid, an empty environment and another control
// group. It is the hard limit on real-time computing without a system call (RLIMIT_RTTIME,
// setrlimit(2)): children inherit it, a process without CAP_SYS_RESOURCE can lower it and
// never raise it, and as it stands for more than 100,000 years it limits nothing.

/// Orders marks: those of programs are lower than that of the worker that started them.
/// A launch without a mark has 0.
using LaunchMark = std::uint64_t;

/// The mark of a launch by a worker that carries the mark of this process, the same at each
/// call. Returns 0 if this process is so limited that there is room for none.
LaunchMark mark_of(const std::string& token);

/// Marks this process and its children to come. Does nothing if `mark` is 0.
void carry_mark(LaunchMark mark);

/// Returns what a process carries: the greatest value if that is no limit, and 0 if the process
/// has lowered it that far. Returns std::nullopt if the process is gone.
std::optional<LaunchMark> mark_carried_by(pid_t pid);

} // namespace stoker::process
