#pragma once

#include <boost/json/value.hpp>

namespace stoker::test {

/// Does what `complete` of tools/conformance does for cases of kind `schedule`,
/// without Stoker: the rules of Spark's pass in the plainest words, which sort
/// all workers for each application. Shares no code with scheduling/.
boost::json::value complete_naively(const boost::json::value& original);

} // namespace stoker::test
