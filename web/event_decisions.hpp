#pragma once

#include <string>

#include "web/cluster_copy.hpp"

namespace stoker {

/// Why a change came, or what follows from it, in words: what was free where an executor
/// starts, what is free where one ends, who waits. Empty: nothing.
/// @param before the cluster as it was before the change
std::string decision_behind(const Change& change, const ClusterCopy& before);

} // namespace stoker
