#include "actors/executor.hpp"

#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

namespace {

using ExecutorSelf = ExecutorActor::stateful_pointer<ExecutorActorState>;

void begin_tasks(ExecutorSelf self);

/// Several ends that come at once are one message.
void flush_soon(ExecutorSelf self) {
  if (!std::exchange(self->state.flush_is_due, true))
    self->send(self, ExecutorFlush{});
}

void flush(ExecutorSelf self) {
  auto& state = self->state;
  state.flush_is_due = false;
  StatusUpdates news;
  news.exec_id = state.news.exec_id;
  std::swap(news, state.news);
  self->send(state.driver, std::move(news));
}

void tell_end(ExecutorSelf self, TaskStatus status) {
  self->state.queue->ended(status.id);
  self->state.news.ended.push_back(std::move(status));
  flush_soon(self);
  begin_tasks(self);
}

/// Begins what there is room for.
void begin_tasks(ExecutorSelf self) {
  auto& state = self->state;
  while (auto task = state.queue->next()) {
    auto program = state.stages->prepare(*task);
    auto added = program ? state.slots->add(task->id, *std::move(program))
                         : Status{std::move(program).error()};
    if (!added)
      return tell_end(self,
                      executor::StageTasks::failed(task->id, added.error()));
  }
}

void kill(ExecutorSelf self, const KillTask& x) {
  auto& state = self->state;
  if (state.queue->take(x.id)) {
    TaskStatus status;
    status.id = x.id;
    status.state = TaskState::KILLED;
    tell_end(self, std::move(status));
  } else {
    state.slots->kill(x.id, x.reason);
  }
}

void give_back(ExecutorSelf self, int count) {
  auto& state = self->state;
  auto& returned = state.news.returned.emplace(
      state.queue->take_back(static_cast<std::size_t>(count)));
  auto left = static_cast<std::size_t>(count) - returned.size();
  for (const auto& id : state.slots->take_back(left)) {
    state.queue->ended(id);
    state.stages->drop(id);
    returned.push_back(id);
  }
  flush_soon(self);
}

void stop(ExecutorSelf self, const std::string& why) {
  auto& state = self->state;
  if (!state.slots)
    return;
  // Its threads send what nobody reads any more.
  state.slots->stop(why);
  state.slots.reset();
  std::exchange(state.on_end, nullptr)(why);
  self->quit();
}

} // namespace

ExecutorActor::behavior_type
executor_actor(ExecutorSelf self, executor::ExecutorIdentity identity,
               const ApplicationSecret& secret, TaskSchedulerActor driver,
               std::function<void(const std::string& why)> on_end) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.driver = std::move(driver);
  state.on_end = std::move(on_end);
  state.news.exec_id = identity.exec_id;
  RegisterExecutor registration{identity.exec_id, identity.worker_id,
                                identity.host, identity.cores,
                                identity.outputs};
  state.queue = std::make_unique<executor::TaskQueue>(identity.cores);
  executor::TaskSlotsConfig slots;
  slots.slots = identity.cores;
  slots.queue_max = executor::TaskQueue::ahead_max;
  state.stages
      = std::make_shared<executor::StageTasks>(std::move(identity), secret);
  auto listener
      = [handle = ExecutorActor{self}.address(), stages = state.stages](
            const TaskAttempt& task, const executor::TaskEvent& event) {
          const auto* end = std::get_if<executor::TaskEnd>(&event);
          if (end == nullptr)
            return;
          if (auto target = caf::actor_cast<ExecutorActor>(handle))
            caf::anon_send(target, TaskEnded{stages->status_of(task, *end)});
        };
  state.slots
      = std::make_unique<executor::TaskSlots>(slots, std::move(listener));
  self->set_down_handler([self](const caf::down_msg&) {
    stop(self, "the connection to the driver broke");
  });
  self->monitor(state.driver);
  self->send(state.driver, std::move(registration));
  return {
      [self](const DescribeStage& x) {
        self->state.stages->know(x);
        self->state.queue->know(x.stage, x.cores);
      },
      [self](const StageOutputs& x) { self->state.stages->know(x); },
      [self](LaunchTasks& x) {
        for (auto& task : x.tasks)
          self->state.queue->add(std::move(task));
        begin_tasks(self);
      },
      [self](const KillTask& x) { kill(self, x); },
      [self](const ReturnTasks& x) { give_back(self, x.count); },
      [self](const ForgetStages& x) {
        for (auto stage : x.stages) {
          self->state.stages->forget(stage);
          self->state.queue->forget(stage);
        }
      },
      [self](const StopExecutor& x) { stop(self, x.reason); },
      [self](TaskEnded& x) { tell_end(self, std::move(x.status)); },
      [self](const ExecutorFlush&) { flush(self); },
  };
}

} // namespace stoker
