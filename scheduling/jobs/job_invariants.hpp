#pragma once

#include <optional>
#include <string>

#include "scheduling/jobs/job_state.hpp"

namespace stoker {

/// Recomputes and compares what holds between the owners of a JobScheduler's state:
/// - an attempt that counts is assigned to its executor, once;
/// - an executor's tasks that have begun fit into its cores, and are before those
///   that wait;
/// - a stage's tasks are pending, running or done; its outputs are those of the done
///   ones;
/// - the cores that a stage uses are those of its attempts that count;
/// - a stage is active just when a job needs tasks of it and what they read is there;
/// - which stages are needed, and their order, is what comes out if it is computed anew;
/// - a stage with results has one job that has not ended.
///
/// Returns what is wrong, in one line, or nothing. Looks at everything: for tests and
/// simulations.
[[nodiscard]] std::optional<std::string>
invariant_violation(const JobsState& state);

} // namespace stoker
