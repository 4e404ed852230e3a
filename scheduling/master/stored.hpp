#pragma once

// What a master stores, so that a new leader goes on where the last one ended:
// records of described fields, and changes to them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/descriptions.hpp"
#include "messages/instant.hpp"
#include "messages/resource_use.hpp"
#include "messages/resources.hpp"
#include "messages/states.hpp"
#include "scheduling/master/config.hpp"
#include "scheduling/tenants/tenants_stored.hpp"

namespace stoker {

// -- records ------------------------------------------------------------------
// `number` counts up in order of arrival.

/// One that is ALIVE or DECOMMISSIONED; a lost one is erased.
struct StoredWorker {
  std::uint32_t number = 0;
  WorkerId id;
  EndpointId endpoint;
  std::string host;
  int port = 0;
  int cores = 0;
  std::int64_t memory_mb = 0;
  ResourceAddresses resources;
  WorkerState state = WorkerState::ALIVE;

  /// As in RegisterWorker.
  std::string identity;
  std::vector<std::string> spark_versions;
  bool only_spark = false;

  friend bool operator==(const StoredWorker&, const StoredWorker&) = default;
};
BOOST_DESCRIBE_STRUCT(StoredWorker, (),
                      (number, id, endpoint, host, port, cores, memory_mb,
                       resources, state, identity, spark_versions, only_spark))

/// A present one, or one that has ended and is kept for viewing.
struct StoredApplication {
  std::uint32_t number = 0;
  AppId id;
  EndpointId driver;
  ApplicationDescription description;
  ApplicationState state = ApplicationState::WAITING;
  Instant submitted;

  /// When its first executor was started.
  std::optional<Instant> started;
  std::optional<Instant> ended;

  /// Why it was removed, if it was.
  std::string message;

  std::optional<int> cores_per_executor;
  std::int64_t memory_per_executor_mb = 0;

  /// Its place in the order of admission; unset while it waits in its queue.
  std::optional<std::uint64_t> turn;

  /// What counts for its tenant.
  Resources requested;
  std::optional<int> executor_limit;

  /// As it asked last.
  std::optional<int> gang;
  int next_exec_id = 0;
  int failures_in_a_row = 0;
  std::map<std::string, int> preferred_hosts;

  /// How many ends of its executors were counted.
  std::uint64_t ends = 0;

  /// How many of its instances need not be started (again).
  int instances_done = 0;

  /// As in RegisterApplication.
  std::string identity;

  /// Those that it waits for. A driver that was relaunched goes by its new id.
  std::vector<Dependency> waits_for;

  friend bool operator==(const StoredApplication&, const StoredApplication&)
      = default;
};
BOOST_DESCRIBE_STRUCT(StoredApplication, (),
                      (number, id, driver, description, state, submitted,
                       started, ended, message, cores_per_executor,
                       memory_per_executor_mb, turn, requested, executor_limit,
                       gang, next_exec_id, failures_in_a_row, preferred_hosts,
                       ends, instances_done, identity, waits_for))

/// An instance of a present application that is done, or has failed. Of others
/// there is no record.
struct StoredInstance {
  AppId app_id;
  int index = 0;

  /// It need not be started (again).
  bool done = false;

  /// How often it has failed.
  int failures = 0;

  friend bool operator==(const StoredInstance&, const StoredInstance&)
      = default;
};
BOOST_DESCRIBE_STRUCT(StoredInstance, (), (app_id, index, done, failures))

/// An executor that runs, or has ended and is kept for viewing; or one that has
/// to end before what it holds is free, of an application that may be gone.
struct StoredExecutor {
  AppId app_id;
  int exec_id = 0;
  WorkerId worker_id;
  std::string host;
  int cores = 0;
  std::int64_t memory_mb = 0;
  ExecutorState state = ExecutorState::LAUNCHING;
  std::optional<int> index;
  ResourceAddresses resources;
  Instant launched;
  std::optional<Instant> running_since;
  std::optional<Instant> ended;
  std::optional<int> exit_status;
  std::optional<std::string> message;

  /// Which end it was; 0: it has not ended.
  std::uint64_t end_number = 0;

  /// It has left its application, but its worker has not said yet that it is
  /// gone: cores, memory, resources and index are still held.
  bool ending = false;

  /// Of one that ended, once its worker has said it.
  std::optional<ResourceUse> use;

  friend bool operator==(const StoredExecutor&, const StoredExecutor&)
      = default;
};
BOOST_DESCRIBE_STRUCT(StoredExecutor, (),
                      (app_id, exec_id, worker_id, host, cores, memory_mb,
                       state, index, resources, launched, running_since, ended,
                       exit_status, message, end_number, ending, use))

/// Room for one of a driver's executors.
struct StoredReservation {
  WorkerId worker_id;
  ResourceAddresses resources;

