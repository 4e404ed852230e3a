#include "scheduling/planning/start_estimate.hpp"

#include <algorithm>

#include "scheduling/master/cluster.hpp"
#include "scheduling/planning/rehearsal.hpp"

namespace stoker {

namespace {

/// Beyond, a copy would keep the master busy for longer than an answer is worth.
constexpr std::size_t applications_max = 20'000;

/// Ends that are tried.
constexpr std::size_t ends_max = 1000;

bool starts(const OutgoingMessages& messages, const AppId& id) {
  return std::any_of(messages.begin(), messages.end(), [&](const auto& x) {
    const auto* started = std::get_if<StartExecutor>(&x);
    return started != nullptr && started->app_id == id;
  });
}

} // namespace

std::optional<StartEstimate> estimate_start(const Cluster& cluster, Instant now,
                                            const AppId& id) {
  if (cluster.application_count() > applications_max)
    return std::nullopt;
  auto ends = cluster.expected_ends(now);
  if (ends.empty())
    return std::nullopt;
  auto copy = cluster;
  now = std::max(now, cluster.now());
  for (std::size_t i = 0; i < std::min(ends.size(), ends_max); ++i) {
    const auto& end = ends[i];
    if (end.app_id == id)
      continue;
    // At the present time: nothing else is to happen meanwhile.
    if (starts(step_with_ends(copy, now, UnregisterApplication{end.app_id}),
               id))
      return StartEstimate{(end.when - now).count(), end.app_id, end.basis};
  }
  return std::nullopt;
}

} // namespace stoker
