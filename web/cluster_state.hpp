#pragma once

#include "messages/administration.hpp"
#include "web/cluster_copy.hpp"

namespace stoker {

/// What a copy of the cluster tells as `stoker status --json` tells it of the master. Of
/// applications and drivers whose room is kept it tells what is stored alone.
/// @param url how the master calls itself
/// @pre there is an observation
MasterStateResponse cluster_state(const ClusterCopy& cluster,
                                  const std::string& url,
                                  const RequestMasterState& parts);

} // namespace stoker
