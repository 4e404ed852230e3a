#include "simulation/load_watch.hpp"

#include <string>

#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

constexpr int later_begins_after = 500;

/// An executor for each task.
AllocationSettings one_for_each() {
  AllocationSettings result;
  result.enabled = true;
  return result;
}

} // namespace

LoadWatch::LoadWatch() : first_{{}, AllocationManager{one_for_each()}} {
}

void LoadWatch::stepped(Instant now, const JobsEvent& what,
                        const JobsEffects& effects, const JobsState& state) {
  hear(first_, now, first_.load.after(what, effects, state));
  compare(first_, state);
  if (later_) {
    hear(*later_, now, later_->load.after(what, effects, state));
    compare(*later_, state);
  } else if (++steps_ == later_begins_after) {
    later_.emplace(Follower{{}, AllocationManager{one_for_each()}});
    hear(*later_, now, later_->load.begin(state));
    compare(*later_, state);
  }
}

void LoadWatch::hear(Follower& follower, Instant now,
                     const AllocationEvents& events) {
  for (const auto& event : events)
    (void)follower.manager.step(now, event);
}

void LoadWatch::compare(const Follower& follower, const JobsState& state) {
  std::int64_t waiting = 0;
  for (auto id : state.active) {
    const auto& tasks = *state.stages.at(id).tasks;
    waiting += tasks.pending();
    for (const auto& [task, live] : tasks.live())
      waiting += live.wants_second ? 1 : 0;
  }
  std::int64_t running = 0;
  std::int64_t executors = 0;
  for (const auto& [exec_id, x] : state.executors.all()) {
    running += static_cast<std::int64_t>(x.assigned.size());
    executors += x.leaves_since ? 0 : 1;
  }
  auto status = follower.manager.status();
  auto told = [](const char* what, std::int64_t heard, std::int64_t there) {
    if (heard != there)
      fail(std::string{"an allocation manager was told of "}
           + std::to_string(heard) + ' ' + what + ", and there are "
           + std::to_string(there));
  };
  told("attempts that wait or run", status.needed, waiting + running);
  told("executors that stay", status.executors, executors);
}

} // namespace stoker::simulation
