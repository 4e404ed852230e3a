#include "executor/task_queue.hpp"

#include <algorithm>
#include <utility>

namespace stoker::executor {

TaskQueue::Needs TaskQueue::needs_of(const TaskAttempt& id) const {
  auto found = stages_.find(id.stage);
  return found == stages_.end() ? Needs{} : found->second;
}

void TaskQueue::forget(StageId stage) {
  stages_.erase(stage);
  for (auto i = held_.lower_bound({stage, 0});
       i != held_.end() && i->first.first == stage; i = held_.erase(i))
    for (const auto& task : i->second)
      ended(task.id);
}

void TaskQueue::add(LaunchTask task) {
  waiting_.push_back(std::move(task));
}

void TaskQueue::hold(LaunchTask task) {
  auto needs = needs_of(task.id);
  begun_.emplace(task.id, needs);
  count(needs, 1);
  held_[{task.id.stage, task.id.attempt}].push_back(std::move(task));
}

std::vector<TaskAttempt> TaskQueue::release(StageId stage, int attempt) {
  std::vector<TaskAttempt> result;
  auto held = held_.extract({stage, attempt});
  if (!held)
    return result;
  for (auto& task : held.mapped()) {
    result.push_back(task.id);
    released_.push_back(std::move(task));
  }
  return result;
}

bool TaskQueue::may_wait_at_slots(Needs needs) const {
  auto of_other_kind = needs.kind == TaskKind::program
                           ? functions_
                           : static_cast<int>(begun_.size()) - functions_;
  // The slots would begin them on the cores of those that are held.
  return needs.cores == 1 && with_several_cores_ == 0 && of_other_kind == 0
         && held_.empty() && begun_.size() < ahead_max;
}

void TaskQueue::count(Needs needs, int by) {
  used_cores_ += by * needs.cores;
  with_several_cores_ += needs.cores > 1 ? by : 0;
  functions_ += needs.kind == TaskKind::function ? by : 0;
}

std::optional<LaunchTask> TaskQueue::next() {
  if (!released_.empty()) {
    auto result = std::move(released_.front());
    released_.pop_front();
    return result;
  }
  if (waiting_.empty())
    return std::nullopt;
  auto needs = needs_of(waiting_.front().id);
  if (!may_wait_at_slots(needs) && used_cores_ + needs.cores > cores_)
    return std::nullopt;
  auto result = std::move(waiting_.front());
  waiting_.pop_front();
  begun_.emplace(result.id, needs);
  count(needs, 1);
  return result;
}

void TaskQueue::ended(const TaskAttempt& id) {
  if (auto found = begun_.extract(id))
    count(found.mapped(), -1);
}

bool TaskQueue::take_held(const TaskAttempt& id) {
  auto held = held_.find({id.stage, id.attempt});
  if (held == held_.end() || std::erase_if(held->second, [&](const auto& x) {
                               return x.id == id;
                             }) == 0)
    return false;
  if (held->second.empty())
    held_.erase(held);
  ended(id);
  return true;
}

bool TaskQueue::take(const TaskAttempt& id) {
  if (take_held(id))
    return true;
  auto found = std::find_if(waiting_.begin(), waiting_.end(),
                            [&](const auto& x) { return x.id == id; });
  if (found == waiting_.end())
    return false;
  waiting_.erase(found);
  return true;
}

std::vector<TaskAttempt> TaskQueue::take_back(std::size_t count_max) {
  std::vector<TaskAttempt> result;
  while (result.size() < count_max && !waiting_.empty()) {
    result.push_back(waiting_.back().id);
    waiting_.pop_back();
  }
  return result;
}

} // namespace stoker::executor
