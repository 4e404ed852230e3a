#include "scheduling/jobs/barrier_waiting.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/common/format.hpp"
#include "scheduling/jobs/executors.hpp"
#include "scheduling/jobs/jobs.hpp"
#include "scheduling/jobs/offers.hpp"
#include "scheduling/jobs/time_limits.hpp"

namespace stoker {

namespace {

/// Free slots of one executor.
struct Slots {
  const JobExecutor* executor = nullptr;
  int left = 0;
};

/// Slots where tasks of the stage may begin now.
/// @param enough No more than these are looked for.
std::vector<Slots> find_slots(const JobsState& state, const Stage& stage,
                              Instant now, int enough) {
  std::vector<Slots> result;
  for (const auto& x : state.executors.by_free_cores()) {
    if (x.free_cores < stage.spec.cores || enough <= 0)
      break;
    const auto& executor = *state.executors.find(x.exec_id);
    if (!may_run_on(state, stage, executor, now)
        || state.full_disks.holds(executor.worker_id))
      continue;
    result.push_back({&executor, x.free_cores / stage.spec.cores});
    enough -= result.back().left;
  }
  return result;
}

int count(const std::vector<Slots>& slots) {
  auto result = 0;
  for (const auto& x : slots)
    result += x.left;
  return result;
}

/// Gives each task of a stage one of at least so many slots.
class SlotChoice {
public:
  explicit SlotChoice(std::vector<Slots> slots) : slots_(std::move(slots)) {
    // Tasks with numbers beside each other run beside each other.
    std::sort(slots_.begin(), slots_.end(), [](const auto& a, const auto& b) {
      return std::pair{a.executor->host, a.executor->exec_id}
             < std::pair{b.executor->host, b.executor->exec_id};
    });
  }

  /// The executors, by task. Where a task had better run, and where it ran before, counts
  /// as far as there are slots: it keeps none from having one.
  /// @param last Where they ran, by task; empty: nowhere yet.
  std::vector<int> executors(const TaskPlaces& places,
                             const std::vector<int>& last, int tasks) {
    std::vector<int> result(static_cast<std::size_t>(tasks), none);
    if (!places.empty() || !last.empty())
      index();
    auto for_each_without = [&](const auto& take) {
      for (std::size_t task = 0; task < result.size(); ++task)
        if (result[task] == none)
          result[task] = take(task);
    };
    auto wanted
        = [&](std::size_t task) { return places.of(static_cast<int>(task)); };
    if (!places.empty())
      for_each_without([&](auto task) { return take_process(wanted(task)); });
    if (!last.empty())
      for_each_without([&](auto task) { return take_from(last[task]); });
    if (!places.empty())
      for_each_without([&](auto task) { return take_host(wanted(task)); });
    for (auto& place : result)
      if (place == none)
        place = take_next();
    return result;
  }

private:
  static constexpr int none = -1;

  void index() {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      by_process_[slots_[i].executor->exec_id] = i;
      by_host_[slots_[i].executor->host].push_back(i);
    }
  }

  int take(std::size_t i) {
    if (slots_[i].left == 0)
      return none;
    --slots_[i].left;
    return slots_[i].executor->exec_id;
  }

  int take_from(int exec_id) {
    auto found = by_process_.find(exec_id);
    return found == by_process_.end() ? none : take(found->second);
  }

  int take_process(const std::vector<TaskPlace>& wanted) {
    for (const auto& x : wanted)
      if (x.exec_id)
        if (auto taken = take_from(*x.exec_id); taken != none)
          return taken;
    return none;
  }

  int take_host(const std::vector<TaskPlace>& wanted) {
    for (const auto& x : wanted)
      if (auto found = by_host_.find(x.host); found != by_host_.end())
        for (auto i : found->second)
          if (auto taken = take(i); taken != none)
            return taken;
    return none;
  }

  int take_next() {
    while (slots_[next_].left == 0)
      ++next_;
    return take(next_);
  }

