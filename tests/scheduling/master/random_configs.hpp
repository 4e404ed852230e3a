#pragma once

#include <cstdint>

#include "scheduling/master/config.hpp"

namespace stoker::test {

/// Seeds from 1 to this one are tried; STOKER_SEEDS=1000 looks farther.
unsigned last_seed(unsigned usual);

/// Several settings, among them small limits, so that they are reached.
ClusterConfig config_for(std::uint64_t seed);

} // namespace stoker::test
