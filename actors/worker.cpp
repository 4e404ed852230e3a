#include "actors/worker.hpp"

#include <cerrno>
#include <filesystem>
#include <type_traits>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/failure.hpp"
#include "actors/worker_files.hpp"
#include "messages/caf_error.hpp"
#include "process/open_files.hpp"

namespace stoker {

namespace {

void apply(WorkerSelf self, const WorkerEvent& event);

/// As a shell reports it: the command does not exist, or cannot be executed; or, as env(1)
/// does, its directory cannot be entered.
std::optional<int> exit_status_of(const process::CouldNotStart& x) {
  constexpr int no_directory = 125;
  if (x.in_directory)
    return no_directory;
  switch (x.error) {
  case ENOENT:
  case ENOTDIR:
    return 127;
  case EACCES:
  case ENOEXEC:
  case EISDIR:
  case E2BIG:
  case ELOOP:
  case ENAMETOOLONG:
    return 126;
  default:
    return std::nullopt;
  }
}

WorkerEvent to_event(const ProgramId& id, const process::Report& report) {
  struct Translator {
    const ProgramId& id;

    WorkerEvent operator()(const process::Started&) const {
      return ProcessStarted{id};
    }
    WorkerEvent operator()(const process::CouldNotStart& x) const {
      return ProcessFailed{id, x.message, exit_status_of(x)};
    }
    WorkerEvent operator()(const process::Ended& x) const {
      return ProcessEnded{id, x.exit_code, x.signal, x.use, x.ago};
    }
    WorkerEvent operator()(const process::SupervisorLost& x) const {
      return ProcessLost{id, x.message};
    }
  };
  return std::visit(Translator{id}, report);
}

/// Carries out effects. All side effects of this actor are in this class.
class WorkerInterpreter {
public:
  explicit WorkerInterpreter(WorkerSelf self) : self_(self) {
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
    self->request(master, defaults::master_answer_timeout, y)
        .then([self, answered](bool) { apply(self, answered); },
              // The worker repeats the report by itself.
              [](const caf::error&) {});
  }

  void operator()(const StartProcess& x) const {
    const auto& config = self_->state.logic->config();
    process::LaunchSpec spec;
    auto key = to_string(x.id);
    spec.title = key;
    spec.arguments = x.command.arguments;
    spec.environment = x.command.environment;
    add_output_environment(x.id, spec.environment);
    spec.directory = x.directory;
    spec.program_directory = x.program_directory;
    spec.files = x.files;
    spec.working_directory = x.command.working_directory;
    spec.working_directory_required = x.command.working_directory_required;
    spec.orphan_grace = config.orphan_grace;
    spec.kill_grace = config.kill_grace;
    spec.log_bytes_max = config.log_bytes_max;
    spec.log_files = config.log_files;
    spec.open_files_max = process::open_files_limit_before();
    spec.spark_worker_port = x.command.spark.has_value();
    spec.input = x.reads_input;
    if (x.keep_output)
      spec.kept_output = {0, 0};
    spdlog::info("[program-starting] program={}", key);
    auto status = remember(x.record);
    if (status && !x.command.files.empty())
      return start_with_files(self_, x.id, x.command.files, std::move(spec));
    if (const auto& spark = x.command.spark;
        status && spark && !spark->jar.empty())
      return start_with_jar(self_, x.id, spark->jar, std::move(spec));
    if (status)
      status = self_->state.monitor->start(key, spec);
    if (!status) {
      const auto& why = status.error().message;
      // Not at once: the worker is in the middle of a step.
      self_->send(self_, WorkerInternal{ProcessFailed{x.id, why, {}}});
    }
  }

  void operator()(const EndProcess& x) const {
    stop_waiting_for_files(self_, x.id);
    self_->state.monitor->end(to_string(x.id));
  }

  void operator()(const AdoptProcess& x) const {
    // Not at once: the worker is in the middle of a step.
    if (!self_->state.monitor->adopt(to_string(x.id), x.directory))
      return self_->send(self_, WorkerInternal{ProcessNotFound{x.id}});
    if (std::holds_alternative<DriverId>(x.id))
      self_->send(self_->state.output, OutputAdopted{x.id});
  }

