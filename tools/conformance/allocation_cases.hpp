#pragma once

// Runs cases of dynamic allocation, as Spark's own ExecutorAllocationManager was asked
// them (tests/scheduling/allocation/vectors), on Stoker's state machine.

#include <boost/json/value.hpp>

namespace stoker::conformance {

/// A case of kind `conf` has Spark's settings by name, as texts, in `conf`. One of kind
/// `trace` has besides `start_ms` and `events`, each with its `at_ms`, which never
/// decreases.
///
/// Returns {"id", "expect"}: of `conf` whether the settings are rejected, and the first
/// target; of `trace` an entry right after the start, and one after each event
/// `schedule`. What the case expects is not looked at.
/// @throws std::exception when `original` is no such case: another kind or event, a
/// field that is missing, unknown or of the wrong type, a setting that is no setting of
/// dynamic allocation, and in a `trace` one that is rejected.
boost::json::value allocations(const boost::json::value& original);

} // namespace stoker::conformance
