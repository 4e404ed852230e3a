#pragma once

// What a worker stores on disk, so that a worker that is started after its death
// finds its programs again: records of described fields.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/all.hpp"

namespace stoker {

/// Who a worker is. A worker that is started after the death of one with the
/// same cores, memory and resources continues under the dead one's id.
struct IdentityRecord {
  WorkerId id;
  EndpointId endpoint;
  std::string host;
  int cores = 0;
  std::int64_t memory_mb = 0;
  ResourceAddresses resources;

  /// It ends what it runs and then itself, so no worker continues under its id. One
  /// that is decommissioned is no such worker: its programs go on, and the master
  /// tells whoever continues that it is to take nothing new.
  bool leaving = false;

  /// How many workers went by it before.
  std::uint64_t life = 0;

  friend bool operator==(const IdentityRecord&, const IdentityRecord&)
      = default;
};
BOOST_DESCRIBE_STRUCT(IdentityRecord, (),
                      (id, endpoint, host, cores, memory_mb, resources, leaving,
                       life))

/// An executor from before its start until the master knows of its end, and its
/// application has its output if it reads that. How it ended stands in the
/// `state.json` of its directory.
struct ExecutorRecord {
  AppId app_id;
  int exec_id = 0;
  int cores = 0;
  std::int64_t memory_mb = 0;
  bool kill_requested = false;
  std::optional<int> index;
  bool reads_output = false;

  friend bool operator==(const ExecutorRecord&, const ExecutorRecord&)
      = default;
};
BOOST_DESCRIBE_STRUCT(ExecutorRecord, (),
                      (app_id, exec_id, cores, memory_mb, kill_requested, index,
                       reads_output))

/// A driver from before its first start until the worker has forgotten it.
struct DriverRecord {
  DriverId driver_id;

  /// Without the command, unless it may have to be started again.
  DriverDescription description;

  ResourceAddresses resources;

  /// Where the programs find the master, until the next registration.
  std::string master_url;

  bool kill_requested = false;

  /// Starts so far, and when the last one was: milliseconds since 1970.
  int attempts = 0;
  std::int64_t started_ms = 0;

  /// Before the next one.
  std::int64_t restart_pause_ms = 0;

  /// Of the attempts that have ended.
  std::optional<ResourceUse> use;

  /// Set when it will not be started again.
  std::optional<DriverStateChanged> ended;

  /// When that was: milliseconds since 1970, by the worker's clock.
  std::optional<std::int64_t> ended_ms;

  friend bool operator==(const DriverRecord&, const DriverRecord&) = default;
};
BOOST_DESCRIBE_STRUCT(DriverRecord, (),
                      (driver_id, description, resources, master_url,
                       kill_requested, attempts, started_ms, restart_pause_ms,
                       use, ended, ended_ms))

/// Exactly one of `executor` and `driver` is set.
struct ProgramRecord {
  /// Whose program it is. A worker with another id ends it.
  WorkerId worker_id;

  std::optional<ExecutorRecord> executor;
  std::optional<DriverRecord> driver;

  friend bool operator==(const ProgramRecord&, const ProgramRecord&) = default;
};
BOOST_DESCRIBE_STRUCT(ProgramRecord, (), (worker_id, executor, driver))

/// Nothing if neither is set.
inline std::optional<ProgramId> id_of(const ProgramRecord& x) {
  if (x.executor)
    return ExecutorId{x.executor->app_id, x.executor->exec_id};
  if (x.driver)
    return x.driver->driver_id;
  return std::nullopt;
}

/// The id as text, or nothing.
inline std::string key_of(const ProgramRecord& x) {
  auto id = id_of(x);
  return id ? to_string(*id) : std::string{};
}

/// What dead workers have left: an event of their successor.
struct ProgramsFound {
  std::vector<ProgramRecord> programs;

  /// Names of directories of applications and drivers in the work directory,
  /// those that have been used for longest first.
  std::vector<std::string> directories;

  /// Applications whose outputs the worker of the same id served.
  std::vector<AppId> outputs;

  /// Applications of which Spark's executors have left local files.
  std::vector<AppId> spark_files;
};

} // namespace stoker
