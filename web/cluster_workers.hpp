#pragma once

#include <vector>

#include "messages/administration.hpp"
#include "web/cluster_copy.hpp"

namespace stoker {

/// Those that are stored, by number, as the master last said that they are; then those that
/// are lost, which are stored no more.
/// @pre cluster.observation()
std::vector<WorkerInfo> workers_of(const ClusterCopy& cluster,
                                   const ClusterUse& use);

} // namespace stoker
