#include "scheduling/worker/worker_config.hpp"

namespace stoker {

Status validate(const WorkerConfig& config) {
  if (config.cores <= 0)
    return invalid("a worker needs at least 1 core, not "
                   + std::to_string(config.cores));
  if (config.memory_mb <= 0)
    return invalid("a worker needs at least 1 MB of memory, not "
                   + std::to_string(config.memory_mb));
  if (config.work_directory.empty())
    return invalid("a worker needs a work directory");
  if (config.heartbeat_interval <= Duration::zero())
    return invalid("the heartbeat interval must be greater than 0");
  if (config.retained_directories < 0)
    return invalid("stoker.worker.retainedDirectories must not be negative");
  if (config.log_bytes_max < 1)
    return invalid("spark.executor.logs.rolling.maxSize must be at least 1");
  if (config.log_files < 1)
    return invalid(
        "spark.executor.logs.rolling.maxRetainedFiles must be at least 1");
  return {};
}

} // namespace stoker