  friend bool operator==(const StoredReservation&, const StoredReservation&)
      = default;
};
BOOST_DESCRIBE_STRUCT(StoredReservation, (), (worker_id, resources))

/// One that waits, runs, or has ended and is kept for viewing.
struct StoredDriver {
  std::uint32_t number = 0;
  DriverId id;
  DriverDescription description;
  DriverState state = DriverState::SUBMITTED;

  /// Where it runs, or ran last.
  std::optional<WorkerId> worker_id;
  std::optional<std::string> host;

  /// Where that worker listens; 0: nowhere.
  int worker_port = 0;
  ResourceAddresses resources;
  std::vector<StoredReservation> reservations;
  bool kill_requested = false;
  std::optional<int> exit_status;
  std::optional<std::string> message;
  std::optional<DriverId> relaunched_as;

  /// As in RequestSubmitDriver. Not of one that was relaunched.
  std::string submission;
  Instant submitted;
  std::optional<Instant> ended;

  /// As in RequestSubmitDriver.
  std::string identity;

  /// How often its worker has started it again, or is about to.
  int restarts = 0;

  /// When it was given to a worker.
  std::optional<Instant> started;

  /// Of one that ended, once its worker has said it.
  std::optional<ResourceUse> use;

  /// As of an application.
  std::vector<Dependency> waits_for;

  /// How often in a row it could not be started, with those that it was relaunched for.
  int failed_starts = 0;

  /// With tenants: its place in the order of admission, and what counts for it; unset
  /// while it waits in its user's queue.
  std::optional<std::uint64_t> turn;
  Resources requested;

  friend bool operator==(const StoredDriver&, const StoredDriver&) = default;
};
BOOST_DESCRIBE_STRUCT(StoredDriver, (),
                      (number, id, description, state, worker_id, host,
                       worker_port, resources, reservations, kill_requested,
                       exit_status, message, relaunched_as, submission,
                       submitted, ended, identity, restarts, started, use,
                       waits_for, failed_starts, turn, requested))

/// How many there have been: no number, and so no id, is given twice.
struct StoredCounters {
  std::uint32_t applications = 0;
  std::uint32_t drivers = 0;

  friend bool operator==(const StoredCounters&, const StoredCounters&)
      = default;
};
BOOST_DESCRIBE_STRUCT(StoredCounters, (), (applications, drivers))

// -- changes ------------------------------------------------------------------

/// Changes name the record by its key; erasing what is not there is harmless.
struct EraseWorker {
  WorkerId id;

  // For those who are told; not stored.

  std::string reason;

  /// It said that it leaves.
  bool has_left = false;
  friend bool operator==(const EraseWorker&, const EraseWorker&) = default;
};
struct EraseApplication {
  AppId id;
  friend bool operator==(const EraseApplication&, const EraseApplication&)
      = default;
};
/// All of an application.
struct EraseInstancesOf {
  AppId app_id;
  friend bool operator==(const EraseInstancesOf&, const EraseInstancesOf&)
      = default;
};
struct EraseExecutor {
  ExecutorId id;
  friend bool operator==(const EraseExecutor&, const EraseExecutor&) = default;
};
/// All of an application, whatever their state.
struct EraseExecutorsOf {
  AppId app_id;
  friend bool operator==(const EraseExecutorsOf&, const EraseExecutorsOf&)
      = default;
};
struct EraseDriver {
  DriverId id;
  friend bool operator==(const EraseDriver&, const EraseDriver&) = default;
};

/// A record takes the place of the one with the same key, if there is one. A
/// ClusterConfig is the configuration in force.
using Change
    = std::variant<StoredWorker, StoredApplication, StoredInstance,
                   StoredExecutor, StoredDriver, StoredCompany, StoredUser,
                   StoredCounters, ClusterConfig, EraseWorker, EraseApplication,
                   EraseInstancesOf, EraseExecutor, EraseExecutorsOf,
                   EraseDriver, EraseUser>;

using Changes = std::vector<Change>;

// -- everything ---------------------------------------------------------------

/// All that is stored, in order of number or key.
struct StoredState {
  /// Of the last leader, if there was one.
  std::optional<ClusterConfig> config;
  StoredCounters counters;
  std::vector<StoredWorker> workers;
  std::vector<StoredApplication> applications;
  std::vector<StoredInstance> instances;
  std::vector<StoredExecutor> executors;
  std::vector<StoredDriver> drivers;
  std::vector<StoredCompany> companies;
  std::vector<StoredUser> users;

  friend bool operator==(const StoredState&, const StoredState&) = default;
};
BOOST_DESCRIBE_STRUCT(StoredState, (),
                      (config, counters, workers, applications, instances,
                       executors, drivers, companies, users))

} // namespace stoker
