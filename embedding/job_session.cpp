#include "embedding/job_session.hpp"

#include <utility>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "embedding/actor_failure.hpp"
#include "embedding/executor_process.hpp"
#include "embedding/session_host.hpp"
#include "messages/task_environment.hpp"
#include "network/new_endpoint.hpp"
#include "scheduling/jobs/executor_end.hpp"

namespace stoker {

namespace {

constexpr std::chrono::seconds leave_timeout{15};

/// What the master says of executors, for whoever hands tasks to them.
std::optional<JobsEvent> event_of(const ApplicationNews& x) {
  if (const auto* updated = std::get_if<ExecutorUpdated>(&x)) {
    if (auto end = end_of(*updated))
      return *end;
    if (updated->state == ExecutorState::DECOMMISSIONED)
      return DecommissionExecutor{updated->id, "its worker leaves"};
  }
  if (const auto* removed = std::get_if<WorkerRemoved>(&x))
    return OutputsGone{removed->id};
  return std::nullopt;
}

} // namespace

class JobSession::Impl {
public:
  Impl(ActorNetwork& network, const ApplicationSecret& secret,
       JobSessionConfig config)
      : config_(std::move(config)), self_(network.system()),
        host_(std::make_shared<SessionHost>(secret, config_.scratch_directory)),
        scheduler_(network.system().spawn(task_scheduler, config_.jobs, host_,
                                          config_.log)) {
    watch(network, scheduler_, "the task scheduler");
  }

