#pragma once

// From a user's queue to those that wait for a worker: drivers are admitted by the same
// rules as applications (tenant_admission.hpp), each as one with the executors that it
// cannot do without. Without tenants each is admitted at once.

#include <optional>
#include <vector>

#include "messages/result.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

/// What a driver needs without any executors.
[[nodiscard]] Resources own_of(const DriverDescription& driver);

/// What a driver needs with the executors that it cannot do without.
[[nodiscard]] Resources whole_of(const DriverDescription& driver);

/// Returns whether the driver says executors that it cannot do without.
[[nodiscard]] bool needs_executors(const DriverDescription& x);

/// Returns whether such a driver could ever be started by the rules for tenants; if not,
/// why.
[[nodiscard]] Status may_join_queue(const ClusterState& state,
                                    const DriverDescription& driver);

/// Puts a driver that waits to be admitted into its user's queue. One that could never
/// leave it fails.
void join_queue(Step& step, DriverKey key);

/// Returns what tenants are told of a driver that waits to be admitted.
[[nodiscard]] TenantTree::Entry entry_of(const StoredDriver& x);

/// Tells tenants of a driver that an earlier leader has admitted.
void adopt(Step& step, DriverKey key);

/// Lets the driver have a worker from now on. @pre It waits to be admitted.
void admit(Step& step, DriverKey key);

/// Gives the place of `from`, which is about to end, to `to`, which was just added for the
/// same user. Queues `to` if not all that it needs counts for `from`.
void hand_over(Step& step, DriverKey from, DriverKey to);

/// Updates what counts for an admitted driver: without a worker, the driver and its
/// executors; with a worker, what it holds and what is kept for its application. Does
/// nothing for other drivers.
void update_demand(Step& step, DriverKey key);

/// Returns whether fewer drivers run than may.
[[nodiscard]] bool may_run_another_driver(const ClusterState& state);

/// Queues the driver again if it waits for a worker, and the rules no longer know its user,
/// or not all that it needs counts.
void requeue_if_short(Step& step, DriverKey key);

/// Returns the driver that runs and started this application for the same user, or
/// std::nullopt.
[[nodiscard]] std::optional<DriverKey>
driver_of(const ClusterState& state, const ApplicationDescription& app);

/// Admits an application with its driver, unless another application of the driver is
/// present: then it is admitted as one without a driver.
void join_driver(Step& step, AppKey key);

/// Lets the next queued application of the driver be admitted with it, if this one was.
/// Call it before the application is removed.
void leave_driver(Step& step, AppKey key);

/// Returns the applications of a driver that runs.
[[nodiscard]] std::vector<AppId> applications_of(const ClusterState& state,
                                                 const DriverId& driver);

/// Admits a queued application with what is kept for it, which was admitted with its
/// driver. @pre `driver_of` the application is this driver, and room is kept for it
void admit_with_driver(Step& step, AppKey app, DriverKey driver);

} // namespace stoker
