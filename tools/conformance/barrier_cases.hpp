#pragma once

// Runs cases of offers to task sets, as Spark's own task scheduler was given them
// (tests/scheduling/jobs/vectors), on Stoker's.

#include <boost/json/value.hpp>

namespace stoker::conformance {

/// How many tasks begin in one round of offers:
///
///     {"id": ..., "kind": "barrier-offer", "task_cpus": ...,
///      "offers": [{"executor", "free_cores"}, ...],
///      "task_sets": [{"stage", "tasks", "barrier"}, ...]}
///
/// Returns `original` with `expect`: `launched` has a number for each task set. What
/// stands there already is not looked at. All task sets are stages of one job, in order
/// of priority.
/// @throws std::exception when `original` is no such case: another kind, a field that is
/// missing, unknown or of the wrong type, no task.
boost::json::value offers(const boost::json::value& original);

} // namespace stoker::conformance
