#include "tools/benchmark/returning_worker.hpp"

#include <utility>

#include "messages/caf_error.hpp"

namespace stoker::benchmark {

namespace {

using Self = WorkerActor::stateful_pointer<ReturningWorkerState>;

/// For connections and answers: thousands of these workers share one connector
/// and one master.
constexpr std::chrono::seconds answer_timeout{60};

void apply(Self self, const WorkerEvent& event);

/// Carries out effects as a worker does, but starts nothing and stores nothing.
class Interpreter {
public:
  explicit Interpreter(Self self) : self_(self) {
  }

  void operator()(const ConnectToMaster& x) const {
    self_->state.connection->open(x);
  }

  void operator()(const SendWorkerMessage& x) const {
    if (const auto& master = self_->state.connection->master())
      std::visit([&](const auto& y) { self_->send(master, y); }, x.message);
  }

  void operator()(const AskMaster& x) const {
    const auto& master = self_->state.connection->master();
    if (!master)
      return;
    auto self = self_;
    const auto& y = x.message;
    StateAcknowledged answered{{y.app_id, y.exec_id}, y.state};
    self->request(master, answer_timeout, y)
        .then(
            [self, answered](bool) {
              if (answered.state == ExecutorState::RUNNING)
                self->state.tally->executors_running.add();
              apply(self, answered);
            },
            // The worker repeats the report by itself.
            [](const caf::error&) {});
  }

  // Not at once: the worker is in the middle of a step.
  void operator()(const StartProcess& x) const {
    ++self_->state.tally->starts;
    self_->send(self_, WorkerInternal{ProcessStarted{x.id}});
    if (self_->state.tally->programs_end)
      self_->send(self_, WorkerInternal{ProcessEnded{x.id, 0, {}}});
  }
  void operator()(const EndProcess& x) const {
    ++self_->state.tally->ends;
    self_->send(self_, WorkerInternal{ProcessEnded{x.id, 0, {}}});
  }

  void operator()(const WorkerWakeAt& x) const {
    self_->scheduled_send(self_, self_->state.clock->at(x.when),
                          WorkerInternal{WorkerTick{}});
  }

  void operator()(const StopWorker&) const {
    self_->state.connection->leave();
    self_->quit();
  }

  // There is nothing on disk.
  void operator()(const AdoptProcess&) const {
  }
  void operator()(const RememberProgram&) const {
  }
  void operator()(const ForgetProgram&) const {
  }
  void operator()(const ServeOutputs&) const {
  }
  void operator()(const OutputWriterEnded&) const {
  }
  void operator()(const StopServingOutputs&) const {
  }
  void operator()(const RememberLeaving&) const {
  }
  void operator()(const FindAbandoned&) const {
  }
  void operator()(const RemoveDirectory&) const {
  }

private:
  Self self_;
};

void carry_out(Self self, const WorkerEffects& effects) {
  for (const auto& effect : effects)
    std::visit(Interpreter{self}, effect);
}

void apply(Self self, const WorkerEvent& event) {
  auto& state = self->state;
  carry_out(self, state.logic->step(state.clock->now(), event));
}

void hear(Self self, LeaderEpoch epoch, const MessageToWorker& message) {
  auto& state = self->state;
  carry_out(self, state.logic->hear(state.clock->now(),
                                    state.connection->origin(epoch), message));
}

} // namespace

WorkerActor::behavior_type
returning_worker(Self self, const WorkerConfig& config,
                 const ConnectorActor& connector,
                 const std::shared_ptr<ReturnTally>& tally) {
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.logic.emplace(config);
  state.connection.emplace(
      self, connector,
      [self](const ConnectionEvent& x) {
        std::visit([self](const auto& y) { apply(self, y); }, x);
      },
      answer_timeout);
  state.tally = tally;
  self->send(self, WorkerInternal{WorkerStarted{}});
  auto obey = [self](LeaderEpoch from, const auto& x) { hear(self, from, x); };
  auto told = [self](LeaderEpoch from, const auto& x) {
    hear(self, from, x);
    self->state.tally->workers_told.add(self->state.told);
  };
  return {
      [=](LeaderEpoch from, const RegisteredWorker& x) { told(from, x); },
      [=](LeaderEpoch from, const RegisterWorkerFailed& x) { obey(from, x); },
      [=](LeaderEpoch from, const MasterInStandby& x) { obey(from, x); },
      [=](LeaderEpoch from, const ReconnectWorker& x) { obey(from, x); },
      [=](LeaderEpoch from, const DecommissionWorker& x) { obey(from, x); },
      [=](LeaderEpoch from, const MasterChanged& x) { told(from, x); },
      [=](LeaderEpoch from, const LaunchExecutor& x) { obey(from, x); },
      [=](LeaderEpoch from, const KillExecutor& x) { obey(from, x); },
      [=](LeaderEpoch from, const ApplicationFinished& x) { obey(from, x); },
      [=](LeaderEpoch from, const LaunchDriver& x) { obey(from, x); },
      [=](LeaderEpoch from, const KillDriver& x) { obey(from, x); },
      [](const RequestOutput&) { return OutputResponse{}; },
      [](const WriteInput&) { return InputResponse{}; },
      [=](const WorkerInternal& x) { apply(self, x.event); },
      [](const FetchFilePart&) { return FilePart{}; },
      [](const FilesPlaced&) {},
  };
}

} // namespace stoker::benchmark
