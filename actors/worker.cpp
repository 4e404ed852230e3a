#include "actors/worker.hpp"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/patience.hpp"
#include "messages/caf_error.hpp"
#include "process/log_reader.hpp"

namespace stoker {

namespace {

using WorkerSelf = WorkerActor::stateful_pointer<WorkerActorState>;

/// One answer carries no more, whatever is asked.
constexpr std::int64_t log_limit = 256 * 1024;

void apply(WorkerSelf self, const WorkerEvent& event, LeaderEpoch from = {});

/// As a shell reports it: the command does not exist, or cannot be executed.
std::optional<int> exit_status_of(const process::CouldNotStart& x) {
  switch (x.error) {
  case ENOENT:
  case ENOTDIR:
    return 127;
  case EACCES:
  case ENOEXEC:
  case EISDIR:
    return 126;
  default:
    return std::nullopt;
  }
}

WorkerEvent to_event(const std::string& key, const process::Report& report) {
  struct Translator {
    const std::string& key;

    WorkerEvent operator()(const process::Started&) const {
      return ProcessStarted{key};
    }
    WorkerEvent operator()(const process::CouldNotStart& x) const {
      return ProcessFailed{key, x.message, exit_status_of(x)};
    }
    WorkerEvent operator()(const process::Ended& x) const {
      return ProcessEnded{key, x.exit_code, x.signal};
    }
    WorkerEvent operator()(const process::SupervisorLost& x) const {
      return ProcessLost{key, x.message};
    }
  };
  return std::visit(Translator{key}, report);
}

/// Carries out effects. All side effects of this actor are in this class.
class WorkerInterpreter {
public:
  explicit WorkerInterpreter(WorkerSelf self) : self_(self) {
  }

