#include "scheduling/barrier/barrier_attempt.hpp"

#include <cassert>

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
  return {{{config_.exec_ids.begin(), config_.exec_ids.end()},
           BarrierTasksMayBegin{config_.stage, config_.attempt, config_.hosts,
                                port_}}};
}

TellBarriers BarrierAttempt::arrive(Instant now, BarrierArrived x) {
  TellBarriers result;
  for (auto& arrival : x.arrivals)
    if (arrival.task >= 0
        && static_cast<std::size_t>(arrival.task) < config_.exec_ids.size())
      tell(sync_.arrive(now, std::move(arrival)), result);
  return result;
}

TellBarriers BarrierAttempt::task_finished(int task) {
  return tell(sync_.task_ended(task));
}

TellBarriers BarrierAttempt::look(Instant now) {
  return tell(sync_.look(now));
}

TellBarriers BarrierAttempt::tell(const BarrierAnswers& answers) const {
  TellBarriers result;
  tell(answers, result);
  return result;
}

void BarrierAttempt::tell(const BarrierAnswers& answers,
                          TellBarriers& result) const {
  if (answers.empty())
    return;
  // All of one step say the same.
  const auto& answer = answers.front();
  TellBarrier told;
  BarrierPassed passed{config_.stage, config_.attempt, answer.epoch, {}, {},
                       answer.error};
  auto concerns_all = answers.size() == config_.exec_ids.size();
  for (const auto& x : answers) {
    told.exec_ids.insert(config_.exec_ids[static_cast<std::size_t>(x.task)]);
    if (!concerns_all)
      passed.tasks.push_back(x.task);
  }
  if (answer.messages)
    passed.messages = *answer.messages;
  told.message = std::move(passed);
  result.push_back(std::move(told));
}

} // namespace stoker
