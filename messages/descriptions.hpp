#pragma once

// What users ask for: applications and drivers.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/named_resources.hpp"
#include "messages/spark.hpp"

namespace stoker {

/// A file that goes with a command: its content is at the master (messages/files.hpp).
struct CommandFile {
  /// A plain name: where it stands in the program's own directory.
  std::string name;

  /// Of its content, as 64 lower-case hexadecimal digits.
  std::string sha256;
  std::int64_t bytes = 0;
  bool executable = false;
};
BOOST_DESCRIBE_STRUCT(CommandFile, (), (name, sha256, bytes, executable))

/// A program to start. Never goes through a shell.
struct Command {
  /// The program and its arguments. A program without a slash is looked up on its
  /// PATH.
  std::vector<std::string> arguments;

  /// Overrides the worker's own environment.
  std::map<std::string, std::string> environment;

  /// The submitter's PATH. The program's is this, and then the worker's; but for one
  /// that `environment` has.
  std::string search_path;

  /// Where to run. Empty, or absent on the worker's machine: the executor's own
  /// directory.
  std::string working_directory;

  /// If the working directory is absent, the program is not started.
  bool working_directory_required = false;

  /// It is a program of Spark's.
  std::optional<SparkProgram> spark;

  /// Put into the program's own directory before it starts.
  std::vector<CommandFile> files;
};
BOOST_DESCRIBE_STRUCT(Command, (),
                      (arguments, environment, search_path, working_directory,
                       working_directory_required, spark, files))

/// Something that has to end first. Exactly one of the two ids is set.
struct Dependency {
  std::optional<AppId> app;
  std::optional<DriverId> driver;

  /// What waits is of no use unless this has FINISHED: it then fails, too.
  bool success = false;
};
BOOST_DESCRIBE_STRUCT(Dependency, (), (app, driver, success))

/// A program that is started on the cluster, as a driver, when what it belongs to has
/// ended, in whatever way.
struct EndHook {
  Command command;

  /// How often it is started again when it fails.
  int retries = 0;
};
BOOST_DESCRIBE_STRUCT(EndHook, (), (command, retries))

/// Which instances read what their application writes to them (messages/input.hpp): none,
/// only that with index 0, or each.
enum class InstanceInput { NONE, ONE, ALL };
BOOST_DESCRIBE_ENUM(InstanceInput, NONE, ONE, ALL)

/// Makes an application a fixed number of programs that run to their end, each
/// with an index from 0 to `count` - 1 (what `stoker run` starts). Without it an
/// application is Spark's: executors that serve until the driver ends, and that
/// are replaced however they end.
///
/// An instance is done when its command exits with 0. One that was lost, or
/// killed from outside (SIGKILL, SIGTERM), is started again under the same
/// index. A command that fails by itself ends the application, unless the
/// instance has failed at most `max_failures` times.
struct Instances {
  int count = 1;
  int max_failures = 0;

  /// An instance that has failed more often, or that cannot be started, is not started
  /// again, and the others go on.
  bool keep_going = false;

  /// One for each instance, or none. Each "{}" in the words of the command stands for it;
  /// without any it is the command's last word.
  std::vector<std::string> arguments;

  /// The standard input of the others is empty.
  InstanceInput input = InstanceInput::NONE;
};
BOOST_DESCRIBE_STRUCT(Instances, (),
                      (count, max_failures, keep_going, arguments, input))

/// What an application wants (document 000, section 2).
struct ApplicationDescription {
  std::string name;
  std::string user;
  Command command;

  /// Of all executors together; unset: `spark.deploy.defaultCores`.
  std::optional<int> max_cores;

  /// Unset: one executor a worker takes all of its free cores.
  std::optional<int> cores_per_executor;

  /// Unset: 1024, or what the tenants' rules give (docs/tenants.md).
  std::optional<std::int64_t> memory_per_executor_mb;

  /// Executors that the application may have before it asks for another number
  /// (RequestExecutors); unset: no limit.
  std::optional<int> initial_executor_limit;

  std::optional<Instances> instances;

  /// Answer at once when no registered worker could ever run an executor of
  /// this size, instead of waiting for one that can.
  bool reject_if_it_cannot_fit = false;

  /// What each executor needs besides cores and memory.
  ResourceAmounts resources_per_executor;

  /// Hosts where executors are wanted, and how many on each: those that fit
  /// there go there, the rest goes anywhere.
  std::map<std::string, int> preferred_hosts;

  /// The driver on this cluster that the application belongs to, if one does:
  /// it takes what was reserved with that driver.
  std::optional<DriverId> driver_id;

  // Read where there are tenants (docs/tenants.md).

  /// Executors are sized so that each of their cores has so much
  /// [spark.app.task.memory.mb].
  std::optional<std::int64_t> memory_per_task_mb;

  /// Among the applications of one user, higher ones go first.
  int priority = 0;

  /// Whether it answers queries that somebody waits for.
  bool sql = false;

  /// It is ended when it has run for so long since its first executor was
  /// started. Also tells those who wait when to expect room.
  std::optional<std::int64_t> time_limit_ms;

  /// Whether the application reads what its executors write, and what it has not
  /// read is kept: executors that are far ahead of it wait. Unset: it does not.
  std::optional<bool> reads_output;

  /// It gets no executors unless it then has so many: a gang, which starts whole or
  /// not at all (docs/placement.md). Unset, or 1: it takes what there is.
  std::optional<int> gang;

  /// Its driver speaks Spark's protocol. What it wants of cores and memory is as
  /// above.
  std::optional<SparkDriver> spark_driver;

  /// It gets no executors before these have ended.
  std::vector<Dependency> after;
  std::optional<EndHook> on_end;
};
BOOST_DESCRIBE_STRUCT(ApplicationDescription, (),
                      (name, user, command, max_cores, cores_per_executor,
                       memory_per_executor_mb, initial_executor_limit,
                       instances, reject_if_it_cannot_fit,
                       resources_per_executor, preferred_hosts, driver_id,
                       memory_per_task_mb, priority, sql, time_limit_ms,
                       reads_output, gang, spark_driver, after, on_end))

/// Executors that a driver cannot do without.
struct DriverExecutors {
  int count = 1;
  int cores = 1;
  std::int64_t memory_mb = 1024;
  ResourceAmounts resources;
};
BOOST_DESCRIBE_STRUCT(DriverExecutors, (), (count, cores, memory_mb, resources))

/// A program that the cluster runs for a user who does not stay connected.
struct DriverDescription {
  std::string name;
  std::string user;
  Command command;
  int cores = 1;
  std::int64_t memory_mb = 1024;

  /// Start it again when it fails, and elsewhere when its worker is lost.
  bool supervise = false;

  /// As for applications.
  bool reject_if_it_cannot_fit = false;

  /// What it needs besides cores and memory.
  ResourceAmounts resources;

  /// Start the driver only when these fit too, and keep their room for its
  /// application. Otherwise drivers may fill a cluster on which none of their
  /// applications can run (SPARK-27750).
  std::optional<DriverExecutors> executors;

  /// How often it is started again after a failure, where it is at all; unset: as often as
  /// it fails.
  std::optional<int> max_restarts;

  /// It is not started before these have ended.
  std::vector<Dependency> after;
  std::optional<EndHook> on_end;
};
BOOST_DESCRIBE_STRUCT(DriverDescription, (),
                      (name, user, command, cores, memory_mb, supervise,
                       reject_if_it_cannot_fit, resources, executors,
                       max_restarts, after, on_end))

} // namespace stoker
