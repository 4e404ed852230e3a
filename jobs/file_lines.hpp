#pragma once

#include <string_view>

#include "jobs/stream.hpp"
#include "jobs/task_run.hpp"
#include "messages/task.hpp"

namespace stoker::jobs {

/// Pushes the lines of a file that begin in the split, whole, without their newlines; the
/// last one of a file needs none. They are views into a buffer. Fails with
/// `Errc::unreadable` if the file cannot be read, is no regular one, or is shorter than
/// the split says.
Status read_lines(const InputSplit& split, const TaskRun& task,
                  Sink<std::string_view>& to);

} // namespace stoker::jobs
