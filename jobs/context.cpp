#include "jobs/context.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "actors/connector.hpp"
#include "embedding/job_settings.hpp"
#include "embedding/local_cluster.hpp"
#include "embedding/machine.hpp"
#include "embedding/output_directories.hpp"
#include "jobs/master_choice.hpp"
#include "jobs/operators.hpp"
#include "jobs/own_directory.hpp"
#include "jobs/session_runner.hpp"
#include "network/owner_credentials.hpp"
#include "scheduling/common/units.hpp"

namespace stoker::jobs {

namespace {

namespace fs = std::filesystem;

constexpr const char* parallelism_setting = "spark.default.parallelism";
constexpr const char* memory_setting = "spark.memory.fraction";

struct Settings {
  JobSettings jobs;
  int default_partitions = 0;
  double memory_fraction = default_memory_fraction;
};

Result<int> partitions_of(const std::string& value) {
  auto count = parse_count(value);
  if (!count || *count < 1)
    return invalid(std::string{"conf: "} + parallelism_setting + " is '" + value
                   + "', which is not a whole number above 0");
  return *count;
}

Result<double> memory_fraction_of(const std::string& value) {
  double result = 0;
  const auto* end = value.data() + value.size();
  auto [rest, error] = std::from_chars(value.data(), end, result);
  if (error != std::errc{} || rest != end || !(result > 0 && result <= 1))
    return invalid(std::string{"conf: "} + memory_setting + " is '" + value
                   + "', which is not a number above 0 and up to 1, as 0.6");
  return result;
}

Result<Settings> settings_of(const ContextConfig& config) {
  Settings result;
  std::vector<Setting> settings;
  for (const auto& [name, value] : config.conf) {
    if (name == parallelism_setting) {
      auto partitions = partitions_of(value);
      if (!partitions)
        return std::move(partitions).error();
      result.default_partitions = *partitions;
    } else if (name == memory_setting) {
      auto fraction = memory_fraction_of(value);
      if (!fraction)
        return std::move(fraction).error();
      result.memory_fraction = *fraction;
    } else {
      settings.push_back({name, value, "conf"});
    }
  }
  if (auto applied = apply_settings(settings, result.jobs); !applied)
    return std::move(applied).error();
  auto& application = result.jobs.application;
  if (application.cores_per_executor
      && *application.cores_per_executor < result.jobs.task_cores)
    return invalid("a task needs " + std::to_string(result.jobs.task_cores)
                   + " cores, and an executor has "
                   + std::to_string(*application.cores_per_executor)
                   + ": set spark.executor.cores");
  if (!config.name.empty())
    application.name = config.name;
  if (application.name.empty())
    application.name = fs::path{program_invocation_short_name}.string();
  application.reject_if_it_cannot_fit = !config.wait_for_workers;
  return result;
}

std::string user_of(const Credentials* credentials) {
  if (credentials != nullptr)
    if (auto identity = credentials->identity();
        identity && identity->role == Role::user)
      return identity->name;
  if (const auto* entry = ::getpwuid(::getuid()))
    return entry->pw_name;
  return std::to_string(::getuid());
}

Result<std::vector<std::string>> executor_command(const ContextConfig& config) {
  if (!config.executor_command.empty())
    return config.executor_command;
  std::error_code error;
  auto program = fs::canonical("/proc/self/exe", error);
  if (error)
    return Error{Errc::io, "cannot find this program: " + error.message()};
  return std::vector<std::string>{program.string()};
}

Result<std::shared_ptr<Credentials>> credentials_of(const TlsConfig& tls) {
  if (tls.enabled())
    return Credentials::load(with_revoked_list(tls));
  auto own = owner_credentials(default_state_directory(), Role::operator_);
  if (!own)
    return std::move(own).error();
  return Credentials::load(*own);
}

} // namespace

// -- what it consists of ------------------------------------------------------

class Context::Impl {
public:
  explicit Impl(ContextConfig config) : config_(std::move(config)) {
  }

