#include "actors/task_scheduler.hpp"

#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/barrier_coordinator.hpp"
#include "actors/failure.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

namespace {

using TaskSchedulerSelf
    = TaskSchedulerActor::stateful_pointer<TaskSchedulerState>;

/// Carries out effects. All side effects of this actor are in this class.
class TaskSchedulerInterpreter {
public:
  explicit TaskSchedulerInterpreter(TaskSchedulerSelf self) : self_(self) {
  }

  void operator()(const TellStage& x) const {
    tell(x.exec_id, host().describe(x.stage));
  }
  void operator()(const TellOutputs& x) const {
    tell(x.exec_id, *x.outputs);
  }
  void operator()(const StartTasks& x) const {
    LaunchTasks message;
    message.tasks.reserve(x.tasks.size());
    for (const auto& id : x.tasks)
      message.tasks.push_back(host().describe(id));
    tell(x.exec_id, std::move(message));
  }
  void operator()(const EndTask& x) const {
    tell(x.exec_id, KillTask{x.id, x.reason});
  }
  void operator()(const AskForTasks& x) const {
    tell(x.exec_id, ReturnTasks{x.count});
  }
  void operator()(const DropStages& x) const {
    for (const auto& [exec_id, executor] : self_->state.executors)
      self_->send(executor, ForgetStages{x.stages});
    host().hear(x);
  }
  void operator()(const FetchResult& x) const {
    auto handle = TaskSchedulerActor{self_};
    host().fetch(x, [handle, id = x.id](std::string error) {
      caf::anon_send(
          handle, TaskSchedulerInternal{ResultFetched{id, std::move(error)}});
    });
  }
  void operator()(const AcceptResult& x) const {
    // Not at once: the scheduler is in the middle of a step.
    if (auto taken = host().accept(x); !taken) {
      self_->state.refused.emplace(x.job, taken.error().message);
      self_->send(self_,
                  TaskSchedulerInternal{JobCancelled{
                      x.job, taken.error().message, JobOutcome::failed}});
    }
  }
  void operator()(JobEnded x) const {
    // The result of its last task ends a job in the same step.
    if (auto refused = self_->state.refused.extract(x.job);
        refused && x.outcome == JobOutcome::succeeded) {
      x.outcome = JobOutcome::failed;
      x.why = std::move(refused.mapped());
    }
    host().hear(std::move(x));
  }
  void operator()(const ExecutorDrained& x) const {
    tell(x.exec_id, StopExecutor{"it is not needed any more"});
  }
  void operator()(const ExecutorKept&) const {
  }
  void operator()(const ExecutorSilent& x) const {
    // If it goes on after all, it ends.
    tell(x.exec_id, StopExecutor{"it has said nothing for too long"});
    self_->state.executors.erase(x.exec_id);
    host().hear(x);
  }
  /// Who asks for executors hears of the load.
  void operator()(const SecondAttemptWanted&) const {
  }
  void operator()(const BarrierAttemptBegun& x) const {
    auto& state = self_->state;
    const auto& jobs = state.scheduler->state();
    BarrierAttemptConfig config;
    config.stage = x.stage;
    config.attempt = x.attempt;
    config.name = jobs.stages.at(x.stage).spec.name;
    config.exec_ids = x.exec_ids;
    config.sync_timeout = jobs.config.barrier.sync_timeout;
    std::map<int, ExecutorActor> executors;
    for (auto exec_id : x.exec_ids) {
      config.hosts.push_back(jobs.executors.find(exec_id)->host);
      if (auto found = state.executors.find(exec_id);
          found != state.executors.end())
        executors.insert(*found);
    }
    state.coordinators[{x.stage, x.attempt}] = self_->spawn(
        barrier_coordinator, std::move(config), std::move(executors));
    host().hear(x);
  }
  void operator()(const BarrierTaskFinished& x) const {
    auto found = self_->state.coordinators.find({x.id.stage, x.id.attempt});
    if (found != self_->state.coordinators.end())
      self_->send(found->second, BarrierFinished{x.id.task});
  }
  void operator()(const BarrierAttemptEnded& x) const {
    if (auto over = self_->state.coordinators.extract({x.stage, x.attempt}))
      self_->send(over.mapped(), BarrierOver{});
  }
  void operator()(const JobsWakeAt& x) const {
    self_->scheduled_send(self_, self_->state.clock->at(x.when),
                          TaskSchedulerInternal{JobsTick{}});
  }
  template <class News>
  void operator()(const News& x) const {
    host().hear(x);
  }

private:
  [[nodiscard]] JobsHost& host() const {
    return *self_->state.host;
  }

  template <class Message>
  void tell(int exec_id, Message&& x) const {
    auto found = self_->state.executors.find(exec_id);
    if (found != self_->state.executors.end())
      self_->send(found->second, std::forward<Message>(x));
  }

