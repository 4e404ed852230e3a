#include "executor/barrier_tasks.hpp"

#include <algorithm>

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

BarrierTasks::Attempt* BarrierTasks::find(const TaskAttempt& task) {
  auto found = attempts_.find(attempt_of(task));
  return found != attempts_.end() && found->second.tasks.contains(task.task)
             ? &found->second
             : nullptr;
}

BarrierArrived BarrierTasks::take_held(const AttemptId& id, Attempt& x) {
  x.held_bytes = 0;
  return {id.first, id.second, std::exchange(x.held, {})};
}

void BarrierTasks::tell(BarrierArrived x) const {
  if (!x.arrivals.empty())
    tell_(std::move(x));
}

void BarrierTasks::begin(const TaskAttempt& task, Messages hosts,
                         std::uint16_t port) {
  std::lock_guard guard{mutex_};
  auto& x = attempts_[attempt_of(task)];
  x.hosts = std::move(hosts);
  x.port = port;
  x.tasks.try_emplace(task.task);
}

std::map<std::string, std::string>
BarrierTasks::environment(const TaskAttempt& task) {
  std::lock_guard guard{mutex_};
  const auto* found = find(task);
  if (found == nullptr)
    return {};
  const auto& hosts = *found->hosts;
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
          {"MASTER_PORT", std::to_string(found->port)}};
}

void BarrierTasks::end(const TaskAttempt& task) {
  Done waits;
  BarrierArrived arrived;
  {
    std::lock_guard guard{mutex_};
    auto* found = find(task);
    if (found == nullptr)
      return;
    auto id = attempt_of(task);
    waits = std::move(found->tasks.extract(task.task).mapped().waits);
    found->waiting -= waits ? 1 : 0;
    // All that are left.
    if (found->waiting == found->tasks.size())
      arrived = take_held(id, *found);
    if (found->tasks.empty())
      attempts_.erase(id);
  }
  // Not under the lock: it may call.
  if (waits)
    waits(is_to_end());
  tell(std::move(arrived));
}

void BarrierTasks::end_all() {
  Attempts attempts;
  {
    std::lock_guard guard{mutex_};
    attempts.swap(attempts_);
  }
  for (auto& [id, attempt] : attempts)
    for (auto& [number, task] : attempt.tasks)
      if (task.waits)
        task.waits(is_to_end());
}

void BarrierTasks::tell_held() {
  std::vector<BarrierArrived> arrived;
  {
    std::lock_guard guard{mutex_};
    asked_for_call_ = false;
    for (auto& [id, attempt] : attempts_)
      arrived.push_back(take_held(id, attempt));
  }
  for (auto& x : arrived)
    tell(std::move(x));
}

void BarrierTasks::passed(BarrierPassed x) {
  std::vector<Done> waited;
  {
    std::lock_guard guard{mutex_};
    auto found = attempts_.find({x.stage, x.attempt});
    if (found == attempts_.end())
      return;
    auto& attempt = found->second;
    auto go_on = [&](Task& task) {
      if (task.epoch != x.epoch || !task.waits)
        return;
      waited.push_back(std::exchange(task.waits, nullptr));
      --attempt.waiting;
      if (x.error.empty())
        ++task.epoch;
    };
    if (x.tasks.empty())
      for (auto& [number, task] : attempt.tasks)
        go_on(task);
    for (auto number : x.tasks)
      if (auto task = attempt.tasks.find(number); task != attempt.tasks.end())
        go_on(task->second);
  }
  if (!x.error.empty()) {
    for (const auto& done : waited)
      done(Error{Errc::failed, x.error});
    return;
  }
  auto messages
      = std::make_shared<const std::vector<std::string>>(std::move(x.messages));
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
  auto* found = find(task);
  if (found == nullptr) {
    lock.unlock();
    return done(is_unknown(task));
  }
  auto& caller = found->tasks[task.task];
  if (caller.waits) {
    lock.unlock();
    return done(Error{Errc::invalid_request,
                      "task " + std::to_string(task.task)
                          + " waits at a barrier already: a task comes to one "
                            "barrier after the other"});
  }
  caller.waits = std::move(done);
  ++found->waiting;
  // What a connection does not take as one message is several.
  BarrierArrived before;
  if (found->held_bytes + message.size() > barrier_messages_max)
    before = take_held(attempt_of(task), *found);
  found->held_bytes += message.size();
  found->held.push_back({task.task, caller.epoch, call, std::move(message)});
  BarrierArrived arrived;
  auto asks = false;
  if (found->waiting == found->tasks.size())
    arrived = take_held(attempt_of(task), *found);
  else
    asks = !std::exchange(asked_for_call_, true);
  lock.unlock();
  tell(std::move(before));
  tell(std::move(arrived));
  if (asks)
    ask_for_call_();
}

Result<BarrierPort::Messages> BarrierTasks::addresses(const TaskAttempt& task) {
  std::lock_guard guard{mutex_};
  const auto* found = find(task);
  if (found == nullptr)
    return is_unknown(task);
  return found->hosts;
}

} // namespace stoker::executor
