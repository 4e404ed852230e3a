#pragma once

// Runs cases of YARN's allocator, as Spark's own was asked them
// (tests/scheduling/allocation/vectors), on Stoker's book of requests.

#include <boost/json/value.hpp>

namespace stoker::conformance {

/// What the book says after each step of a case:
///
///     {"id": ..., "kind": "yarn", "initial_total": ..., "conf": {...}, "steps": [
///       {"op": "request_total", "total": ...}, {"op": "update_requests"},
///       {"op": "allocated", "containers": [{"container", "host"}, ...]},
///       {"op": "completed", "containers": [{"container", "exit_status"}, ...]},
///       {"op": "kill_executor", "executor": "1"},
///       {"op": "pass_ms", "ms": ...}, {"op": "shutdown"}]}
///
/// Returns `original` with `expect` in each step, and `changed` where the wish is told.
/// What stands there already is not looked at. The book is kept as YARN's allocator
/// does (ExecutorRequestsConfig::as_yarn); executors are numbered from 1 on, as they are
/// used.
/// @throws std::exception when `original` is no such case: another kind, a field that is
/// missing, unknown or of the wrong type, a container that is handed out twice.
boost::json::value requests_by_step(const boost::json::value& original);

} // namespace stoker::conformance