  std::vector<Slots> slots_;
  std::size_t next_ = 0;
  std::map<int, std::size_t> by_process_;
  std::map<std::string, std::vector<std::size_t>> by_host_;
};

void begin_all(JobStep& step, Stage& stage, const std::vector<int>& exec_ids) {
  auto& tasks = *stage.tasks;
  BarrierAttemptBegun begun{stage.spec.id, tasks.attempts(0), exec_ids};
  if (!stage.first_launch)
    note_first_launch(step, stage);
  for (int task = 0; task < stage.spec.tasks; ++task) {
    auto exec_id = exec_ids[static_cast<std::size_t>(task)];
    tasks.waiting().remove(task);
    TaskAttempt id{stage.spec.id, task, tasks.begin(task, exec_id)};
    assert(id.attempt == begun.attempt);
    stage.running_cores += stage.spec.cores;
    step.launches[exec_id].push_back(id);
    step.state.executors.assign(exec_id, id, stage.spec.cores, step.now);
  }
  stage.barrier->exec_ids = exec_ids;
  step.add(std::move(begun));
}

/// What has to be looked at next.
std::optional<Instant> due(const BarrierAttempts& x) {
  return earlier(x.next_look, earlier(x.holds_from, x.holds_until));
}

void look_when_due(JobStep& step, const Stage& stage) {
  if (auto when = due(*stage.barrier))
    step.state.barrier_looks.emplace(*when, stage.spec.id);
}

/// When it has waited for long, unless that is not to be.
void hold_later(JobStep& step, Stage& stage) {
  auto after = step.state.config.barrier.reserve_after;
  stage.barrier->holds_from.reset();
  if (after > Duration::zero())
    stage.barrier->holds_from = step.now + after;
}

/// Holds its slots for `reserve_for`; holds none if that is 0.
void hold(JobStep& step, Stage& stage) {
  auto lasts = step.state.config.barrier.reserve_for;
  stage.barrier->holds_from.reset();
  if (lasts > Duration::zero())
    stage.barrier->holds_until = step.now + lasts;
}

void stop_holding(JobStep& step, Stage& stage) {
  stage.barrier->holds_until.reset();
  hold_later(step, stage);
  look_again(step.state);
}

std::string too_few_slots(const JobsState& state, const Stage& stage,
                          std::int64_t slots) {
  auto cores = 0;
  for (const auto& [exec_id, x] : state.executors.all())
    cores += x.is_available() ? x.cores : 0;
  return "barrier stage '" + stage.spec.name + "' needs "
         + format_count(stage.spec.tasks, "slot") + " of "
         + format_cores(stage.spec.cores) + " at once, and has "
         + std::to_string(slots) + ": "
         + format_count(state.executors.available(), "executor") + " with "
         + format_cores(cores)
         + " in all. Give the application more, or the stage fewer tasks";
}

/// Whether jobs have ended with it.
bool look_for_slots(JobStep& step, Stage& stage) {
  const auto& config = step.state.config.barrier;
  auto& x = *stage.barrier;
  auto slots = slots_in_all(step.state, stage, step.now);
  x.looks_in_vain = slots >= stage.spec.tasks ? 0 : x.looks_in_vain + 1;
  if (x.looks_in_vain >= config.slots_checks_max) {
    fail_jobs_of(step, stage, too_few_slots(step.state, stage, slots));
    return true;
  }
  x.next_look = step.now + config.slots_check_interval;
  return false;
}

void look_at(JobStep& step, Stage& stage) {
  auto& x = *stage.barrier;
  if (x.next_look && *x.next_look <= step.now && look_for_slots(step, stage))
    return;
  if (x.holds_from && *x.holds_from <= step.now) {
    if (slots_in_all(step.state, stage, step.now) >= stage.spec.tasks)
      hold(step, stage);
    else
      hold_later(step, stage);
  } else if (x.holds_until && *x.holds_until <= step.now) {
    stop_holding(step, stage);
  }
  look_when_due(step, stage);
}

} // namespace

std::int64_t slots_in_all(const JobsState& state, const Stage& stage,
                          Instant now) {
  std::int64_t result = 0;
  for (const auto& [exec_id, x] : state.executors.all())
    if (may_run_on(state, stage, x, now))
      result += x.cores / stage.spec.cores;
  return result;
}

int free_slots(const JobsState& state, const Stage& stage, Instant now) {
  return std::min(count(find_slots(state, stage, now, stage.spec.tasks)),
                  stage.spec.tasks);
}

bool offer_together(JobStep& step, Stage& stage) {
  const auto& executors = step.state.executors;
  if (!stage.barrier->ending.empty()
      || (stage.looked_everywhere && executors.changed().empty()))
    return false;
  stage.looked_everywhere = true;
  if (executors.free_cores() < cores_at_once(stage.spec))
    return false;
  const auto& places = stage.tasks->places();
  const auto& last = stage.barrier->exec_ids;
  auto anywhere = places.empty() && last.empty();
  auto slots = find_slots(step.state, stage, step.now,
                          anywhere ? stage.spec.tasks
                                   : std::numeric_limits<int>::max());
  if (count(slots) < stage.spec.tasks)
    return false;
  begin_all(
      step, stage,
      SlotChoice{std::move(slots)}.executors(places, last, stage.spec.tasks));
  end_waiting(step.state, stage);
  return true;
}

void begin_waiting(JobStep& step, Stage& stage) {
  auto& x = *stage.barrier;
  auto again = x.failed + x.lost > 0;
  const auto& config = step.state.config.barrier;
  x.waits_since = step.now;
  x.looks_in_vain = 0;
  x.next_look = step.now + config.slots_check_interval;
  x.holds_until.reset();
  hold_later(step, stage);
  // What it had is for its next attempt.
  if (again && slots_in_all(step.state, stage, step.now) >= stage.spec.tasks)
    hold(step, stage);
  look_when_due(step, stage);
}

void end_waiting(JobsState& state, Stage& stage) {
  auto& x = *stage.barrier;
  if (x.holds_until)
    look_again(state);
  x.waits_since.reset();
  x.next_look.reset();
  x.holds_from.reset();
  x.holds_until.reset();
}

bool holds_slots(const Stage& stage, Instant now) {
  return stage.barrier && stage.barrier->holds_until
         && *stage.barrier->holds_until > now;
}

void look_at_waiting(JobStep& step) {
  auto& looks = step.state.barrier_looks;
  while (!looks.empty() && looks.begin()->first <= step.now) {
    auto [when, id] = *looks.begin();
    looks.erase(looks.begin());
    auto found = step.state.stages.find(id);
    // It may have begun meanwhile, or be looked at later.
    if (found == step.state.stages.end() || !found->second.barrier
        || due(*found->second.barrier) != when)
      continue;
    look_at(step, step.state.stages.change(id));
  }
}

std::optional<Instant> next_look(const JobsState& state) {
  return state.barrier_looks.empty()
             ? std::nullopt
             : std::optional{state.barrier_looks.begin()->first};
}

} // namespace stoker
