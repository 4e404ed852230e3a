#include "executor/task_queue.hpp"

#include <algorithm>
#include <utility>

namespace stoker::executor {

TaskQueue::Needs TaskQueue::needs_of(const TaskAttempt& id) const {
  auto found = stages_.find(id.stage);
  return found == stages_.end() ? Needs{} : found->second;
}

void TaskQueue::add(LaunchTask task) {
  waiting_.push_back(std::move(task));
}

bool TaskQueue::may_wait_at_slots(Needs needs) const {
  auto of_other_kind = needs.kind == TaskKind::program
                           ? functions_
                           : static_cast<int>(begun_.size()) - functions_;
  return needs.cores == 1 && with_several_cores_ == 0 && of_other_kind == 0
         && begun_.size() < ahead_max;
}

void TaskQueue::count(Needs needs, int by) {
  used_cores_ += by * needs.cores;
  with_several_cores_ += needs.cores > 1 ? by : 0;
  functions_ += needs.kind == TaskKind::function ? by : 0;
}

std::optional<LaunchTask> TaskQueue::next() {
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

bool TaskQueue::take(const TaskAttempt& id) {
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
