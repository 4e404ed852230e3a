#include "scheduling/jobs/executors.hpp"

#include "scheduling/common/format.hpp"
#include "scheduling/jobs/stages.hpp"
#include "scheduling/jobs/tasks.hpp"

namespace stoker {

namespace {

void lose_executor(JobStep& step, int exec_id, ExecutorLoss loss,
                   const std::string& why) {
  auto& state = step.state;
  const auto* found = state.executors.find(exec_id);
  if (found == nullptr)
    return;
  state.disconnected.erase(exec_id);
  state.silent.forget(exec_id);
  state.leaving.erase(exec_id);
  look_again(state);
  auto executor = *found;
  for (const auto& lost : state.executors.remove(exec_id))
    lose_attempt(step, executor, lost, loss, why);
}

/// Its tasks are lost, and nobody has said that it has ended: it is still to be removed.
void lose_without_end(JobStep& step, int exec_id, ExecutorLoss loss,
                      const std::string& why) {
  auto& state = step.state;
  auto was_leaving = state.executors.find(exec_id)->leaves_since.has_value();
  auto was_told = was_leaving && !state.leaving.contains(exec_id);
  lose_executor(step, exec_id, loss, why);
  if (was_leaving)
    state.drained_unknown.insert(exec_id);
  if (was_leaving && !was_told)
    step.add(ExecutorDrained{exec_id});
}

} // namespace

void look_again(JobsState& state) {
  for (auto id : state.active)
    state.stages.change(id).looked_everywhere = false;
}

void offer_place(JobsState& state, const JobExecutor& executor) {
  for (auto id : state.active) {
    auto& stage = state.stages.change(id);
    auto& waiting = stage.tasks->waiting();
    if (!waiting.wants_process(executor.exec_id)
        && !waiting.wants_host(executor.host))
      continue;
    stage.locality_wait.begin_again();
    stage.looked_everywhere = false;
  }
}

void on(JobStep& step, const RegisterExecutor& x) {
  auto& state = step.state;
  if (state.executors.find(x.exec_id) != nullptr)
    return;
  state.executors.add(x, state.servers.number_of(x));
  if (state.config.heartbeats.interval.count() > 0)
    state.silent.expect(x.exec_id, step.now);
  if (state.drained_unknown.erase(x.exec_id) == 0)
    return offer_place(state, *state.executors.find(x.exec_id));
  state.executors.leave(x.exec_id, step.now, "it was to leave before");
  state.executors.set_drained(x.exec_id);
}

void on(JobStep& step, const ExecutorHeartbeat& x) {
  step.state.silent.hear(x.exec_id, step.now);
}

void on(JobStep& step, const ExecutorDisconnected& x) {
  const auto* found = step.state.executors.find(x.exec_id);
  if (found == nullptr || found->disconnected)
    return;
  step.state.executors.disconnect(x.exec_id, step.now);
  look_again(step.state);
  step.state.disconnected.insert(x.exec_id);
  step.state.silent.forget(x.exec_id);
}

void on(JobStep& step, const ExecutorEnded& x) {
  step.state.silent.ended(x.exec_id);
  lose_executor(step, x.exec_id, x.loss, x.why);
}

void on(JobStep& step, const OutputsGone& x) {
  for (auto server : step.state.servers.of(x.worker_id))
    lose_server(step, server, "its worker was lost");
  step.state.full_disks.forget(x.worker_id);
}

void lose_disconnected(JobStep& step) {
  auto& state = step.state;
  // Losing one takes it out.
  auto disconnected = state.disconnected;
  for (auto exec_id : disconnected) {
    if (*state.executors.find(exec_id)->disconnected
            + state.config.executor_gone_after
        > step.now)
      continue;
    lose_without_end(step, exec_id, ExecutorLoss::from_outside,
                     "its connection broke");
  }
}

void lose_silent(JobStep& step) {
  auto& silent = step.state.silent;
  const auto& config = step.state.config.heartbeats;
  for (auto exec_id : silent.take_silent(config, step.now))
    lose_without_end(step, exec_id, ExecutorLoss::by_itself,
                     "it has said nothing for "
                         + format_duration(config.timeout));
  for (auto exec_id : silent.take_due(config, step.now))
    step.add(ExecutorSilent{exec_id});
}

} // namespace stoker
