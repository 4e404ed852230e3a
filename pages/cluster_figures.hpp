#pragma once

#include <cstdint>
#include <vector>

#include "pages/table.hpp"

namespace stoker::pages {

/// What a cluster has in all.
struct ClusterFigures {
  std::int64_t workers_alive = 0;
  std::int64_t workers_lost = 0;

  /// Those that may be lost, and those that are about to leave.
  std::int64_t workers_unknown = 0;
  std::int64_t workers_leaving = 0;

  /// Those that have left in good order.
  std::int64_t workers_left = 0;

  // Of workers that are alive.
  std::int64_t cores = 0;
  std::int64_t cores_used = 0;
  std::int64_t memory_mb = 0;
  std::int64_t memory_used_mb = 0;

  // Of what has not ended.
  std::int64_t applications_running = 0;
  std::int64_t applications_waiting = 0;
  std::int64_t executors = 0;
  std::int64_t drivers_running = 0;
  std::int64_t drivers_waiting = 0;

  /// Those of which nobody knows whether they run.
  std::int64_t drivers_unknown = 0;
};
std::vector<Fact> facts_of(const ClusterFigures& x);

} // namespace stoker::pages
