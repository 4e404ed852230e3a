#pragma once

// What the command line asks of a master.
//
//   command line          master                worker
//     | RequestMasterState  |                     |
//     |-------------------->|                     |
//     |   MasterState-      |                     |
//     |   Response          |                     |
//     |<--------------------|                     |
//     | RequestKillApplication, DecommissionWorkers
//     |-------------------->|                     |
//     |   ...Response       | KillExecutor, DecommissionWorker
//     |<--------------------|-------------------->|

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/named_resources.hpp"
#include "messages/resource_use.hpp"
#include "messages/states.hpp"

namespace stoker {

// -- the state of a cluster ---------------------------------------------------

/// Asks for all of it, or for what is needed.
struct RequestMasterState {
  bool workers = true;
  bool applications = true;
  bool drivers = true;

  /// Only this application.
  std::optional<AppId> app_id;

  /// Of executors so many at most: those of present applications before those of
  /// ended ones, of each those that are present before those that ended last.
  /// Unset: all.
  std::optional<int> executors_max;
};
BOOST_DESCRIBE_STRUCT(RequestMasterState, (),
                      (workers, applications, drivers, app_id, executors_max))

struct WorkerInfo {
  WorkerId id;
  std::string host;
  int port = 0;
  WorkerState state = WorkerState::ALIVE;
  int cores = 0;
  int cores_used = 0;
  std::int64_t memory_mb = 0;
  std::int64_t memory_used_mb = 0;

  /// Milliseconds since 1970. Of one that has not come back to a new leader, when that
  /// began to lead.
  std::int64_t last_heartbeat_ms = 0;

  /// All of its named resources, and those that are in use.
  ResourceAddresses resources;
  ResourceAddresses resources_used;

  /// Of what is used: room that is kept for the executors of drivers.
  int cores_reserved = 0;
  std::int64_t memory_reserved_mb = 0;

  /// Why it is given nothing, although it is ALIVE.
  std::optional<std::string> problem;

  /// Of which versions of Spark it runs programs, and whether it runs nothing else.
  std::vector<std::string> spark_versions;
  bool only_spark = false;
};
BOOST_DESCRIBE_STRUCT(WorkerInfo, (),
                      (id, host, port, state, cores, cores_used, memory_mb,
                       memory_used_mb, last_heartbeat_ms, resources,
                       resources_used, cores_reserved, memory_reserved_mb,
                       problem, spark_versions, only_spark))

struct ExecutorInfo {
  AppId app_id;
  int exec_id = 0;
  std::optional<int> index;
  WorkerId worker_id;
  std::string host;
  int cores = 0;
  std::int64_t memory_mb = 0;
  ExecutorState state = ExecutorState::LAUNCHING;
  std::optional<int> exit_status;
  std::optional<std::string> message;

  /// Milliseconds since 1970.
  std::int64_t launched_ms = 0;
  std::optional<std::int64_t> ended_ms;
  ResourceAddresses resources;

  /// Of one that ended.
  std::optional<ResourceUse> use;
};
BOOST_DESCRIBE_STRUCT(ExecutorInfo, (),
                      (app_id, exec_id, index, worker_id, host, cores,
                       memory_mb, state, exit_status, message, launched_ms,
                       ended_ms, resources, use))

struct ApplicationInfo {
  AppId id;
  std::string name;
  std::string user;
  ApplicationState state = ApplicationState::WAITING;
  std::optional<int> max_cores;
  int cores_granted = 0;
  std::optional<int> cores_per_executor;
  std::int64_t memory_per_executor_mb = 0;
  std::optional<int> executor_limit;

  /// So many executors it gets at once or none, while it has fewer.
  std::optional<int> gang;

  /// Why it was removed, if it was.
  std::optional<std::string> message;

  /// Milliseconds since 1970.
  std::int64_t submitted_ms = 0;
  std::optional<std::int64_t> ended_ms;

  /// Of those that have instances: how many, and how many need not be started
  /// (again).
  std::optional<int> instances;
  int instances_done = 0;

  /// How many executors were ever started for it.
  int executors_started = 0;

  /// The ids of those that have to end before it is given anything.
  std::vector<std::string> waits_for;

  /// Present ones first, then the last ones that ended, as far as they are kept
  /// and were asked for.
  std::vector<ExecutorInfo> executors;
};
BOOST_DESCRIBE_STRUCT(ApplicationInfo, (),
                      (id, name, user, state, max_cores, cores_granted,
                       cores_per_executor, memory_per_executor_mb,
                       executor_limit, gang, message, submitted_ms, ended_ms,
                       instances, instances_done, executors_started, waits_for,
                       executors))

struct DriverInfo {
  DriverId id;
  std::string name;
  std::string user;
  DriverState state = DriverState::SUBMITTED;
  int cores = 0;
  std::int64_t memory_mb = 0;
  bool supervise = false;
  std::optional<WorkerId> worker_id;
  std::optional<std::string> host;
  std::optional<int> exit_status;
  std::optional<std::string> message;

  /// The driver that took this one's place when its worker was lost.
  std::optional<DriverId> relaunched_as;

  /// Milliseconds since 1970.
  std::int64_t submitted_ms = 0;
  std::optional<std::int64_t> ended_ms;
  ResourceAddresses resources;

  /// Executors whose room is kept until its application registers.
  int executors_reserved = 0;

  /// How often its worker has started it again, or is about to.
  int restarts = 0;

  /// When it was given to a worker.
  std::optional<std::int64_t> started_ms;

  /// Of one that ended.
  std::optional<ResourceUse> use;

  /// How often its worker may do so; unset: as often as it fails.
  std::optional<int> max_restarts;

  /// As of an application.
  std::vector<std::string> waits_for;
};
BOOST_DESCRIBE_STRUCT(DriverInfo, (),
                      (id, name, user, state, cores, memory_mb, supervise,
                       worker_id, host, exit_status, message, relaunched_as,
                       submitted_ms, ended_ms, resources, executors_reserved,
                       restarts, started_ms, use, max_restarts, waits_for))

struct MasterStateResponse {
  std::string master_url;
  RecoveryState status = RecoveryState::STANDBY;
  std::vector<WorkerInfo> workers;
  std::vector<ApplicationInfo> active_apps;
  std::vector<ApplicationInfo> completed_apps;
  std::vector<DriverInfo> active_drivers;
  std::vector<DriverInfo> completed_drivers;
};
BOOST_DESCRIBE_STRUCT(MasterStateResponse, (),
                      (master_url, status, workers, active_apps, completed_apps,
                       active_drivers, completed_drivers))

// -- orders -------------------------------------------------------------------

struct RequestKillApplication {
  AppId app_id;
};
BOOST_DESCRIBE_STRUCT(RequestKillApplication, (), (app_id))

struct KillApplicationResponse {
  AppId app_id;
  bool success = false;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(KillApplicationResponse, (), (app_id, success, message))

/// Takes workers out of service; unknown ones are left out.
struct DecommissionWorkers {
  std::vector<WorkerId> ids;
};
BOOST_DESCRIBE_STRUCT(DecommissionWorkers, (), (ids))

/// The workers that leave because of the request.
struct DecommissionWorkersResponse {
  std::vector<WorkerId> ids;
};
BOOST_DESCRIBE_STRUCT(DecommissionWorkersResponse, (), (ids))

} // namespace stoker