  TaskSchedulerSelf self_;
};

void make_step(TaskSchedulerSelf self, const JobsEvent& event) {
  auto& state = self->state;
  auto now = state.clock->now();
  state.reporter.before(now, event);
  auto effects = state.scheduler->step(now, event);
  if (state.log && !state.log->append(now, event, effects))
    spdlog::error("[message-log-lost] {}; it ends here, and the job goes on "
                  "without",
                  state.log->problem());
  for (const auto& effect : effects) {
    state.reporter.hear(now, effect);
    std::visit(TaskSchedulerInterpreter{self}, effect);
  }
  for (auto& x : state.load_subscribers)
    if (auto changes = x.load.after(event, effects, state.scheduler->state());
        !changes.empty())
      x.sink(changes);
  state.host->stepped(state.scheduler->state());
  auto next = state.reporter.after(now, state.scheduler->state());
  if (next.report)
    state.host->report(*std::move(next.report));
  if (next.again)
    self->scheduled_send(self, state.clock->at(*next.again),
                         TaskSchedulerInternal{JobsTick{}});
}

/// Of attempts that are over nobody waits for an answer: their tasks are told to end.
template <class Message>
void pass_on(TaskSchedulerSelf self, StageId stage, int attempt, Message&& x) {
  auto found = self->state.coordinators.find({stage, attempt});
  if (found != self->state.coordinators.end())
    self->send(found->second, std::forward<Message>(x));
}

bool stop(TaskSchedulerSelf self, const StopTaskScheduler& x) {
  auto& state = self->state;
  for (const auto& [attempt, coordinator] : state.coordinators)
    self->send(coordinator, BarrierOver{});
  for (const auto& [exec_id, executor] : state.executors)
    self->send(executor, StopExecutor{x.reason});
  if (auto report = state.reporter.stop(state.clock->now(),
                                        state.scheduler->state(), x.reason))
    state.host->report(*std::move(report));
  self->quit();
  return true;
}

void subscribe(TaskSchedulerSelf self, const SubscribeToLoad& x) {
  auto& state = self->state;
  auto& subscriber = state.load_subscribers.emplace_back();
  subscriber.sink = x.sink;
  x.sink(subscriber.load.begin(state.scheduler->state()));
}

/// Nothing is assigned in between, so that no task is lost with them.
std::vector<int> let_idle_leave(TaskSchedulerSelf self, const LetIdleLeave& x) {
  std::vector<int> result;
  for (auto exec_id : x.exec_ids) {
    const auto* executor
        = self->state.scheduler->state().executors.find(exec_id);
    if (executor == nullptr || !executor->assigned.empty())
      continue;
    result.push_back(exec_id);
    make_step(self, DecommissionExecutor{exec_id, "it is not needed"});
  }
  return result;
}

/// An executor that says who it is for the first time.
void admit(TaskSchedulerSelf self, const RegisterExecutor& x) {
  auto& state = self->state;
  auto sender = caf::actor_cast<caf::strong_actor_ptr>(self->current_sender());
  if (!sender
      || !state.executors
              .emplace(x.exec_id, caf::actor_cast<ExecutorActor>(sender))
              .second)
    return;
  self->monitor(sender);
  state.numbers.emplace(sender->address(), x.exec_id);
  self->send(state.executors.at(x.exec_id),
             RegisteredExecutor{
                 state.scheduler->state().config.heartbeats.interval.count()});
  make_step(self, x);
  // One that was to leave before it came.
  const auto* executor = state.scheduler->state().executors.find(x.exec_id);
  if (executor != nullptr && executor->leaves_since)
    TaskSchedulerInterpreter{self}(ExecutorDrained{x.exec_id});
}

/// Whoever it was may have been replaced.
void lose(TaskSchedulerSelf self, const caf::actor_addr& address) {
  auto number = self->state.numbers.extract(address);
  if (!number)
    return;
  self->state.executors.erase(number.mapped());
  make_step(self, ExecutorDisconnected{number.mapped()});
}

} // namespace

TaskSchedulerActor::behavior_type
task_scheduler(TaskSchedulerSelf self, JobsConfig config,
               std::shared_ptr<JobsHost> host,
               std::shared_ptr<TaskLogWriter> log) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.scheduler.emplace(std::move(config));
  state.host = std::move(host);
  state.log = std::move(log);
  self->set_down_handler(
      [self](const caf::down_msg& x) { lose(self, x.source); });
  return {
      [self](const RegisterExecutor& x) { admit(self, x); },
      [self](const ExecutorHeartbeat& x) { make_step(self, x); },
      [self](StatusUpdates& x) { make_step(self, std::move(x)); },
      [self](const BarrierTasksReady& x) {
        pass_on(self, x.stage, x.attempt, x);
      },
      [self](BarrierArrived& x) {
        pass_on(self, x.stage, x.attempt, std::move(x));
      },
      [self](const TaskSchedulerInternal& x) { make_step(self, x.event); },
      [self](const SubscribeToLoad& x) { subscribe(self, x); },
      [self](const LetIdleLeave& x) { return let_idle_leave(self, x); },
      [self](const StopTaskScheduler& x) { return stop(self, x); },
  };
}

} // namespace stoker
