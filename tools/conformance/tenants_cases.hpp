#pragma once

// Runs cases of companies and users who share a cluster
// (tests/scheduling/tenants/vectors) on Stoker's state machine.

#include <boost/json/value.hpp>

namespace stoker::conformance {

/// Which applications are admitted after each event of a case:
///
///     {"id": ..., "policy": {...}, "cluster": {"cores", "memory_mb"},
///      "companies": [...], "users": [...], "events": [
///        {"submit": {"app", "user", "cores", "memory_per_core_mb"}},
///        {"end": app}, ...]}
///
/// The cluster has one worker. Each application has executors of one core, and
/// asks for `cores` of them. Companies, users and policy have the keys of a
/// tenants file, but memory is `memory_mb` and `max_memory_mb`. Events are 10
/// ms apart.
///
/// Returns {"id", "expect"} with one entry for each event: the sorted names of
/// all admitted applications; "refused" for an application that was refused at
/// once; "none" for the end of one that was refused. What the case expects is
/// not looked at.
/// @throws std::exception when `original` is no such case: a field that is
/// missing, unknown or of the wrong type, rules that a tenants file may not
/// have, an end without a submission.
boost::json::value admissions(const boost::json::value& original);

} // namespace stoker::conformance
