#pragma once

#include <cstdint>
#include <string>

#include "executor/task_function.hpp"

namespace stoker::benchmark {

/// Tasks of barrier stages. Numbers that they write are nanoseconds of a clock that all
/// processes of the machine share.
void add_barrier_functions(executor::TaskFunctions& functions);

/// Comes to so many barriers (the argument). Task 0 writes how long each took, a number a
/// line.
inline constexpr const char* barrier_rounds = "barrier_rounds";

/// Writes when it began.
inline constexpr const char* when_begun = "when_begun";

/// The same; in attempt 0 task 0 fails, and writes when into the file of that name (the
/// argument), while the others wait for it.
inline constexpr const char* fail_once = "fail_once";

/// Of that clock.
std::int64_t shared_clock_ns();

} // namespace stoker::benchmark
