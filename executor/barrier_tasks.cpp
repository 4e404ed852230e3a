#include "executor/barrier_tasks.hpp"

#include <algorithm>
#include <vector>

namespace stoker::executor {

namespace {

Error is_to_end() {
  return Error{Errc::not_running, "the task is to end"};
}

Error is_unknown(const TaskAttempt& task) {
  return Error{Errc::not_running, to_string(task)
                                      + " is no task of a barrier stage, or is "
                                        "to end"};
}

} // namespace

void BarrierTasks::begin(const TaskAttempt& task, Messages hosts,
                         std::uint16_t port) {
  std::lock_guard guard{mutex_};
  auto& x = tasks_[task];
  x.hosts = std::move(hosts);
  x.port = port;
}

std::map<std::string, std::string>
BarrierTasks::environment(const TaskAttempt& task) {
  std::lock_guard guard{mutex_};
  auto found = tasks_.find(task);
  if (found == tasks_.end())
    return {};
  const auto& hosts = *found->second.hosts;
  auto number = static_cast<std::size_t>(task.task);
  auto here = [&](std::size_t end) {
    return std::to_string(std::count(
        hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(end),
        hosts[number]));
  };
  return {{"RANK", std::to_string(number)},
          {"WORLD_SIZE", std::to_string(hosts.size())},
          {"LOCAL_RANK", here(number)},
          {"LOCAL_WORLD_SIZE", here(hosts.size())},
          {"MASTER_ADDR", hosts.front()},
          {"MASTER_PORT", std::to_string(found->second.port)}};
}

void BarrierTasks::end(const TaskAttempt& task) {
  Done waits;
  {
    std::lock_guard guard{mutex_};
    auto found = tasks_.extract(task);
    if (found)
      waits = std::move(found.mapped().waits);
  }
  // Not under the lock: it may call.
  if (waits)
    waits(is_to_end());
}

void BarrierTasks::end_all() {
  std::map<TaskAttempt, Task> tasks;
  {
    std::lock_guard guard{mutex_};
    tasks.swap(tasks_);
  }
  for (auto& [id, task] : tasks)
    if (task.waits)
      task.waits(is_to_end());
}

void BarrierTasks::passed(const BarrierPassed& x) {
  std::vector<Done> waited;
  {
    std::lock_guard guard{mutex_};
    for (auto task : x.tasks) {
      auto found = tasks_.find({x.stage, task, x.attempt});
      if (found == tasks_.end() || found->second.epoch != x.epoch
          || !found->second.waits)
        continue;
      waited.push_back(std::exchange(found->second.waits, nullptr));
      if (x.error.empty())
        ++found->second.epoch;
    }
  }
  if (!x.error.empty()) {
    for (const auto& done : waited)
      done(Error{Errc::failed, x.error});
    return;
  }
  auto messages = std::make_shared<const std::vector<std::string>>(x.messages);
  for (const auto& done : waited)
    done(messages);
}

void BarrierTasks::call(const TaskAttempt& task, BarrierCall call,
                        std::string message, Done done) {
  // It would end this executor's connection to the driver.
  if (message.size() > barrier_messages_max)
    return done(Error{Errc::invalid_request,
                      "the message has more than "
                          + std::to_string(barrier_messages_max) + " bytes"});
  std::unique_lock lock{mutex_};
  auto found = tasks_.find(task);
  if (found == tasks_.end()) {
    lock.unlock();
    return done(is_unknown(task));
  }
  if (found->second.waits) {
    lock.unlock();
    return done(Error{Errc::invalid_request,
                      "task " + std::to_string(task.task)
                          + " waits at a barrier already: a task comes to one "
                            "barrier after the other"});
  }
  found->second.waits = std::move(done);
  BarrierArrived arrived{task, found->second.epoch, call, std::move(message)};
  lock.unlock();
  tell_(std::move(arrived));
}

Result<BarrierPort::Messages> BarrierTasks::addresses(const TaskAttempt& task) {
  std::lock_guard guard{mutex_};
  auto found = tasks_.find(task);
  if (found == tasks_.end())
    return is_unknown(task);
  return found->second.hosts;
}

} // namespace stoker::executor