  void operator()(const ConnectToMaster& x) const {
    auto self = self_;
    leave_master();
    auto connection = ++self->state.connection;
    self->request(self->state.connector, connect_patience, x)
        .then(
            [self, connection](const caf::strong_actor_ptr& found) {
              if (connection != self->state.connection)
                return;
              self->state.master = caf::actor_cast<MasterActor>(found);
              self->monitor(self->state.master);
              apply(self, MasterConnected{});
            },
            [self, connection](const caf::error& e) {
              if (connection != self->state.connection)
                return;
              auto reason = self->system().render(e);
              if (!std::exchange(self->state.told_of_search, true))
                spdlog::warn("{}; trying again", reason);
              apply(self, MasterConnectionFailed{reason});
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
    self->request(self->state.master, master_patience, y)
        .then(
            [self, id = y.app_id, exec_id = y.exec_id, state = y.state](bool) {
              apply(self, StateAcknowledged{id, exec_id, state});
            },
            // The worker says it again by itself.
            [](const caf::error&) {});
  }

  void operator()(const StartProcess& x) const {
    const auto& config = self_->state.logic->config();
    process::LaunchSpec spec;
    spec.title = x.key;
    spec.arguments = x.command.arguments;
    spec.environment = x.command.environment;
    spec.directory = x.directory;
    spec.working_directory = x.command.working_directory;
    spec.orphan_grace = config.orphan_grace;
    spec.kill_grace = config.kill_grace;
    spdlog::info("starting {}", x.key);
    auto status = remember(x.record);
    if (status)
      status = self_->state.monitor->start(x.key, spec);
    if (!status) {
      const auto& why = status.error().message;
      spdlog::error("cannot start {}: {}", x.key, why);
      // Not at once: the worker is in the middle of a step.
      self_->send(self_, WorkerInternal{ProcessFailed{x.key, why, {}}});
    }
  }

  void operator()(const EndProcess& x) const {
    self_->state.monitor->end(x.key);
  }

  void operator()(const AdoptProcess& x) const {
    // Not at once: the worker is in the middle of a step.
    if (!self_->state.monitor->adopt(x.key, x.directory))
      self_->send(self_, WorkerInternal{ProcessNotFound{x.key}});
  }

  void operator()(const RememberProgram& x) const {
    if (auto status = remember(x.record); !status)
      spdlog::warn("a restarted worker would not know it: {}",
                   status.error().message);
  }

  void operator()(const ForgetProgram& x) const {
    if (self_->state.identity)
      self_->state.identity->forget(x.key);
  }

  void operator()(const RememberLeaving&) const {
    if (!self_->state.identity)
      return;
    if (auto status = self_->state.identity->remember_leaving(); !status)
      spdlog::warn("a restarted worker would not know it: {}",
                   status.error().message);
  }

  void operator()(const FindAbandoned&) const {
    if (self_->state.identity)
      self_->send(self_,
                  WorkerInternal{self_->state.identity->take_abandoned()});
  }

  void operator()(const RemoveDirectory& x) const {
    std::filesystem::path path{x.path};
    if (self_->state.identity
        && path.parent_path() == self_->state.logic->config().work_directory)
      self_->state.identity->forget_directory(path.filename());
    std::error_code error;
    std::filesystem::remove_all(x.path, error);
    if (error)
      spdlog::warn("cannot remove {}: {}", x.path, error.message());
  }

  void operator()(const WorkerWakeAt& x) const {
    self_->scheduled_send(self_, self_->state.clock->at(x.when),
                          WorkerInternal{WorkerTick{}});
  }

  void operator()(const StopWorker& x) const {
    leave_master();
    // Supervisors that still end a program do so without us.
    self_->state.monitor->wait_until_empty(
        self_->state.logic->config().kill_grace + std::chrono::seconds{2});
    if (self_->state.identity)
      self_->state.identity->give_up();
    self_->state.on_end(x.error);
    self_->quit();
  }

private:
  [[nodiscard]] Status remember(const ProgramRecord& x) const {
    return self_->state.identity ? self_->state.identity->remember(x)
                                 : Status{};
  }

  void leave_master() const {
    if (!self_->state.master)
      return;
    self_->demonitor(self_->state.master.address());
    self_->state.master = nullptr;
  }

  WorkerSelf self_;
};

void apply(WorkerSelf self, const WorkerEvent& event, LeaderEpoch from) {
  auto& state = self->state;
  for (const auto& effect : state.logic->step(state.clock->now(), event, from))
    std::visit(WorkerInterpreter{self}, effect);
}

/// Whether the present message is the word of the master that this worker is
/// connected to, and not of one that it has left.
bool comes_from_master(WorkerSelf self) {
  const auto& master = self->state.master;
  return master
         && self->current_sender()
                == caf::actor_cast<caf::strong_actor_ptr>(master);
}

void hear(WorkerSelf self, const WorkerEvent& event, LeaderEpoch from) {
  if (comes_from_master(self))
    apply(self, event, from);
}

caf::result<LogResponse> read_log(WorkerSelf self, const RequestLog& x) {
  auto directory = self->state.logic->log_directory(x);
  if (!directory)
    return caf::make_error(Errc::invalid_request, std::string{"not an id"});
  auto stream
      = x.standard_error ? process::LogStream::err : process::LogStream::out;
  auto limit = std::clamp<std::int64_t>(x.limit, 0, log_limit);
  auto result = process::read_log(*directory, stream, x.offset,
                                  static_cast<std::size_t>(limit));
  if (!result && self->state.logic->has(x))
    return LogResponse{};
  if (!result)
    return to_caf_error(result.error());
  return LogResponse{std::move(result->data), result->offset, result->end};
}

} // namespace

WorkerActor::behavior_type
worker(WorkerSelf self, WorkerConfig config, ConnectorActor connector,
       process::MonitorConfig supervisor,
       std::function<void(const std::string& error)> on_end,
       std::shared_ptr<WorkerIdentity> identity) {
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.logic.emplace(std::move(config));
  state.connector = std::move(connector);
  state.on_end = std::move(on_end);
  state.identity = std::move(identity);
  auto listener = [handle = WorkerActor{self}.address()](
                      const std::string& key, const process::Report& report) {
    if (auto target = caf::actor_cast<WorkerActor>(handle))
      caf::anon_send(target, WorkerInternal{to_event(key, report)});
  };
  state.monitor = std::make_unique<process::Monitor>(std::move(supervisor),
                                                     std::move(listener));
  self->set_down_handler([self](const caf::down_msg& x) {
    if (!self->state.master || x.source != self->state.master.address())
      return;
    spdlog::warn("the connection to the master broke");
    self->state.master = nullptr;
    apply(self, MasterDisconnected{});
  });
  // Before any master is told what there is.
  if (state.identity)
    self->send(self, WorkerInternal{state.identity->found()});
  self->send(self, WorkerInternal{WorkerStarted{}});
  return {
      [self](LeaderEpoch from, const RegisteredWorker& x) {
        if (!comes_from_master(self))
          return;
        spdlog::info("registered with {}", x.master_url);
        self->state.told_of_search = false;
        apply(self, x, from);
      },
      [self](LeaderEpoch from, const RegisterWorkerFailed& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const MasterInStandby& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const ReconnectWorker& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const DecommissionWorker& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const MasterChanged& x) {
        if (!comes_from_master(self))
          return;
        spdlog::info("{} leads now", x.master_url);
        self->state.told_of_search = false;
        apply(self, x, from);
      },
      [self](LeaderEpoch from, const LaunchExecutor& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const KillExecutor& x) { hear(self, x, from); },
      [self](LeaderEpoch from, const ApplicationFinished& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const LaunchDriver& x) { hear(self, x, from); },
      [self](LeaderEpoch from, const KillDriver& x) { hear(self, x, from); },
      [self](const RequestLog& x) { return read_log(self, x); },
      [self](const WorkerInternal& x) { apply(self, x.event); },
  };
}

} // namespace stoker
