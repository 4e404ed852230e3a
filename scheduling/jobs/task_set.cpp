#include "scheduling/jobs/task_set.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace stoker {

TaskSet::TaskSet(int tasks, TaskPlaces places)
    : tasks_(static_cast<std::size_t>(tasks)), places_(std::move(places)),
      pending_(tasks, places_) {
}

bool TaskSet::is_live(int task, int attempt) const {
  auto found = live_.find(task);
  return found != live_.end()
         && (found->second.first.attempt == attempt
             || (found->second.second
                 && found->second.second->attempt == attempt));
}

bool TaskSet::wants_second(int task) const {
  auto found = live_.find(task);
  return found != live_.end() && found->second.wants_second;
}

const FailurePlaces* TaskSet::failure_places(int task) const {
  auto found = failed_.find(task);
  return found == failed_.end() ? nullptr : &found->second.places;
}

// -- begins -------------------------------------------------------------------

int TaskSet::begin_attempt(int task, int exec_id) {
  auto& x = task_at(task);
  assert(x.state == State::pending);
  x.state = State::running;
  auto attempt = static_cast<int>(x.attempts++);
  live_.emplace(task, LiveTask{{attempt, exec_id}, std::nullopt, false});
  return attempt;
}

int TaskSet::begin(int task, int exec_id) {
  assert(!pending_.contains(task));
  return begin_attempt(task, exec_id);
}

TaskSet::Begun TaskSet::begin_retry(std::size_t index, int exec_id) {
  auto task = retries_[index].task;
  retries_.erase(retries_.begin() + static_cast<std::ptrdiff_t>(index));
  return {task, begin_attempt(task, exec_id)};
}

void TaskSet::want_second(int task) {
  auto& live = live_.at(task);
  assert(!live.second);
  live.wants_second = true;
}

void TaskSet::want_no_second() {
  for (auto& [task, live] : live_)
    live.wants_second = false;
}

int TaskSet::begin_second(int task, int exec_id) {
  auto& live = live_.at(task);
  assert(!live.second);
  live.wants_second = false;
  auto attempt = static_cast<int>(task_at(task).attempts++);
  live.second = Live{attempt, exec_id};
  return attempt;
}

// -- ends ---------------------------------------------------------------------

bool TaskSet::end_attempt(int task, int attempt) {
  assert(is_live(task, attempt));
  auto found = live_.find(task);
  auto& live = found->second;
  if (!live.second) {
    live_.erase(found);
    return true;
  }
  if (live.first.attempt == attempt)
    live.first = *live.second;
  live.second.reset();
  return false;
}

int TaskSet::count_failure(Task& x) {
  if (x.failures < std::numeric_limits<std::uint8_t>::max())
    ++x.failures;
  failures_ = std::max<int>(failures_, x.failures);
  return x.failures;
}

void TaskSet::make_pending(int task) {
  task_at(task).state = State::pending;
  auto failed = failed_.find(task);
  if (failed == failed_.end())
    pending_.add(task, places_.of(task));
  else
    retries_.push_back({task, failed->second.retry_elsewhere_until});
}

std::optional<TaskSet::Live> TaskSet::finish(int task, int attempt) {
  assert(is_live(task, attempt));
  auto live = live_.extract(task).mapped();
  failed_.erase(task);
  task_at(task).state = State::done;
  ++done_;
  return live.first.attempt == attempt ? live.second
                                       : std::optional{live.first};
}

void TaskSet::give_back(int task, int attempt) {
  if (end_attempt(task, attempt))
    make_pending(task);
}

int TaskSet::give_back_lost(int task, int attempt) {
  auto& x = task_at(task);
  x.lost_executors
      = static_cast<std::uint8_t>(std::min<int>(x.lost_executors + 1, 63) & 63);
  give_back(task, attempt);
  return x.lost_executors;
}

int TaskSet::fail(int task, int attempt, int exec_id, const std::string& host,
                  Instant retry_elsewhere_until) {
  auto& failed = failed_[task];
  failed.places.add(exec_id, host);
  failed.retry_elsewhere_until = retry_elsewhere_until;
  if (end_attempt(task, attempt))
    make_pending(task);
  return count_failure(task_at(task));
}

int TaskSet::note_full_disk(int task, const WorkerId& worker) {
  return failed_[task].places.add_full(worker);
}

int TaskSet::fail_for_full_disk(int task, int attempt, bool counts,
                                Instant wait_until) {
  failed_.at(task).retry_elsewhere_until = wait_until;
  if (end_attempt(task, attempt))
    make_pending(task);
  auto& x = task_at(task);
  return counts ? count_failure(x) : x.failures;
}

void TaskSet::redo(int task) {
  auto& x = task_at(task);
  assert(x.state == State::done);
  x.state = State::pending;
  --done_;
  pending_.add(task, places_.of(task));
}

std::vector<std::pair<int, TaskSet::Live>> TaskSet::give_back_all() {
  std::vector<std::pair<int, Live>> result;
  for (const auto& [task, live] : std::exchange(live_, {})) {
    result.emplace_back(task, live.first);
    if (live.second)
      result.emplace_back(task, *live.second);
    make_pending(task);
  }
  return result;
}

} // namespace stoker
