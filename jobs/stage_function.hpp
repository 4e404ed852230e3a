#pragma once

#include "executor/task_function.hpp"

namespace stoker::jobs {

/// Runs a task of a dataset: what its argument says (StageProgram), with the operators
/// that this program has. An error, or an exception of a function, fails the task.
Status run_stage(executor::FunctionTask& task);

} // namespace stoker::jobs
