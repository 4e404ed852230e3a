#include "executor/task_queue.hpp"

#include <algorithm>
#include <utility>

namespace stoker::executor {

int TaskQueue::cores_of(const TaskAttempt& id) const {
  auto found = stages_.find(id.stage);
  return found == stages_.end() ? 1 : found->second;
}

void TaskQueue::add(LaunchTask task) {
  waiting_.push_back(std::move(task));
}

std::optional<LaunchTask> TaskQueue::next() {
  if (waiting_.empty())
    return std::nullopt;
  auto cores = cores_of(waiting_.front().id);
  // There are as many slots as cores.
  auto may_wait_there
      = cores == 1 && with_several_cores_ == 0 && begun_.size() < ahead_max;
  if (!may_wait_there && used_cores_ + cores > cores_)
    return std::nullopt;
  auto result = std::move(waiting_.front());
  waiting_.pop_front();
  begun_.emplace(result.id, cores);
  used_cores_ += cores;
  with_several_cores_ += cores > 1 ? 1 : 0;
  return result;
}

void TaskQueue::ended(const TaskAttempt& id) {
  auto found = begun_.extract(id);
  if (!found)
    return;
  used_cores_ -= found.mapped();
  with_several_cores_ -= found.mapped() > 1 ? 1 : 0;
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