  void operator()(const RememberProgram& x) const {
    if (auto status = remember(x.record); !status)
      spdlog::warn(
          "[program-not-recorded] a restarted worker would not know it: {}",
          status.error().message);
  }

  void operator()(const ForgetProgram& x) const {
    if (self_->state.identity)
      self_->state.identity->forget(to_string(x.id));
  }

  void operator()(const RememberLeaving&) const {
    if (!self_->state.identity)
      return;
    if (auto status = self_->state.identity->remember_leaving(); !status)
      spdlog::warn(
          "[program-not-recorded] a restarted worker would not know it: {}",
          status.error().message);
  }

  void operator()(const FindAbandoned&) const {
    if (self_->state.identity)
      self_->send(self_,
                  WorkerInternal{self_->state.identity->take_abandoned()});
  }

  void operator()(const RemoveDirectory& x) const {
    self_->state.remover->remove(x.path);
  }

  void operator()(const ServeOutputs& x) const {
    if (!self_->state.outputs)
      return;
    if (auto served = self_->state.outputs->serve(x.app, x.secret); !served)
      spdlog::error("[outputs-not-served] app={}: {}", x.app.value,
                    served.error().message);
  }

  void operator()(const OutputWriterEnded& x) const {
    if (self_->state.outputs)
      self_->state.outputs->writer_ended(x.id);
  }

  void operator()(const StopServingOutputs& x) const {
    if (self_->state.outputs)
      self_->state.outputs->stop_serving(x.app);
  }

  void operator()(const WorkerWakeAt& x) const {
    self_->scheduled_send(self_, self_->state.clock->at(x.when),
                          WorkerInternal{WorkerTick{}});
  }

  void operator()(const StopWorker& x) const {
    self_->state.connection->leave();
    // Supervisors that still end a program do so without us.
    self_->state.monitor->wait_until_empty(
        self_->state.logic->config().kill_grace
        + defaults::supervisors_timeout);
    self_->state.remover->finish(defaults::removal_timeout);
    if (self_->state.outputs)
      std::exchange(self_->state.outputs, nullptr)->give_up();
    if (self_->state.identity)
      self_->state.identity->give_up();
    caf::anon_send_exit(self_->state.output, caf::exit_reason::user_shutdown);
    end_fetcher(self_);
    caf::anon_send_exit(self_->state.input, caf::exit_reason::user_shutdown);
    self_->state.on_end(x);
    self_->quit();
  }

private:
  void add_output_environment(
      const ProgramId& id,
      std::map<std::string, std::string>& environment) const {
    if (const auto* executor = std::get_if<ExecutorId>(&id);
        executor != nullptr && self_->state.outputs)
      environment.merge(self_->state.outputs->environment_of(executor->app_id));
  }

  [[nodiscard]] Status remember(const ProgramRecord& x) const {
    return self_->state.identity ? self_->state.identity->remember(x)
                                 : Status{};
  }

