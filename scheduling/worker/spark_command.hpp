#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "messages/descriptions.hpp"
#include "messages/result.hpp"
#include "scheduling/worker/worker_config.hpp"

namespace stoker {

/// What a worker knows of a program of Spark's that it is to start.
struct SparkLaunch {
  /// The size of the JVM's heap.
  std::int64_t memory_mb = 0;

  /// What stands for `{{EXECUTOR_ID}}` and the like, by these names with their braces.
  std::map<std::string, std::string> values;

  /// Where an executor has its local files, as shuffles; empty: it chooses.
  std::string local_directory;

  /// Set of a driver: nobody has told its JVM which modules Spark needs to open.
  std::optional<DriverId> driver;

  /// Where it finds which named resources are its own; empty: it has none.
  std::string resources_file;
};

/// Turns a class that a JVM runs into a command line and the environment that the
/// program has before the worker's. `Command::spark` stays, as the mark of a JVM that
/// holds on to its worker, and `{{WORKER_URL}}`, which only its supervisor knows. The
/// recipe is that of Spark's workers (org.apache.spark.deploy.worker.CommandUtils,
/// ExecutorRunner).
///
/// Of what the order has in its environment, JAVA_HOME and what says where
/// configuration is count, before the worker's. SPARK_HOME does not: it is true on
/// another machine, and the Python that an executor starts has to fit its jars.
///
/// Fails without a Spark of that version or a Java.
Result<Command> spark_command(const WorkerConfig& config, Command command,
                              const SparkLaunch& launch);

} // namespace stoker
