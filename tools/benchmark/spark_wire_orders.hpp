#pragma once

#include <string>
#include <string_view>

#include "tools/benchmark/spark_wire_writer.hpp"

namespace stoker::benchmark {

// What fakes read of what a master tells workers and drivers: no more than they need, so
// that reading is not what is measured.

/// Of a message of Spark's deployment, as "LaunchExecutor"; of others the whole class.
std::string_view wire_message_name(std::string_view content);

/// Which executor a LaunchExecutor or KillExecutor is about; of the latter without a size.
/// Throws std::runtime_error when it cannot be read.
WireExecutor read_executor_order(std::string_view content);

/// The application of a RegisteredApplication. Throws std::runtime_error when it cannot
/// be read.
std::string read_app_id(std::string_view content);

/// Whether an ExecutorUpdated says that the executor runs. Throws std::runtime_error when
/// it cannot be read.
bool says_running(std::string_view content);

} // namespace stoker::benchmark
