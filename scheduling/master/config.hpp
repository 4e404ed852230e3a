#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "messages/describe.hpp"
#include "messages/result.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/placement/worker_selection.hpp"
#include "scheduling/tenants/tenants_config.hpp"

namespace stoker {

/// What a Cluster is told once. Names in brackets are what users write.
struct ClusterConfig {
  /// How this master calls itself in its messages.
  std::string master_url;

  /// Spread an application's executors over many workers, or fill one worker
  /// after the other [spark.deploy.spreadOut].
  bool spread_out = true;

  /// Which worker is taken first [spark.deploy.workerSelectionPolicy].
  WorkerSelectionPolicy worker_selection
      = WorkerSelectionPolicy::CORES_FREE_DESC;

  /// Spread drivers over workers at random, or put each on the first worker, in
  /// order of their ids, that has room [spark.deploy.spreadOutDrivers].
  bool spread_out_drivers = true;

  /// Drivers that may run at once; unset: any number
  /// [spark.deploy.maxDrivers].
  std::optional<int> max_drivers;

  /// How long the executors that were reserved with a driver are kept for its
  /// application, and room for a gang that waits [stoker.reservation.timeout].
  Duration reservation_timeout = std::chrono::minutes{2};

  /// A gang that has waited for so long reserves room as it becomes free. 0: it never
  /// does [stoker.gang.reserve.after].
  Duration gang_reserve_after = std::chrono::seconds{60};

  /// Cores of an application that sets no limit; unset: no limit
  /// [spark.deploy.defaultCores].
  std::optional<int> default_cores;

  /// A worker that has not been heard of for so long is lost
  /// [spark.worker.timeout].
  Duration worker_timeout = std::chrono::seconds{60};

  /// A lost worker is shown for so many more time-outs
  /// [spark.dead.worker.persistence].
  int dead_worker_persistence = 15;

  /// An application that sends heartbeats and has not been heard of for so long is
  /// treated as if its connection had broken [stoker.application.timeout].
  Duration application_timeout = std::chrono::seconds{60};

  /// How long a worker or an application whose connection broke may take to
  /// come back before it counts as lost. Longer than what a supervisor waits
  /// for a worker before it ends its program (`stoker.orphan.grace`, and a
  /// second to end it), so that what a dead worker ran has ended before it is
  /// started elsewhere. A worker that lives but cannot be reached keeps what
  /// it runs [stoker.reconnect.timeout].
  Duration reconnect_timeout = std::chrono::seconds{13};

  /// When most workers fall silent at once, and at least three, the network is
  /// believed to be at fault: so much longer they are waited for. The same goes for
  /// applications. 0: not at all [stoker.outage.timeout].
  Duration outage_timeout = std::chrono::minutes{2};

  /// A worker that could not start a program gets none for so long, and for twice
  /// as long each time in a row. 0: it gets some at once, as in Spark
  /// [stoker.worker.backoff].
  Duration worker_backoff = std::chrono::seconds{1};

  /// How long a new leader waits at most for workers and applications to answer
  /// before it schedules without them [spark.deploy.recoveryTimeout].
  Duration recovery_timeout = std::chrono::seconds{5};

  /// A new leader with a worker to work with waits for the others until nobody
  /// has answered for so long [stoker.recovery.silence].
  Duration recovery_silence = std::chrono::milliseconds{300};

  /// Whether steps say what has to be stored (`StepResult::changes`).
  bool durable = false;

  /// An application is removed after so many executor failures in a row while
  /// none is running; negative: never [spark.deploy.maxExecutorRetries].
  int max_executor_retries = 10;

  /// An executor that has run for so long ends a row of failures when it fails. One that serves
  /// has to run for twice as long as those that failed, too, or for five times as long as this.
  Duration stable_after = std::chrono::seconds{60};

  /// Ended applications kept for viewing [spark.deploy.retainedApplications].
  int retained_applications = 200;

  /// Ended drivers kept for viewing [spark.deploy.retainedDrivers].
  int retained_drivers = 200;

  /// Whoever has lost the answer to a submission repeats it for as long at most: so a driver
  /// is kept for this time after its end, with 10,000 others at most
  /// [stoker.deploy.submissionRetention].
  Duration submission_retention = std::chrono::minutes{10};

  /// Ended executors of one application kept for viewing
  /// [spark.worker.ui.retainedExecutors].
  int retained_executors = 1000;

  /// The same of all ended applications together
  /// [stoker.deploy.retainedExecutors].
  int retained_executors_of_ended = 10'000;

  /// Companies and users that share the cluster; unset: applications are served
  /// in order of submission, as by Spark's master (`--tenants`).
  std::optional<TenantsConfig> tenants;

  /// Of all randomness (where drivers go).
  std::uint64_t seed = 1;

  friend bool operator==(const ClusterConfig&, const ClusterConfig&) = default;
};
BOOST_DESCRIBE_STRUCT(
    ClusterConfig, (),
    (master_url, spread_out, worker_selection, spread_out_drivers, max_drivers,
     reservation_timeout, gang_reserve_after, default_cores, worker_timeout,
     dead_worker_persistence, application_timeout, reconnect_timeout,
     outage_timeout, worker_backoff, recovery_timeout, recovery_silence,
     durable, max_executor_retries, stable_after, retained_applications,
     retained_drivers, submission_retention, retained_executors,
     retained_executors_of_ended, tenants, seed))

/// Whether a master can be configured so; if not, the first thing that is wrong.
Status validate(const ClusterConfig& config);

} // namespace stoker
