#pragma once

#include <optional>

#include "scheduling/common/deadlines.hpp"
#include "scheduling/common/id_generator.hpp"
#include "scheduling/common/random.hpp"
#include "scheduling/master/admission.hpp"
#include "scheduling/master/application_table.hpp"
#include "scheduling/master/config.hpp"
#include "scheduling/master/dependents.hpp"
#include "scheduling/master/driver_table.hpp"
#include "scheduling/master/gang_queue.hpp"
#include "scheduling/master/kept_room.hpp"
#include "scheduling/master/outages.hpp"
#include "scheduling/master/pending_releases.hpp"
#include "scheduling/master/recovery.hpp"
#include "scheduling/master/time_limits.hpp"
#include "scheduling/master/wanted_shapes.hpp"
#include "scheduling/master/worker_table.hpp"
#include "scheduling/placement/capacity.hpp"

namespace stoker {

/// What a deadline is about.
enum class Due { worker, application, driver, recovery, gang };

/// All that a master knows: a plain value, made of owners that keep their own
/// invariants. What holds between them is checked by `invariant_violation`
/// (scheduling/master/invariants.hpp).
struct ClusterState {
  /// @pre `validate(config)`
  explicit ClusterState(ClusterConfig config);

  ClusterConfig config;
  Random random;

  /// Executors that may yet be started; unset, as in a master: any number.
  std::optional<int> starts_left;

  /// The time of the last step.
  Instant now;
  Recovery recovery;
  Outages outages;
  WorkerTable workers;
  Capacity capacity;
  ApplicationTable applications;
  PendingReleases releases;
  Admission admission;

  /// Empty without tenants.
  WantedShapes wanted_shapes;
  DriverTable drivers;

  /// As the `waits_for` of applications and drivers say.
  Dependents dependents;
  KeptRoom reservations;
  GangQueue gangs;
  TimeLimits time_limits;
  Deadlines<Due> deadlines;
  IdGenerator ids;
};

} // namespace stoker