  ~Impl() {
    stop_manager();
    stop_scheduler();
    host_->report_to({});
    host_->kill_with({});
    outputs_.reset();
    if (!client_)
      return;
    // Answered once the master has heard, so that this process may end.
    self_->request(client_, leave_timeout, StopAppClient{interrupted, failure})
        .receive([](bool) {}, [](const caf::error&) {});
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status begin(ActorNetwork& network, ConnectorActor connector,
               const ApplicationSecret& secret) {
    // The application has no id before it is registered, and its executors need this
    // address before that.
    auto port
        = network.publish(scheduler_, config_.driver_host, config_.driver_port,
                          Credentials::for_application(driver_name(), secret));
    if (!port)
      return std::move(port).error();
    auto description = config_.application;
    if (config_.brings_output && !description.reads_output)
      description.reads_output = true;
    auto& command = description.command;
    command.arguments = config_.executor_command;
    command.environment[task_environment::driver]
        = to_string(MasterAddress{config_.driver_host, *port});
    command.environment[task_environment::secret] = secret.reveal();
    ApplicationNewsSink manager_hears = [](const ApplicationNews&) {};
    if (config_.allocation) {
      manager_
          = network.system().spawn(allocation_manager, *config_.allocation);
      manager_hears = news_sink(manager_);
      watch(network, manager_, "the allocation manager");
    }
    client_ = network.system().spawn(
        app_client,
        AppClientConfig{std::move(description), new_endpoint("driver"),
                        config_.registration},
        std::move(connector),
        [host = host_, scheduler = scheduler_,
         manager_hears](const ApplicationNews& x) {
          manager_hears(x);
          if (auto event = event_of(x))
            caf::anon_send(scheduler, TaskSchedulerInternal{*std::move(event)});
          if (const auto* connected = std::get_if<ApplicationConnected>(&x))
            host->use(connected->id);
          host->put(x);
        });
    host_->report_to([client = client_](ReportJobs x) {
      caf::anon_send(client, std::move(x));
    });
    host_->kill_with([client = client_](const KillExecutors& x) {
      caf::anon_send(client, x);
    });
    watch(network, client_, "the application's actor");
    if (config_.brings_output)
      bring_output(network);
    if (manager_) {
      caf::anon_send(manager_, client_, scheduler_);
      caf::anon_send(scheduler_, SubscribeToLoad{load_sink(manager_)});
    }
    return {};
  }

  void tell(JobsEvent x) const {
    caf::anon_send(scheduler_, TaskSchedulerInternal{std::move(x)});
  }

  [[nodiscard]] SessionHost& host() const {
    return *host_;
  }

  void end_executors() {
    stop_manager();
    // Else the master would replace those that end.
    if (auto app = host_->application())
      self_->request(client_, leave_timeout, RequestExecutors{*app, 0, {}, {}})
          .receive([](bool) {}, [](const caf::error&) {});
    stop_scheduler();
  }

  [[nodiscard]] ExecutorOutputs& outputs() const {
    return *outputs_;
  }

  /// Before its work was done.
  bool interrupted = false;
  std::optional<std::string> failure;

private:
  void stop_manager() {
    if (auto manager = std::exchange(manager_, {}))
      caf::anon_send_exit(manager, caf::exit_reason::user_shutdown);
  }

  /// Answered once the client has the last report, before it is told to leave.
  void stop_scheduler() {
    if (auto scheduler = std::exchange(scheduler_, {}))
      self_
          ->request(scheduler, leave_timeout,
                    StopTaskScheduler{"its application ended"})
          .receive([](bool) {}, [](const caf::error&) {});
  }

  void bring_output(ActorNetwork& network) {
    outputs_ = std::make_unique<ExecutorOutputs>(
        network, client_,
        [host = host_](std::vector<OutputNews> news) {
          for (auto& x : news)
            host->put(std::move(x));
        },
        end_with(host_), config_.application.reads_output == false);
  }

  static std::function<void(const std::string&)>
  end_with(const std::shared_ptr<SessionHost>& host) {
    return [host](const std::string& why) {
      host->put(ApplicationNews{ApplicationDead{EndReason::removed, why}});
    };
  }

  /// The application ends if one of its actors fails.
  template <class Actor>
  void watch(ActorNetwork& network, const Actor& actor, const char* what) {
    on_failure(network.system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
               what, end_with(host_));
  }

  JobSessionConfig config_;
  caf::scoped_actor self_;
  std::shared_ptr<SessionHost> host_;
  TaskSchedulerActor scheduler_;
  AppClientActor client_;

  /// Null: there is none.
  AllocationManagerActor manager_;
  std::unique_ptr<ExecutorOutputs> outputs_;
};

JobSession::JobSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
}

JobSession::~JobSession() = default;

Result<std::unique_ptr<JobSession>> JobSession::start(ActorNetwork& network,
                                                      ConnectorActor connector,
                                                      JobSessionConfig config) {
  if (auto valid = validate(config.jobs); !valid)
    return std::move(valid).error();
  if (config.allocation)
    if (auto valid = validate(*config.allocation); !valid)
      return std::move(valid).error();
  auto secret = ApplicationSecret::make();
  if (!secret)
    return std::move(secret).error();
  auto impl = std::make_unique<Impl>(network, *secret, std::move(config));
  if (auto begun = impl->begin(network, std::move(connector), *secret); !begun)
    return std::move(begun).error();
  return std::unique_ptr<JobSession>{new JobSession{std::move(impl)}};
}

void JobSession::submit(const std::shared_ptr<const JobWork>& work) {
  impl_->host().add(work);
  impl_->tell(JobSubmitted{work->job()});
}

void JobSession::cancel(JobId job, const std::string& why) {
  impl_->tell(JobCancelled{job, why});
}

void JobSession::release(const std::vector<StageId>& stages) {
  impl_->tell(StagesReleased{stages});
  impl_->host().forget(stages);
}

void JobSession::end_executors() {
  impl_->end_executors();
}

ExecutorOutputs& JobSession::outputs() const {
  return impl_->outputs();
}

void JobSession::fail(const std::string& why) {
  impl_->failure = why;
}

void JobSession::interrupt() {
  impl_->interrupted = true;
}

std::vector<JobNews> JobSession::take(std::chrono::milliseconds patience) {
  return impl_->host().take(patience);
}

Status
JobSession::take_result(const TaskAttempt& id,
                        const std::function<Status(std::string_view)>& take) {
  return impl_->host().results().take(id, take);
}

std::map<StageId, StageProgress> JobSession::progress() const {
  return impl_->host().progress();
}

int JobSession::executors() const {
  return impl_->host().executors();
}

} // namespace stoker
