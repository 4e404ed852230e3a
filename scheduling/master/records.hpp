#pragma once

// What a Cluster knows of workers, applications, executors and drivers. Plain
// values that refer to each other by key, so that a Cluster can be copied.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "messages/all.hpp"
#include "messages/resources.hpp"
#include "scheduling/common/executor_size.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/placement/named_resources.hpp"

namespace stoker {

struct Executor {
  int exec_id = 0;
  WorkerKey worker{};
  int cores = 0;
  std::int64_t memory_mb = 0;
  ExecutorState state = ExecutorState::LAUNCHING;
  std::optional<int> index;
  ResourceAddresses resources;
  Instant launched;
  std::optional<Instant> running_since;
};

/// An application's executor, seen from its worker.
using ExecutorRef = std::pair<AppKey, int>;

struct Worker {
  WorkerId id;
  EndpointId endpoint;
  std::string host;
  int port = 0;
  int cores = 0;
  std::int64_t memory_mb = 0;

  /// What present executors and drivers take.
  int cores_used = 0;
  std::int64_t memory_used_mb = 0;

  NamedResources resources;

  WorkerState state = WorkerState::ALIVE;
  Instant last_heartbeat;

  /// Whether it counts for the size of the cluster.
  bool counted = false;

  /// Set while the worker is UNKNOWN: it has to report before.
  std::optional<Instant> report_due;

  /// Whether it was asked what it runs over its present connection, and has not
  /// said yet; and whether it had been given work by the time that it was asked
  /// again: then its next report may be older than that work.
  bool asked = false;
  bool asked_before_work = false;

  std::set<ExecutorRef> executors;

  /// Those that were told to end and whose room is not free yet.
  std::set<ExecutorId> ending;
  std::set<DriverKey> drivers;

  /// Executors whose room is kept for the applications of these drivers.
  std::map<DriverKey, int> reserved;

  [[nodiscard]] int cores_free() const noexcept {
    return cores - cores_used;
  }
  [[nodiscard]] std::int64_t memory_free_mb() const noexcept {
    return memory_mb - memory_used_mb;
  }
};

/// Which of an application's instances still have to be started, which need not
/// be started again, and how often each has failed.
struct InstanceBook {
  std::set<int> waiting;
  std::set<int> done;
  std::vector<int> failures;

  explicit InstanceBook(const Instances& instances)
      : failures(static_cast<std::size_t>(instances.count)) {
    for (int i = 0; i < instances.count; ++i)
      waiting.insert(waiting.end(), i);
  }
};

struct Application {
  AppId id;
  EndpointId driver;
  ApplicationDescription description;
  ApplicationState state = ApplicationState::WAITING;
  Instant submitted;

  /// When its first executor was started.
  std::optional<Instant> started;
  std::optional<Instant> ended;
  std::string message;

  /// What one executor is given. Without cores: one a worker, as wide as it
  /// can be.
  std::optional<int> cores_per_executor;
  std::int64_t memory_per_executor_mb = 0;

  /// Unset while it waits in its user's queue.
  std::optional<QueuePosition> turn;

  /// What counts for its tenant: what it asks for, and what it has of that.
  Resources requested;
  Resources running;

  /// As asked for; see `executors_left`.
  std::optional<int> executor_limit;

  /// Set while the connection to the driver is broken.
  std::optional<Instant> reconnect_due;

  /// Present ones, by number.
  std::map<int, Executor> executors;
  int next_exec_id = 0;
  int cores_granted = 0;

  /// Executor failures since one last did well.
  int failures_in_a_row = 0;

  /// How many executors are wanted on hosts, and how many are there.
  std::map<std::string, int> preferred_hosts;
  std::map<std::string, int> on_preferred_hosts;

  std::optional<InstanceBook> instances;

  /// Workers that were given any of its executors.
  std::set<WorkerKey> workers;

  /// The last ones that ended, oldest first.
  std::deque<ExecutorInfo> ended_executors;

  /// What a worker needs to have free for another executor.
  [[nodiscard]] ExecutorSize executor_size() const noexcept {
    return {cores_per_executor.value_or(1), memory_per_executor_mb};
  }
};

/// An executor that was told to end: what it holds until it has.
struct PendingRelease {
  WorkerKey worker{};
  int cores = 0;
  std::int64_t memory_mb = 0;
  ResourceAddresses resources;

  /// Which instance of which application cannot be started again before.
  std::optional<std::pair<AppKey, int>> index;
};

/// Room for one executor, kept with a driver.
struct Reservation {
  WorkerKey worker{};
  ResourceAddresses resources;
};

struct Driver {
  DriverId id;
  DriverDescription description;
  DriverState state = DriverState::SUBMITTED;
  std::optional<WorkerKey> worker;
  std::optional<WorkerId> worker_id;
  std::optional<std::string> host;
  ResourceAddresses resources;

  /// What its application has not taken yet, and until when it is kept.
  std::vector<Reservation> reservations;
  std::optional<Instant> reserved_until;

  bool kill_requested = false;
  std::optional<int> exit_status;
  std::optional<std::string> message;
  std::optional<DriverId> relaunched_as;
  Instant submitted;
  std::optional<Instant> ended;
};

} // namespace stoker
