#include "scheduling/placement/placement.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace stoker {

namespace {

/// The state of one assignment step.
class Assignment {
public:
  Assignment(const ExecutorDemand& demand,
             std::span<const FreeResources> workers)
      : demand_(demand), workers_(workers), cores_(workers.size()),
        executors_(workers.size()), executors_left_(demand.executors_left),
        needed_(demand.at_once), cores_left_(demand.cores_left) {
    // Wider than the figures themselves: a large cluster's sum may not fit.
    auto free = std::accumulate(
        workers.begin(), workers.end(), std::int64_t{0},
        [](std::int64_t sum, const auto& x) { return sum + x.cores; });
    cores_to_assign_
        = static_cast<int>(std::min<std::int64_t>(demand.cores_left, free));
  }

  [[nodiscard]] bool can_take_more(std::size_t i) const {
    auto min = demand_.cores_min();
    if (cores_to_assign_ < min || workers_[i].cores - cores_[i] < min)
      return false;
    if (widens(i))
      return cores_left_ > needed_;
    auto memory_left = workers_[i].memory_mb
                       - executors_[i] * demand_.memory_per_executor_mb;
    return memory_left >= demand_.memory_per_executor_mb
           && executors_[i] < workers_[i].executors && executors_left_ > 0;
  }

  void give(std::size_t i) {
    cores_to_assign_ -= demand_.cores_min();
    cores_left_ -= demand_.cores_min();
    cores_[i] += demand_.cores_min();
    if (widens(i))
      return;
    ++executors_[i];
    --executors_left_;
    needed_ = std::max(0, needed_ - 1);
  }

  [[nodiscard]] std::vector<int> take_cores() && {
    return std::move(cores_);
  }

private:
  /// Whether more cores on this worker go to an executor of this step.
  [[nodiscard]] bool widens(std::size_t i) const {
    return !demand_.cores_per_executor && executors_[i] > 0;
  }

  const ExecutorDemand& demand_;
  std::span<const FreeResources> workers_;
  std::vector<int> cores_;
  std::vector<int> executors_;
  int executors_left_;

  /// Executors that must still begin, with a core each.
  int needed_;
  int cores_left_;
  int cores_to_assign_ = 0;
};

} // namespace

std::vector<int> assign_cores(const ExecutorDemand& demand,
                              std::span<const FreeResources> workers,
                              bool spread_out) {
  assert(demand.cores_min() > 0);
  Assignment step{demand, workers};
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (step.can_take_more(i))
      candidates.push_back(i);
  while (!candidates.empty()) {
    for (auto i : candidates) {
      // An earlier visit of this round may have used up what was left.
      if (!step.can_take_more(i))
        continue;
      step.give(i);
      while (!spread_out && step.can_take_more(i))
        step.give(i);
    }
    std::erase_if(candidates, [&](auto i) { return !step.can_take_more(i); });
  }
  return std::move(step).take_cores();
}

int workers_needed(const ExecutorDemand& demand) {
  // Each worker that is given anything takes at least one portion and begins at
  // least one executor, and all of them do so in order of the list.
  return std::max(0, std::min(demand.cores_left / demand.cores_min(),
                              demand.executors_left));
}

int executors_in(const ExecutorDemand& demand, int cores) {
  return demand.cores_per_executor ? cores / *demand.cores_per_executor : 1;
}

} // namespace stoker