  ~Impl() {
    if (runner)
      runner->close();
    if (waits_for_signals_)
      StopSignal::release();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status start() {
    auto master = choose_master(config_.master);
    if (!master)
      return std::move(master).error();
    wait_for_signals();
    return master->is_local() ? start_local(master->cores)
                              : start_remote(std::move(master->addresses));
  }

  Status start_in(ActorNetwork& network, ConnectorActor connector) {
    wait_for_signals();
    return start_session(network, std::move(connector), {}, "127.0.0.1", 0);
  }

  std::shared_ptr<SessionRunner> runner;

private:
  /// Before there are threads.
  void wait_for_signals() {
    if (!config_.interrupted_by_signals)
      return;
    stop_ = std::make_unique<StopSignal>();
    waits_for_signals_ = true;
  }

  Status start_local(std::optional<int> cores) {
    network_ = std::make_unique<ActorNetwork>();
    LocalClusterConfig cluster;
    cluster.workers = std::max(1, config_.local_workers);
    auto all = cores.value_or(machine_cores());
    cluster.cores = std::max(1, all / cluster.workers);
    cluster.supervisor = config_.supervisor;
    cluster.cluster.seed = std::random_device{}();
    cluster.worker.work_directory = config_.work_directory;
    if (config_.work_directory.empty()) {
      auto directory = directory_.make();
      if (!directory)
        return std::move(directory).error();
      cluster.worker.work_directory = *std::move(directory);
    }
    auto started = LocalCluster::start(*network_, std::move(cluster));
    if (!started)
      return std::move(started).error();
    cluster_ = *std::move(started);
    return start_session(*network_, cluster_->connector(), user_of(nullptr),
                         "127.0.0.1", all);
  }

  Status start_remote(std::vector<MasterAddress> masters) {
    auto credentials = credentials_of(config_.tls);
    if (!credentials)
      return std::move(credentials).error();
    network_ = std::make_unique<ActorNetwork>(*credentials);
    auto host = output_host(masters.front().host, machine_name());
    registration_.masters = masters.size();
    return start_session(*network_,
                         network_connector(*network_, std::move(masters)),
                         user_of(credentials->get()), host, 0);
  }

  /// @param cores Of the cluster; 0: nobody knows.
  Status start_session(ActorNetwork& network, ConnectorActor connector,
                       std::string user, const std::string& driver_host,
                       int cores) {
    auto settings = settings_of(config_);
    if (!settings)
      return std::move(settings).error();
    auto command = executor_command(config_);
    if (!command)
      return std::move(command).error();
    auto& jobs = settings->jobs;
    JobSessionConfig session;
    session.application = jobs.application;
    session.application.driver_id = own_driver();
    session.application.user
        = user.empty() ? user_of(nullptr) : std::move(user);
    if (cluster_ && !session.application.memory_per_executor_mb)
      session.application.memory_per_executor_mb = local_executor_memory_mb;
    registration_.give_up_after = config_.patience;
    registration_.seed = std::random_device{}();
    session.registration = registration_;
    session.jobs = jobs.jobs;
    if (jobs.allocation.enabled)
      session.allocation = jobs.allocation;
    session.driver_host
        = jobs.driver_host.empty() ? driver_host : jobs.driver_host;
    session.driver_port = static_cast<std::uint16_t>(jobs.driver_port);
    session.executor_command = *std::move(command);
    session.scratch_directory = fs::temp_directory_path();
    auto started
        = JobSession::start(network, std::move(connector), std::move(session));
    if (!started)
      return std::move(started).error();
    RunnerSettings runs;
    runs.plan = {jobs.task_cores, jobs.task_failures_max,
                 jobs.stage_attempts_max, jobs.pool, settings->memory_fraction};
    runs.settings = jobs;
    runs.default_partitions = settings->default_partitions;
    if (cores == 0)
      cores = jobs.application.max_cores.value_or(2);
    runs.cores = cores;
    runs.on_news = config_.on_news;
    runner = std::make_shared<SessionRunner>(*std::move(started),
                                             std::move(runs), std::move(stop_));
    return {};
  }

  static constexpr int local_executor_memory_mb = 512;

  const ContextConfig config_;
  RegistrationConfig registration_;
  std::unique_ptr<StopSignal> stop_;
  bool waits_for_signals_ = false;
  OwnDirectory directory_;
  std::unique_ptr<ActorNetwork> network_;
  std::unique_ptr<LocalCluster> cluster_;
};

Context::Context(std::unique_ptr<Impl> impl)
    : Datasets(impl->runner), impl_(std::move(impl)) {
}

Context::~Context() = default;

Result<std::unique_ptr<Context>> Context::start(ContextConfig config) {
  if (auto unique = operators().check(); !unique)
    return std::move(unique).error();
  auto impl = std::make_unique<Impl>(std::move(config));
  if (auto started = impl->start(); !started)
    return std::move(started).error();
  return std::unique_ptr<Context>{new Context{std::move(impl)}};
}

Result<std::unique_ptr<Context>> Context::start(ActorNetwork& network,
                                                ConnectorActor connector,
                                                ContextConfig config) {
  if (auto unique = operators().check(); !unique)
    return std::move(unique).error();
  auto impl = std::make_unique<Impl>(std::move(config));
  if (auto started = impl->start_in(network, std::move(connector)); !started)
    return std::move(started).error();
  return std::unique_ptr<Context>{new Context{std::move(impl)}};
}

void Context::interrupt(const std::string& why) {
  impl_->runner->interrupt(why);
}

int Context::executors() const {
  return impl_->runner->executors();
}

} // namespace stoker::jobs
