#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/planning.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

class Cluster;
struct ClusterState;

/// When an application is expected to end, and why that is thought.
struct ExpectedEnd {
  AppId app_id;
  Instant when;
  std::string basis;
};

/// When applications that run are expected to end, soonest first, as far as that
/// can be guessed.
[[nodiscard]] std::vector<ExpectedEnd> expected_ends(const ClusterState& state,
                                                     Instant now);

/// When an application will be given another executor, if what runs ends as
/// expected and nothing else happens: steps a copy of the cluster. Nothing:
/// that is not known, or the cluster is too large to try it.
std::optional<StartEstimate> estimate_start(const Cluster& cluster, Instant now,
                                            const AppId& id);

} // namespace stoker
