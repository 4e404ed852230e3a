#pragma once

// Runs cases of the placement vectors (tests/scheduling/vectors) on Stoker. A
// library, so that a tool can do the same with files of other cases.

#include <boost/json/value.hpp>

namespace stoker::test {

/// Returns `original` with what Stoker computes in `expect` and `after` of the
/// case and of each of its rounds, in the order of keys that the vectors have.
/// What stands there already is not looked at. Knows the kinds `schedule` and
/// `assign`.
/// @throws std::exception when `original` is no such case.
boost::json::value complete(const boost::json::value& original);

} // namespace stoker::test
