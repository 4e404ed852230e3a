#pragma once

// What a master knows of workers, applications, executors and drivers. Each
// contains the record that is stored of it. Plain values that refer to each
// other by key, so that a Cluster can be copied.

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "messages/instant.hpp"
#include "messages/state_question.hpp"
#include "scheduling/common/executor_size.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/master/stored.hpp"
#include "scheduling/placement/capacity.hpp"

namespace stoker {

/// An application's executor, seen from its worker.
using ExecutorRef = std::pair<AppKey, int>;

/// A present one.
struct Executor {
  StoredExecutor stored;
  WorkerKey worker{};
};

/// What it holds of its worker.
inline Allotment allotment_of(const StoredExecutor& x) {
  return {{x.cores, x.memory_mb}, x.resources};
}

/// What runs on a worker, or is to.
struct Assignments {
  std::set<ExecutorRef> executors;

  /// Executors that were told to end, and that hold something until they have.
  std::set<ExecutorId> releases;
  std::set<DriverKey> drivers;
};

/// Programs that a worker could not start (scheduling/master/failed_starts.hpp).
struct FailedStarts {
  int in_a_row = 0;

  /// Why, and when.
  std::string why;
  Instant last;

  /// Until then it is given nothing.
  std::optional<Instant> rests_until;
};

/// A worker that is or was registered. What it has to give is its WorkerAccount
/// (scheduling/placement/capacity.hpp).
struct Worker {
  /// `state` is the present one, UNKNOWN and DEAD included.
  StoredWorker stored;
  Instant last_heartbeat;

  /// It was asked to leave, or leaves by itself: so it does if it comes back after
  /// it was lost.
  bool leaves = false;

  /// For so long the master was stalled since then.
  Duration stalled{};

  /// How much longer it is waited for since then, because most others are silent,
  /// too (scheduling/master/outages.hpp).
  Duration patience{};

  /// The worker has to report by then what it runs; set while it is UNKNOWN, and
  /// while a DECOMMISSIONED one is away or has not been heard of.
  std::optional<Instant> report_due;

  /// The last question what it runs that was put over its present connection, as
  /// long as it is not answered.
  std::optional<StateQuestion> asked;

  FailedStarts failed_starts;

  Assignments programs;
};

struct Driver {
  /// What is reserved for it is filled in when it is stored (`record_of`).
  StoredDriver stored;
  std::optional<WorkerKey> worker;

  /// Its application that is admitted with it. The application may have ended.
  std::optional<AppKey> application;

  /// Its place among those that have ended.
  std::uint64_t end_number = 0;

  [[nodiscard]] Allotment allotment() const {
    return {{stored.description.cores, stored.description.memory_mb},
            stored.resources};
  }
};

} // namespace stoker
