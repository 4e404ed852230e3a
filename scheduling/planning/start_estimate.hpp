#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/planning.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/master/dependents.hpp"
#include "scheduling/planning/rehearsal.hpp"

namespace stoker {

/// When an application or driver is expected to end, and why that is thought.
struct ExpectedEnd {
  AwaitedId id;
  Instant when;
  std::string basis;
};

/// When applications and drivers that run are expected to end, soonest first, as far as
/// that can be guessed.
[[nodiscard]] std::vector<ExpectedEnd> expected_ends(const ClusterState& state,
                                                     Instant now);

/// Whether an estimate is worth a copy of the cluster: not of one so large that
/// its master would be busy with the copy for long.
[[nodiscard]] bool can_estimate(const ClusterState& state);

/// When an application will be given another executor, if what runs ends as
/// expected and nothing else happens: steps a copy of the cluster. The applications of a
/// driver end with it. Nothing: that is not known, or it is to stop.
std::optional<StartEstimate> estimate_start(Cluster copy, Instant now,
                                            const AppId& id,
                                            const IsToStop& is_to_stop = {});

} // namespace stoker
