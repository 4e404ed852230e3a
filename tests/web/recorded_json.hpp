#pragma once

// What masters of Spark's have answered over HTTP. tests/web/recorded/VERSION.json has it:
// "states" are answers of /json/ in several situations, "paths" those of paths below it
// while an application runs, "submissions" are requests to the REST port and their answers,
// without the texts of messages.

#include <string>

#include <boost/json/value.hpp>

namespace stoker::test {

boost::json::object recorded_json(const std::string& version);

/// Which members a value has and of which types they are, a line each, without repetition,
/// as "workers[].cores: number". Members of "resources" and the like are named as people
/// like, and count as one.
std::string shape(const boost::json::value& x);

} // namespace stoker::test
