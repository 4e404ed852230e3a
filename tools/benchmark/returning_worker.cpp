#include "tools/benchmark/returning_worker.hpp"

#include <utility>

#include <caf/actor_cast.hpp>

#include "messages/caf_error.hpp"

namespace stoker::benchmark {

namespace {

using Self = WorkerActor::stateful_pointer<ReturningWorkerState>;

/// For connections and answers. Many workers share one connector.
constexpr std::chrono::seconds patience{60};

void apply(Self self, const WorkerEvent& event, LeaderEpoch from = {});

/// Carries out effects as a worker does, but starts nothing and stores nothing.
class Interpreter {
public:
  explicit Interpreter(Self self) : self_(self) {
  }

  void operator()(const ConnectToMaster& x) const {
    auto self = self_;
    leave_master();
    auto connection = ++self->state.connection;
    self->request(self->state.connector, patience, x)
        .then(
            [self, connection](const caf::strong_actor_ptr& found) {
              if (connection != self->state.connection)
                return;
              self->state.master = caf::actor_cast<MasterActor>(found);
              self->monitor(self->state.master);
              apply(self, MasterConnected{});
            },
            [self, connection](const caf::error& e) {
              if (connection == self->state.connection)
                apply(self, MasterConnectionFailed{self->system().render(e)});
            });
  }

  void operator()(const SendWorkerMessage& x) const {
    if (self_->state.master)
      std::visit([&](const auto& y) { self_->send(self_->state.master, y); },
                 x.message);
  }

  void operator()(const AskMaster& x) const {
    if (!self_->state.master)
      return;
    auto self = self_;
    const auto& y = x.message;
    self->request(self->state.master, patience, y)
        .then(
            [self, id = y.app_id, exec_id = y.exec_id, state = y.state](bool) {
              if (state == ExecutorState::RUNNING)
                self->state.tally->executors_running.add();
              apply(self, StateAcknowledged{id, exec_id, state});
            },
            // The node says it again by itself.
            [](const caf::error&) {});
  }

  // Not at once: the node is in the middle of a step.
  void operator()(const StartProcess& x) const {
    ++self_->state.tally->starts;
    self_->send(self_, WorkerInternal{ProcessStarted{x.key}});
  }
  void operator()(const EndProcess& x) const {
    ++self_->state.tally->ends;
    self_->send(self_, WorkerInternal{ProcessEnded{x.key, 0, {}}});
  }

  void operator()(const WorkerWakeAt& x) const {
    self_->scheduled_send(self_, self_->state.clock->at(x.when),
                          WorkerInternal{WorkerTick{}});
  }

  void operator()(const StopWorker&) const {
    leave_master();
    self_->quit();
  }

  // There is nothing on disk.
  void operator()(const AdoptProcess&) const {
  }
  void operator()(const RememberProgram&) const {
  }
  void operator()(const ForgetProgram&) const {
  }
  void operator()(const RememberLeaving&) const {
  }
  void operator()(const FindAbandoned&) const {
  }
  void operator()(const RemoveDirectory&) const {
  }

private:
  void leave_master() const {
    auto& master = self_->state.master;
    if (!master)
      return;
    self_->demonitor(master.address());
    master = nullptr;
  }

  Self self_;
};

void apply(Self self, const WorkerEvent& event, LeaderEpoch from) {
  auto& state = self->state;
  for (const auto& effect : state.node->step(state.clock->now(), event, from))
    std::visit(Interpreter{self}, effect);
}

} // namespace

WorkerActor::behavior_type
returning_worker(Self self, const WorkerConfig& config,
                 const ConnectorActor& connector,
                 const std::shared_ptr<ReturnTally>& tally) {
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.node.emplace(config);
  state.connector = connector;
  state.tally = tally;
  self->set_down_handler([self](const caf::down_msg& x) {
    if (!self->state.master || x.source != self->state.master.address())
      return;
    self->state.master = nullptr;
    apply(self, MasterDisconnected{});
  });
  self->send(self, WorkerInternal{WorkerStarted{}});
  auto obey = [self](LeaderEpoch from, const auto& x) { apply(self, x, from); };
  auto hear = [self](LeaderEpoch from, const auto& x) {
    apply(self, x, from);
    self->state.tally->workers_told.add(self->state.told);
  };
  return {
      [=](LeaderEpoch from, const RegisteredWorker& x) { hear(from, x); },
      [=](LeaderEpoch from, const RegisterWorkerFailed& x) { obey(from, x); },
      [=](LeaderEpoch from, const MasterInStandby& x) { obey(from, x); },
      [=](LeaderEpoch from, const ReconnectWorker& x) { obey(from, x); },
      [=](LeaderEpoch from, const DecommissionWorker& x) { obey(from, x); },
      [=](LeaderEpoch from, const MasterChanged& x) { hear(from, x); },
      [=](LeaderEpoch from, const LaunchExecutor& x) { obey(from, x); },
      [=](LeaderEpoch from, const KillExecutor& x) { obey(from, x); },
      [=](LeaderEpoch from, const ApplicationFinished& x) { obey(from, x); },
      [=](LeaderEpoch from, const LaunchDriver& x) { obey(from, x); },
      [=](LeaderEpoch from, const KillDriver& x) { obey(from, x); },
      [](const RequestLog&) { return LogResponse{}; },
      [=](const WorkerInternal& x) { apply(self, x.event); },
  };
}

} // namespace stoker::benchmark
