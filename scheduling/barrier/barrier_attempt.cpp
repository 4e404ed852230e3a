#include "scheduling/barrier/barrier_attempt.hpp"

#include <cassert>
#include <map>

namespace stoker {

namespace {

BarrierSyncConfig sync_config(const BarrierAttemptConfig& x) {
  assert(!x.exec_ids.empty() && x.exec_ids.size() == x.hosts.size());
  BarrierSyncConfig result;
  result.tasks = static_cast<int>(x.exec_ids.size());
  result.timeout = x.sync_timeout;
  result.stage = "barrier stage '" + x.name + "' (attempt "
                 + std::to_string(x.attempt) + ")";
  return result;
}

} // namespace

BarrierAttempt::BarrierAttempt(BarrierAttemptConfig config)
    : config_(std::move(config)), sync_(sync_config(config_)),
      not_ready_(config_.exec_ids.begin(), config_.exec_ids.end()) {
}

TellBarriers BarrierAttempt::ready(const BarrierTasksReady& x) {
  if (not_ready_.erase(x.exec_id) == 0)
    return {};
  if (x.exec_id == config_.exec_ids.front())
    port_ = x.port;
  if (!not_ready_.empty())
    return {};
  TellBarriers result;
  BarrierTasksMayBegin begin{config_.stage, config_.attempt, config_.hosts,
                             port_};
  for (auto exec_id :
       std::set<int>{config_.exec_ids.begin(), config_.exec_ids.end()})
    result.push_back({exec_id, begin});
  return result;
}

TellBarriers BarrierAttempt::arrive(Instant now, const BarrierArrived& x) {
  if (x.id.task < 0
      || static_cast<std::size_t>(x.id.task) >= config_.exec_ids.size())
    return {};
  return tell(sync_.arrive(now, {x.id.task, x.epoch, x.call, x.message}));
}

TellBarriers BarrierAttempt::task_finished(int task) {
  return tell(sync_.task_ended(task));
}

TellBarriers BarrierAttempt::look(Instant now) {
  return tell(sync_.look(now));
}

TellBarriers BarrierAttempt::tell(const BarrierAnswers& answers) const {
  // All of one step say the same.
  std::map<int, std::vector<std::int32_t>> tasks;
  for (const auto& x : answers)
    tasks[config_.exec_ids[static_cast<std::size_t>(x.task)]].push_back(x.task);
  TellBarriers result;
  for (auto& [exec_id, of_it] : tasks) {
    const auto& answer = answers.front();
    BarrierPassed passed{
        config_.stage, config_.attempt, answer.epoch, std::move(of_it), {},
        answer.error};
    if (answer.messages)
      passed.messages = *answer.messages;
    result.push_back({exec_id, std::move(passed)});
  }
  return result;
}

} // namespace stoker
