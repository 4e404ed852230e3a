#pragma once

#include "tools/benchmark/benches.hpp"

namespace stoker::benchmark {

/// How long a barrier takes whose tasks are programs, in each way by which they may call;
/// beside PySpark's, if the interpreter that STOKER_BENCH_PYSPARK names has it (unset:
/// python3).
void measure_program_barriers(Extent extent);

/// The first word of the arguments with which this program is a task of those.
inline constexpr const char* barrier_task = "--barrier-task";

/// What it is then. Throws std::runtime_error when it cannot go on.
int barrier_task_main(int argc, char** argv);

} // namespace stoker::benchmark
