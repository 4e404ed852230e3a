#pragma once

#include <cstdint>

#include <boost/json/value.hpp>

namespace stoker::test {

/// A case of kind `schedule` in the format of the placement vectors, with
/// rounds but without expectations. Equal seeds give equal cases.
boost::json::value random_case(std::uint64_t seed);

} // namespace stoker::test
