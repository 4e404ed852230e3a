#pragma once

// Runs cases of placement, as Spark's own master was asked them
// (tests/scheduling/placement/vectors), on Stoker's state machine.

#include <boost/json/value.hpp>

namespace stoker::conformance {

/// Returns `original` with what Stoker computes in `expect` and `after` of the
/// case and of each of its rounds, in the order of keys that the vectors have.
/// What stands there already is not looked at. Knows the kinds `schedule` and
/// `assign`.
/// @throws std::exception when `original` is no such case: another kind, a
/// field that is missing, unknown or of the wrong type.
boost::json::value complete(const boost::json::value& original);

} // namespace stoker::conformance