  WorkerSelf self_;
};

void carry_out(WorkerSelf self, const WorkerEffects& effects) {
  for (const auto& effect : effects)
    std::visit(WorkerInterpreter{self}, effect);
}

void apply(WorkerSelf self, const WorkerEvent& event) {
  auto& state = self->state;
  carry_out(self, state.logic->step(state.clock->now(), event));
}

/// Returns whether the worker is registered with the sender now.
bool hear(WorkerSelf self, LeaderEpoch epoch, const MessageToWorker& message) {
  auto& state = self->state;
  auto origin = state.connection->origin(epoch);
  carry_out(self, state.logic->hear(state.clock->now(), origin, message));
  const auto& link = state.logic->link();
  return link.is_registered() && link.is_present(origin);
}

/// What has become of the connection, or of an attempt at one.
void report(WorkerSelf self, const ConnectionEvent& event) {
  const auto& link = self->state.logic->link();
  if (const auto* failed = std::get_if<MasterConnectionFailed>(&event);
      failed != nullptr && link.is_new_failure(*failed))
    spdlog::warn("[master-unreachable] {}; trying again", failed->reason);
  if (const auto* broken = std::get_if<MasterDisconnected>(&event);
      broken != nullptr && link.is_present(*broken) && link.breaks() == 0)
    spdlog::warn("[master-disconnected] {}", connection_broke);
  std::visit([self](const auto& x) { apply(self, x); }, event);
}

/// Asks another actor of this worker. Not delegated: nobody else is to know that one.
template <class Answer, class Target, class Question>
caf::result<Answer> ask_own(WorkerSelf self, const Target& target,
                            Question&& question) {
  auto promise = self->make_response_promise<Answer>();
  self->request(target, caf::infinite, std::forward<Question>(question))
      .then(
          [promise](Answer& y) mutable { promise.deliver(std::move(y)); },
          [promise](caf::error& e) mutable { promise.deliver(std::move(e)); });
  return promise;
}

caf::result<OutputResponse> read_output(WorkerSelf self,
                                        const RequestOutput& x) {
  auto& state = self->state;
  for (const auto& id : x.taken) {
    apply(self, OutputTaken{id});
    self->send(state.output, OutputHasBeenTaken{id});
  }
  ReadOutput question{x, {}};
  for (const auto& position : x.positions)
    question.sources.push_back(state.logic->find_output(position));
  return ask_own<OutputResponse>(self, state.output, std::move(question));
}

template <class Event>
using IsEnd = std::disjunction<
    std::is_same<Event, ProcessFailed>, std::is_same<Event, ProcessEnded>,
    std::is_same<Event, ProcessLost>, std::is_same<Event, ProcessNotFound>>;

/// Whether the application of an executor reads its output.
bool is_read(WorkerSelf self, const ProgramId& id) {
  if (!std::holds_alternative<ExecutorId>(id))
    return false;
  auto source = self->state.logic->find_output(about<OutputPosition>(id));
  return source && source->waits;
}

/// How much an executor has written for an application that reads it.
template <class Event>
std::int64_t unread_output(WorkerSelf self, const Event& x) {
  if constexpr (std::is_same_v<Event, ProcessEnded>)
    if (x.use && is_read(self, x.id))
      return x.use->output_bytes;
  return 0;
}

/// Those who read the program's output may wait for this.
template <class Event>
void tell_readers(WorkerSelf self, const Event& x) {
  const auto& output = self->state.output;
  if constexpr (std::is_same_v<Event, ProcessStarted>)
    self->send(output, OutputStarted{x.id, is_read(self, x.id)});
  else if constexpr (IsEnd<Event>::value)
    self->send(output, OutputEnded{x.id, unread_output(self, x)});
}

// -- the log ------------------------------------------------------------------

void log_end(const ProcessEnded& x) {
  spdlog::info("[program-ended] program={} {}={}", to_string(x.id),
               x.signal ? "signal" : "code",
               x.signal ? *x.signal : x.exit_code.value_or(0));
}
void log_end(const ProcessFailed& x) {
  spdlog::error("[program-not-started] program={} message=\"{}\"",
                to_string(x.id), x.message);
}
void log_end(const ProcessLost& x) {
  spdlog::warn("[program-ended] program={} message=\"{}\"", to_string(x.id),
               x.message);
}
template <class Other>
void log_end(const Other&) {
}

} // namespace

WorkerActor::behavior_type worker(WorkerSelf self, WorkerConfig config,
                                  ConnectorActor connector,
                                  process::MonitorConfig supervisor,
                                  std::function<void(const StopWorker&)> on_end,
                                  std::shared_ptr<WorkerIdentity> identity,
                                  std::shared_ptr<WorkerOutputs> outputs) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.logic.emplace(std::move(config));
  state.connection.emplace(
      self, std::move(connector),
      [self](const ConnectionEvent& x) { report(self, x); });
  state.on_end = std::move(on_end);
  state.identity = std::move(identity);
  state.outputs = std::move(outputs);
  auto listener = [handle = WorkerActor{self}.address()](
                      const std::string& key, const process::Report& report) {
    auto id = parse_program_id(key);
    auto target = caf::actor_cast<WorkerActor>(handle);
    if (id && target)
      caf::anon_send(target, WorkerInternal{to_event(*id, report)});
  };
  state.remover = std::make_unique<DirectoryRemover>(
      [identity = state.identity,
       work_directory = state.logic->config().work_directory](
          const std::filesystem::path& path, const std::error_code& error) {
        if (error)
          return spdlog::warn("[directory-not-removed] cannot remove {}: {}",
                              path.string(), error.message());
        if (identity && path.parent_path() == work_directory)
          identity->forget_directory(path.filename());
      });
  state.monitor = std::make_shared<process::Monitor>(std::move(supervisor),
                                                     std::move(listener));
  state.output = self->spawn<caf::linked>(
      output, state.logic->config().log_bytes_max,
      state.logic->config().log_files,
      [monitor = state.monitor](const OutputToKeep& x) {
        monitor->keep_output(to_string(x.id), {x.out, x.err, x.paused});
      });
  state.input = self->spawn<caf::linked>(
      input, [monitor = state.monitor](const WriteInput& x,
                                       process::Monitor::InputListener taken) {
        monitor->write_input(to_string(x.executor), x.offset, x.data, x.end,
                             std::move(taken));
      });
  // Before any master is told what there is.
  if (state.identity) {
    auto found = state.identity->found();
    if (state.outputs)
      found.outputs = state.outputs->found();
    self->send(self, WorkerInternal{std::move(found)});
  }
  find_kept_files(self);
  self->send(self, WorkerInternal{WorkerStarted{}});
  auto heard
      = [self](LeaderEpoch from, const auto& x) { return hear(self, from, x); };
  return {
      [=](LeaderEpoch from, const RegisteredWorker& x) {
        if (heard(from, x))
          spdlog::info("[master-registered] registered with {}", x.master_url);
      },
      [=](LeaderEpoch from, const RegisterWorkerFailed& x) { heard(from, x); },
      [=](LeaderEpoch from, const MasterInStandby& x) { heard(from, x); },
      [=](LeaderEpoch from, const ReconnectWorker& x) { heard(from, x); },
      [=](LeaderEpoch from, const DecommissionWorker& x) {
        const auto& logic = *self->state.logic;
        if (heard(from, x) && logic.serves_shuffles())
          spdlog::info("[shuffle-awaited] applications fetch from this "
                       "worker's shuffle service: it leaves when they have "
                       "ended, after {} s at most",
                       std::chrono::duration_cast<std::chrono::seconds>(
                           logic.config().decommission_timeout)
                           .count());
      },
      [=](LeaderEpoch from, const MasterChanged& x) {
        if (heard(from, x))
          spdlog::info("[master-changed] {} leads now", x.master_url);
      },
      [=](LeaderEpoch from, const LaunchExecutor& x) { heard(from, x); },
      [=](LeaderEpoch from, const KillExecutor& x) { heard(from, x); },
      [=](LeaderEpoch from, const ApplicationFinished& x) {
        heard(from, x);
        self->send(self->state.output, OutputReaderLeft{x.id});
      },
      [=](LeaderEpoch from, const LaunchDriver& x) { heard(from, x); },
      [=](LeaderEpoch from, const KillDriver& x) {
        heard(from, x);
        // One that paused ends without a process.
        self->send(self->state.output, OutputEnded{x.driver_id, 0});
      },
      [self](const RequestOutput& x) { return read_output(self, x); },
      [self](const WriteInput& x) {
        return ask_own<InputResponse>(self, self->state.input, x);
      },
      [self](const WorkerInternal& x) {
        std::visit([](const auto& y) { log_end(y); }, x.event);
        apply(self, x.event);
        std::visit([self](const auto& y) { tell_readers(self, y); }, x.event);
      },
      [self](const FetchFilePart& x) { return ask_for_file(self, x); },
      [self](const FilesPlaced& x) { on_files_placed(self, x); },
  };
}

} // namespace stoker
