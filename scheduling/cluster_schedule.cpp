// One scheduling pass (document 000, section 6; FORMAT A.1).
//
// A pass gives the same as one that visits every application with every worker,
// but looks only at what can have changed. After a pass no worker is left that
// could take an executor of an application that wants one. So in the next one
// only those applications can be helped that want more since, or whose executor
// fits into a worker that has more free since.

#include <algorithm>
#include <limits>

#include "scheduling/cluster.hpp"

namespace stoker {

namespace {

/// With more workers changed than this, all are asked instead of each.
constexpr std::size_t few = 16;

} // namespace

void Cluster::schedule() {
  schedule_drivers();
  std::optional<AppKey> next = AppKey{0};
  while ((next = next_to_help(*next))) {
    schedule_application(*next);
    next = AppKey{static_cast<std::uint32_t>(*next) + 1};
  }
  more_wanted_.clear();
  more_free_.clear();
}

std::optional<AppKey> Cluster::next_to_help(AppKey from) const {
  if (capacity_.empty())
    return std::nullopt;
  std::optional<AppKey> result;
  if (auto i = more_wanted_.lower_bound(from); i != more_wanted_.end())
    result = *i;
  ExecutorSize largest{0, 0};
  if (more_free_.size() > few) {
    largest = {std::numeric_limits<int>::max(),
               std::numeric_limits<std::int64_t>::max()};
  } else {
    for (auto key : more_free_)
      if (auto x = capacity_.find(static_cast<std::uint32_t>(key)))
        largest = {std::max(largest.cores, x->cores),
                   std::max(largest.memory_mb, x->memory_mb)};
  }
  auto helped = hungry_.first(from, largest, [this](const ExecutorSize& size) {
    if (more_free_.size() > few)
      return capacity_.fits(size.cores, size.memory_mb);
    return std::any_of(more_free_.begin(), more_free_.end(), [&](auto key) {
      auto x = capacity_.find(static_cast<std::uint32_t>(key));
      return x && x->cores >= size.cores && x->memory_mb >= size.memory_mb;
    });
  });
  if (helped && (!result || *helped < *result))
    result = helped;
  return result;
}

void Cluster::schedule_drivers() {
  auto fits = [this](DriverKey key) {
    const auto& wanted = drivers_.at(key).description;
    return capacity_.fits(wanted.cores, wanted.memory_mb);
  };
  if (std::none_of(waiting_drivers_.begin(), waiting_drivers_.end(), fits))
    return;
  std::vector<WorkerKey> workers;
  for (auto x = capacity_.first(0); x; x = capacity_.next(*x, 0))
    workers.push_back(WorkerKey{x->number});
  random_.shuffle(workers);
  std::size_t position = 0;
  std::deque<DriverKey> still_waiting;
  for (auto driver : waiting_drivers_) {
    const auto& wanted = drivers_.at(driver).description;
    auto launched = false;
    for (std::size_t visited = 0; visited < workers.size() && !launched;
         ++visited) {
      auto key = workers[position];
      position = (position + 1) % workers.size();
      const auto& worker = workers_.at(key);
      if (worker.cores_free() >= wanted.cores
          && worker.memory_free_mb() >= wanted.memory_mb) {
        launch_driver(driver, key);
        launched = true;
      }
    }
    if (!launched)
      still_waiting.push_back(driver);
  }
  waiting_drivers_ = std::move(still_waiting);
}

void Cluster::schedule_application(AppKey key) {
  const auto& app = apps_.at(key);
  ExecutorDemand demand{app.description.cores_per_executor,
                        app.description.memory_per_executor_mb, cores_left(app),
                        executors_left(app)};
  auto enough = static_cast<std::size_t>(workers_needed(demand));
  std::vector<WorkerKey> usable;
  std::vector<FreeResources> free;
  for (auto x = capacity_.first(demand.memory_per_executor_mb);
       x && x->cores >= demand.cores_min() && usable.size() < enough;
       x = capacity_.next(*x, demand.memory_per_executor_mb)) {
    usable.push_back(WorkerKey{x->number});
    free.push_back({x->cores, x->memory_mb});
  }
  auto assigned = assign_cores(demand, free, config_.spread_out);
  for (std::size_t i = 0; i < usable.size(); ++i)
    if (assigned[i] > 0)
      launch_executors(key, usable[i], assigned[i],
                       executors_in(demand, assigned[i]));
  update_demand(key);
}

} // namespace stoker
