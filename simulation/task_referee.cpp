#include "simulation/task_referee.hpp"

#include <algorithm>
#include <string>

#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

std::string name_of(int exec_id) {
  return "executor " + std::to_string(exec_id);
}

} // namespace

void TaskReferee::begins_together(const BarrierAttemptBegun& x) {
  together_[{x.stage, x.attempt}].exec_ids = x.exec_ids;
}

void TaskReferee::comes(int exec_id, int cores) {
  executors_[exec_id].cores = cores;
}

TaskReferee::Task& TaskReferee::task_at(int exec_id, const TaskAttempt& id) {
  auto& tasks = executors_.at(exec_id).tasks;
  auto found = tasks.find(id);
  if (found == tasks.end())
    fail(name_of(exec_id) + " begins " + to_string(id)
         + ", which it does not have");
  return found->second;
}

void TaskReferee::waits(int exec_id, const TaskAttempt& id, int cores) {
  auto& executor = executors_.at(exec_id);
  executor.tasks[id] = {cores, Place::waits, false};
  executor.waiting.push_back(id);
}

void TaskReferee::holds(int exec_id, const TaskAttempt& id, int cores) {
  auto& attempt = together_[{id.stage, id.attempt}];
  auto number = static_cast<std::size_t>(id.task);
  if (number >= attempt.exec_ids.size() || attempt.exec_ids[number] != exec_id)
    fail(name_of(exec_id) + " holds " + to_string(id)
         + ", which is to be elsewhere");
  attempt.held.insert(id.task);
  executors_.at(exec_id).tasks[id] = {cores, Place::held, true};
  stats_.count("tasks that are held");
}

void TaskReferee::may_run(int exec_id, const TaskAttempt& id) {
  auto& task = task_at(exec_id, id);
  task.place = Place::may_run;
  std::erase(executors_.at(exec_id).waiting, id);
}

void TaskReferee::runs(int exec_id, const TaskAttempt& id) {
  auto& task = task_at(exec_id, id);
  task.place = Place::runs;
  if (!task.is_together)
    return;
  const auto& attempt = together_.at({id.stage, id.attempt});
  if (attempt.held.size() < attempt.exec_ids.size())
    fail(to_string(id)
         + " begins, and other executors do not have theirs of its barrier "
           "stage");
  stats_.count("tasks that begin together");
}

void TaskReferee::leaves(int exec_id, const TaskAttempt& id) {
  auto& executor = executors_.at(exec_id);
  auto task = executor.tasks.extract(id);
  if (!task)
    return;
  std::erase(executor.waiting, id);
  if (task.mapped().place == Place::held)
    stats_.count("tasks that end while they are held");
}

void TaskReferee::ends(int exec_id) {
  executors_.erase(exec_id);
}

void TaskReferee::rests(int exec_id) const {
  const auto& executor = executors_.at(exec_id);
  auto taken = 0;
  auto has_threads = true;
  for (const auto& [id, task] : executor.tasks) {
    if (task.place == Place::held || task.place == Place::runs)
      taken += task.cores;
    if (task.place != Place::may_run)
      continue;
    if (task.is_together)
      fail(to_string(id) + " may begin with the others of its barrier stage, "
           + "and waits at " + name_of(exec_id));
    has_threads = false;
  }
  if (taken > executor.cores)
    fail(name_of(exec_id) + " has " + std::to_string(executor.cores)
         + " cores, and tasks that are held or run take "
         + std::to_string(taken));
  if (executor.waiting.empty() || !has_threads)
    return;
  const auto& next = executor.waiting.front();
  if (executor.tasks.at(next).cores <= executor.cores - taken)
    fail(to_string(next) + " waits at " + name_of(exec_id)
         + ", which has a core for it");
}

bool TaskReferee::has_earlier(int exec_id, const TaskAttempt& of) const {
  auto executor = executors_.find(exec_id);
  return executor != executors_.end()
         && std::any_of(executor->second.tasks.begin(),
                        executor->second.tasks.end(), [&](const auto& x) {
                          return x.first.stage == of.stage
                                 && x.first.attempt != of.attempt;
                        });
}

} // namespace stoker::simulation
