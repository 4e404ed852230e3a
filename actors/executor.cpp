#include "actors/executor.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"
#include "network/free_port.hpp"

namespace stoker {

namespace {

using executor::FunctionLaunch;
using executor::TaskKind;
using ExecutorSelf = ExecutorActor::stateful_pointer<ExecutorActorState>;

/// How long ends of functions wait for others at most, while others follow.
constexpr std::chrono::milliseconds batch_time{1};

/// Several ends that come at once are one message.
void flush_soon(ExecutorSelf self) {
  if (!std::exchange(self->state.flush_is_due, true))
    self->send(self, ExecutorFlush{});
}

void flush(ExecutorSelf self) {
  auto& state = self->state;
  state.flush_is_due = false;
  if (state.news.ended.empty() && !state.news.returned)
    return;
  state.flushed_at = self->clock().now();
  StatusUpdates news;
  news.exec_id = state.news.exec_id;
  std::swap(news, state.news);
  self->send(state.driver, std::move(news));
}

/// At once if nobody has been told for long, or no other end follows.
void flush_in_batches(ExecutorSelf self) {
  auto& state = self->state;
  auto next = state.flushed_at + batch_time;
  if (self->clock().now() >= next || state.function_slots->is_idle())
    flush(self);
  else if (!std::exchange(state.flush_is_due, true))
    self->scheduled_send(self, next, ExecutorFlush{});
}

void note_end(ExecutorSelf self, TaskStatus status) {
  self->state.queue->ended(status.id);
  self->state.barriers->end(status.id);
  self->state.news.ended.push_back(std::move(status));
}

// -- slots --------------------------------------------------------------------

executor::TaskSlots& program_slots(ExecutorSelf self) {
  auto& state = self->state;
  if (state.program_slots)
    return *state.program_slots;
  state.programs = std::make_shared<executor::StageTasks>(state.stages);
  executor::TaskSlotsConfig config;
  config.slots = state.stages->executor().cores;
  config.queue_max = executor::TaskQueue::ahead_max;
  auto listener
      = [handle = ExecutorActor{self}.address(), programs = state.programs](
            const TaskAttempt& task, const executor::TaskEvent& event) {
          const auto* end = std::get_if<executor::TaskEnd>(&event);
          if (end == nullptr)
            return;
          if (auto target = caf::actor_cast<ExecutorActor>(handle))
            caf::anon_send(target, TaskEnded{programs->status_of(task, *end)});
        };
  state.program_slots
      = std::make_unique<executor::TaskSlots>(config, std::move(listener));
  return *state.program_slots;
}

executor::FunctionSlots& function_slots(ExecutorSelf self) {
  auto& state = self->state;
  if (state.function_slots)
    return *state.function_slots;
  auto news = [handle = ExecutorActor{self}.address()] {
    if (auto target = caf::actor_cast<ExecutorActor>(handle))
      caf::anon_send(target, FunctionsEnded{});
  };
  state.function_slots = std::make_unique<executor::FunctionSlots>(
      state.stages->executor().cores, state.stages, *state.functions,
      std::move(news));
  return *state.function_slots;
}

// -- tasks --------------------------------------------------------------------

using StagePointer = std::shared_ptr<const DescribeStage>;

Status begin_program(ExecutorSelf self, const StagePointer& stage,
                     const LaunchTask& task) {
  auto& slots = program_slots(self);
  auto program = self->state.programs->prepare(stage, task);
  return program ? slots.add(task.id, *std::move(program))
                 : Status{std::move(program).error()};
}

/// Begins what there is room for.
void begin_tasks(ExecutorSelf self) {
  auto& state = self->state;
  std::vector<FunctionLaunch> functions;
  StagePointer stage;
  while (auto task = state.queue->next()) {
    auto id = task->id;
    Status begun;
    if (!stage || stage->stage != id.stage) {
      auto found = state.stages->find(id);
      if (found)
        stage = *std::move(found);
      else
        begun = std::move(found).error();
    }
    if (begun && stage->function)
      functions.push_back({stage, *std::move(task)});
    else if (begun)
      begun = begin_program(self, stage, *task);
    if (!begun) {
      note_end(self, executor::StageTasks::failed(id, begun.error()));
      flush_soon(self);
    }
  }
  if (!functions.empty())
    function_slots(self).add(std::move(functions));
}

void end_program(ExecutorSelf self, TaskStatus status) {
  note_end(self, std::move(status));
  flush_soon(self);
  begin_tasks(self);
}

void end_functions(ExecutorSelf self) {
  auto& state = self->state;
  if (!state.function_slots)
    return;
  for (auto& status : state.function_slots->take_ended())
    note_end(self, std::move(status));
  begin_tasks(self);
  flush_in_batches(self);
}

// -- barrier stages -----------------------------------------------------------

/// How long the driver does not hear of tasks that wait, while others of this executor
/// do not. It says how late an error may be, and keeps nobody who may go on.
constexpr std::chrono::milliseconds hold_time{5};

std::shared_ptr<executor::BarrierTasks> barrier_tasks(ExecutorSelf self) {
  auto handle = ExecutorActor{self}.address();
  auto tell = [handle, driver = self->state.driver](BarrierArrived x) {
    // The driver hears nobody who does not say who it is.
    if (auto executor = caf::actor_cast<ExecutorActor>(handle))
      caf::send_as(executor, driver, std::move(x));
  };
  auto ask_for_call = [handle] {
    if (auto executor = caf::actor_cast<ExecutorActor>(handle))
      caf::delayed_anon_send(executor, hold_time, BarrierFlush{});
  };
  return std::make_shared<executor::BarrierTasks>(std::move(tell),
                                                  std::move(ask_for_call));
}

/// Tasks that begin when all executors have theirs.
void hold(ExecutorSelf self, std::vector<LaunchTask> tasks) {
  auto& state = self->state;
  std::map<std::pair<StageId, int>, BarrierTasksReady> ready;
  for (auto& task : tasks) {
    std::pair attempt{task.id.stage, int{task.id.attempt}};
    auto& message = ready[attempt];
    message.stage = task.id.stage;
    message.attempt = task.id.attempt;
    message.exec_id = state.news.exec_id;
    if (task.id.task == 0)
      message.port = free_port("0.0.0.0");
    state.queue->hold(std::move(task));
  }
  for (const auto& [attempt, message] : ready)
    self->send(state.driver, message);
}

void launch(ExecutorSelf self, LaunchTasks x) {
  std::vector<LaunchTask> together;
  for (auto& task : x.tasks) {
    auto stage = self->state.stages->find(task.id);
    if (stage && (*stage)->is_barrier)
      together.push_back(std::move(task));
    else
      self->state.queue->add(std::move(task));
  }
  hold(self, std::move(together));
  begin_tasks(self);
}

void begin_held(ExecutorSelf self, const BarrierTasksMayBegin& x) {
  auto& state = self->state;
  auto hosts = std::make_shared<const std::vector<std::string>>(x.hosts);
  for (const auto& id : state.queue->release(x.stage, x.attempt))
    state.barriers->begin(id, hosts, x.port);
  begin_tasks(self);
}

// -- ends ---------------------------------------------------------------------

void kill(ExecutorSelf self, const KillTask& x) {
  auto& state = self->state;
  state.barriers->end(x.id);
  if (state.queue->take(x.id)) {
    TaskStatus status;
    status.id = x.id;
    status.state = TaskState::KILLED;
    end_program(self, std::move(status));
    return;
  }
  if (state.program_slots && state.program_slots->kill(x.id, x.reason))
    return;
  if (state.function_slots)
    state.function_slots->kill(x.id);
}

void give_back(ExecutorSelf self, int count) {
  auto& state = self->state;
  auto wanted = static_cast<std::size_t>(count);
  auto& returned = state.news.returned.emplace(state.queue->take_back(wanted));
  auto take_from = [&](auto& slots) {
    for (const auto& id : slots.take_back(wanted - returned.size())) {
      state.queue->ended(id);
      state.barriers->end(id);
      returned.push_back(id);
    }
  };
  if (state.function_slots)
    take_from(*state.function_slots);
  if (state.program_slots) {
    auto first = returned.size();
    take_from(*state.program_slots);
    for (; first < returned.size(); ++first)
      state.programs->drop(returned[first]);
  }
  flush_soon(self);
}

// -- heartbeats ---------------------------------------------------------------

/// It says so again and again from now on.
void say_that_it_is_there(ExecutorSelf self) {
  auto& state = self->state;
  self->send(state.driver, ExecutorHeartbeat{state.news.exec_id});
  self->delayed_send(self, *state.heartbeat_interval, SendHeartbeat{});
}

/// Having registered counts as the first one.
void begin_heartbeats(ExecutorSelf self, const RegisteredExecutor& x) {
  auto& interval = self->state.heartbeat_interval;
  if (interval || x.heartbeat_ms <= 0)
    return;
  interval.emplace(x.heartbeat_ms);
  self->delayed_send(self, *interval, SendHeartbeat{});
}

// -- the end ------------------------------------------------------------------

void stop(ExecutorSelf self, const std::string& why) {
  auto& state = self->state;
  if (!state.on_end)
    return;
  ExecutorStopped stopped{why};
  state.barriers->end_all();
  // Both at once. Their threads send what nobody reads any more.
  if (state.function_slots)
    state.function_slots->tell_to_stop();
  if (state.program_slots)
    state.program_slots->stop(why);
  if (state.function_slots)
    stopped.functions_hang = !state.function_slots->stop(function_grace);
  state.program_slots.reset();
  if (state.programs)
    state.programs->close_barriers();
  state.function_slots.reset();
  std::exchange(state.on_end, nullptr)(stopped);
  self->quit();
}

} // namespace

ExecutorActor::behavior_type
executor_actor(ExecutorSelf self, executor::ExecutorIdentity identity,
               const ApplicationSecret& secret, TaskSchedulerActor driver,
               const executor::TaskFunctions* functions,
               std::function<void(const ExecutorStopped&)> on_end) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.driver = std::move(driver);
  state.functions = functions;
  state.on_end = std::move(on_end);
  state.news.exec_id = identity.exec_id;
  RegisterExecutor registration{identity.exec_id, identity.worker_id,
                                identity.host, identity.cores,
                                identity.outputs};
  state.queue = std::make_unique<executor::TaskQueue>(identity.cores);
  state.barriers = barrier_tasks(self);
  state.stages = std::make_shared<executor::StageTable>(std::move(identity),
                                                        secret, state.barriers);
  self->set_down_handler([self](const caf::down_msg&) {
    stop(self, "the connection to the driver broke");
  });
  self->monitor(state.driver);
  self->send(state.driver, std::move(registration));
  return {
      [self](const RegisteredExecutor& x) { begin_heartbeats(self, x); },
      [self](const DescribeStage& x) {
        self->state.stages->know(x);
        self->state.queue->know(x.stage, x.cores,
                                x.function ? TaskKind::function
                                           : TaskKind::program);
      },
      [self](const StageOutputs& x) { self->state.stages->know(x); },
      [self](LaunchTasks& x) { launch(self, std::move(x)); },
      [self](const KillTask& x) { kill(self, x); },
      [self](const ReturnTasks& x) { give_back(self, x.count); },
      [self](const ForgetStages& x) {
        for (auto stage : x.stages) {
          self->state.stages->forget(stage);
          self->state.queue->forget(stage);
        }
        begin_tasks(self);
      },
      [self](const StopExecutor& x) { stop(self, x.reason); },
      [self](const BarrierTasksMayBegin& x) { begin_held(self, x); },
      [self](BarrierPassed& x) { self->state.barriers->passed(std::move(x)); },
      [self](TaskEnded& x) { end_program(self, std::move(x.status)); },
      [self](const FunctionsEnded&) { end_functions(self); },
      [self](const ExecutorFlush&) { flush(self); },
      [self](const BarrierFlush&) { self->state.barriers->tell_held(); },
      [self](const SendHeartbeat&) { say_that_it_is_there(self); },
  };
}

} // namespace stoker
