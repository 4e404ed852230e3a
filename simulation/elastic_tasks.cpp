#include "simulation/elastic_tasks.hpp"

#include <utility>

namespace stoker::simulation {

namespace {

constexpr int failing_percent = 4;

} // namespace

ElasticTasks::ElasticTasks(Dice dice, int slots, Tell tell, Later later,
                           Stop stop)
    : dice_(dice), slots_(static_cast<std::size_t>(slots)),
      tell_(std::move(tell)), later_(std::move(later)), stop_(std::move(stop)) {
}

// -- stages -------------------------------------------------------------------

void ElasticTasks::submit(int tasks, Duration longest) {
  StageId id{next_stage_++};
  stages_[id] = {longest, tasks};
  for (auto number = 0; number < tasks; ++number)
    waiting_.push_back({id, number, 0});
  StageSubmitted submitted{{id, 0}, tasks, {}};
  if (dice_.chance(20))
    submitted.locality = {tasks, {{"worker-0", tasks}}};
  say(std::move(submitted));
  assign();
  flush();
}

void ElasticTasks::cancel() {
  for (const auto& task : std::exchange(waiting_, {})) {
    auto i = stages_.find(task.stage);
    if (i == stages_.end())
      continue;
    stages_.erase(i);
    say(StageEnded{{task.stage, 0}});
  }
  flush();
}

// -- executors ----------------------------------------------------------------

void ElasticTasks::add_executor(int exec_id) {
  if (lost_.contains(exec_id) || executors_.contains(exec_id))
    return;
  auto& executor = executors_[exec_id];
  say(ExecutorJoined{exec_id});
  if (drained_.contains(exec_id))
    let_leave(exec_id, executor);
  assign();
  flush();
}

void ElasticTasks::lose_executor(int exec_id) {
  lost_.insert(exec_id);
  auto executor = executors_.extract(exec_id);
  if (executor.empty())
    return;
  for (auto& [id, task] : executor.mapped().tasks) {
    --running_;
    say(TaskOver{id, TaskOutcome::failed});
    wait_again(task);
  }
  say(ExecutorLeft{exec_id});
  assign();
  flush();
}

void ElasticTasks::drain(int exec_id) {
  if (auto i = executors_.find(exec_id); i != executors_.end())
    let_leave(exec_id, i->second);
  else
    drained_.insert(exec_id);
}

std::vector<int>
ElasticTasks::let_idle_leave(const std::vector<int>& exec_ids) {
  std::vector<int> result;
  for (auto exec_id : exec_ids) {
    auto i = executors_.find(exec_id);
    if (i == executors_.end() || !i->second.tasks.empty())
      continue;
    let_leave(exec_id, i->second);
    result.push_back(exec_id);
  }
  return result;
}

void ElasticTasks::let_leave(int exec_id, Executor& x) {
  x.leaves = true;
  if (x.tasks.empty())
    stop_(exec_id);
}

// -- tasks --------------------------------------------------------------------

void ElasticTasks::assign() {
  for (auto& [number, executor] : executors_) {
    auto exec_id = number;
    while (!executor.leaves && executor.tasks.size() < slots_
           && !waiting_.empty()) {
      auto task = waiting_.front();
      waiting_.pop_front();
      TaskAttempt id{task.stage, task.number, task.attempt};
      executor.tasks.emplace(id, task);
      ++running_;
      say(TaskBegan{id, 0, exec_id, false});
      later_(dice_.lasting(Duration{1}, stages_.at(task.stage).longest),
             [=, this] { end(id, exec_id); });
    }
  }
}

void ElasticTasks::end(const TaskAttempt& id, int exec_id) {
  auto i = executors_.find(exec_id);
  if (i == executors_.end())
    return;
  auto task = i->second.tasks.extract(id);
  if (task.empty())
    return;
  --running_;
  if (dice_.chance(failing_percent)) {
    say(TaskOver{id, TaskOutcome::failed});
    wait_again(task.mapped());
  } else {
    ++done_;
    say(TaskOver{id, TaskOutcome::succeeded});
    auto stage = stages_.find(id.stage);
    if (stage != stages_.end() && --stage->second.unfinished == 0) {
      stages_.erase(stage);
      say(StageEnded{{id.stage, 0}});
    }
  }
  if (i->second.leaves && i->second.tasks.empty())
    stop_(exec_id);
  assign();
  flush();
}

/// Unless its stage was cancelled.
void ElasticTasks::wait_again(Task task) {
  ++task.attempt;
  if (stages_.contains(task.stage))
    waiting_.push_back(task);
}

// -- what the manager hears ---------------------------------------------------

void ElasticTasks::say(AllocationEvent event) {
  news_.push_back(std::move(event));
}

void ElasticTasks::flush() {
  if (auto news = std::exchange(news_, {}); !news.empty())
    tell_(std::move(news));
}

} // namespace stoker::simulation
