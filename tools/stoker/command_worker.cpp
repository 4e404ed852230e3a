// stoker worker: offers this machine to a master.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <random>

#include <caf/send.hpp>
#include <spdlog/spdlog.h>

#include "actors/connector.hpp"
#include "actors/worker.hpp"
#include "embedding/actor_failure.hpp"
#include "embedding/inherited_environment.hpp"
#include "embedding/machine.hpp"
#include "embedding/output_directories.hpp"
#include "embedding/signal_watch.hpp"
#include "embedding/spark_shuffle.hpp"
#include "embedding/supervisor_path.hpp"
#include "embedding/take_identity.hpp"
#include "messages/printable.hpp"
#include "process/open_files.hpp"
#include "process/private_directory.hpp"
#include "scheduling/common/host_name.hpp"
#include "storage/worker_identity.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/end_process.hpp"
#include "tools/stoker/exported_environment.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/program_log_options.hpp"
#include "tools/stoker/resource_options.hpp"
#include "tools/stoker/spark_options.hpp"
#include "tools/stoker/tenants_file.hpp"
#include "tools/stoker/worker_fleet.hpp"

namespace stoker {

namespace {

struct WorkerOptions {
  std::string master;
  std::optional<int> instances;
  std::string tenants;
  std::optional<int> cores;
  std::optional<std::int64_t> memory_mb;

  /// Unset until `host_for` chooses one.
  std::optional<std::string> host;
  std::string work_directory = default_state_directory() + "/work";
  Duration patience = std::chrono::minutes{10};
  WorkerResourceOptions resources;
  SparkOptions spark;
  std::vector<std::string> passed_variables;
  NetworkOptions network;
  ProgramLogOptions program_log;
  ConfigOptions config;
};

/// Returns the name of this machine. If its certificate is not for that name, returns a name
/// in the certificate, since the master would refuse another one: the machine's with a
/// domain, else the first alternative name, else the common name.
/// @throws CommandError if the certificate cannot be read
std::string host_for(const NetworkOptions& network) {
  auto result = machine_name();
  auto hosts = certified_hosts(network);
  auto covers = [&](const std::string& x) { return covers_host(x, result); };
  if (hosts.empty() || std::ranges::any_of(hosts, covers))
    return result;
  // The common name comes first.
  if (hosts.size() > 1)
    hosts.erase(hosts.begin());
  auto full = std::ranges::find_if(
      hosts, [&](const auto& x) { return x.starts_with(result + '.'); });
  auto named
      = full != hosts.end() ? full : std::ranges::find_if(hosts, is_host_name);
  return named == hosts.end() ? result : *named;
}

/// Its master would refuse it, and its id is made of it.
void require_host_name(const std::string& x) {
  if (x.empty() || !is_host_name(x))
    throw CommandError{exit_usage,
                       "--host '" + printable(x)
                           + "' is no name or address of a host: it may have "
                             "letters, digits, and any of -.:%[]"};
  if (x.find('_') != std::string::npos)
    throw CommandError{exit_usage,
                       "the host '" + x
                           + "' has a '_', which Spark refuses in a name of a "
                             "host: pass --host with another name or address"};
}

/// Fails early where executors would fail one by one. A full disk is no reason to give up
/// what a worker that is gone has left running.
void require_writable(const std::string& directory) {
  auto problem = [&](const std::string& reason) {
    return CommandError{exit_failure, "cannot use the work directory "
                                          + directory + ": " + reason
                                          + "; choose another with --work-dir"};
  };
  if (auto failed = process::make_private_directories(directory); failed != 0)
    throw problem(std::strerror(failed));
  auto probe = directory + "/.probe-XXXXXX";
  auto file = mkstemp(probe.data());
  auto reason = file < 0 ? errno : 0;
  if (file >= 0) {
    // An empty file fits on a full disk; a block does not.
    const std::string block(4096, '.');
    auto written = write(file, block.data(), block.size());
    if (written != static_cast<ssize_t>(block.size()))
      reason = written < 0 ? errno : ENOSPC;
    close(file);
    unlink(probe.c_str());
  }
  auto full = reason == ENOSPC || reason == EDQUOT;
  // The first of several has a directory of its own.
  auto goes_on = WorkerIdentity::is_any_in(directory)
                 || WorkerIdentity::is_any_in(directory + "/1");
  if (full && goes_on)
    spdlog::warn("[work-directory-full] no program can be started in {}: {}; "
                 "what runs goes on",
                 directory, std::strerror(reason));
  else if (reason != 0)
    throw problem(std::strerror(reason));
}

/// What SIGHUP does: without certificates that may be read again, it ends a worker.
StopSignal::Hangup hangup_of(const WorkerOptions& options) {
  return options.network.tls.enabled() ? StopSignal::Hangup::reloads
                                       : StopSignal::Hangup::stops;
}

/// Nothing is told to anybody, as if this process were killed: programs and master wait
/// for whoever goes on here.
[[noreturn]] void leave() {
  spdlog::info("[leaving] leaving; programs go on until the next worker finds "
               "them, or stoker.orphan.grace has passed");
  spdlog::default_logger()->flush();
  std::_Exit(EXIT_SUCCESS);
}

/// Which of a machine's workers this is to be.
struct Place {
  int worker = 0;
  int workers = 1;
};

ResourceDiscovery resources_of(const std::vector<Setting>& settings,
                               const WorkerOptions& options) {
  WorkerConfig unused;
  auto result = options.resources.plan();
  require_ok(exit_usage, apply_settings(settings, unused, result));
  return result;
}

WorkerConfig config_of(const std::vector<Setting>& settings,
                       const WorkerOptions& options, std::size_t masters,
                       Place place) {
  const auto& host = options.host.value();
  require_host_name(host);
  WorkerConfig config;
  auto resources = options.resources.plan();
  require_ok(exit_usage, apply_settings(settings, config, resources));
  auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  config.id = WorkerId{"worker-" + compact_date(now) + '-' + host + '-'
                       + std::to_string(getpid())};
  config.endpoint = EndpointId{config.id.value};
  config.host = host;
  config.cores
      = options.cores.value_or(std::max(1, machine_cores() / place.workers));
  config.memory_mb
      = options.memory_mb.value_or(machine_memory_mb() / place.workers);
  config.work_directory = std::filesystem::absolute(options.work_directory);
  config.environment = inherited_environment(options.passed_variables);
  // One that takes over is another one.
  if (masters > 1)
    config.masters = options.master;
  config.registration.masters = masters;
  config.registration.give_up_after = options.patience;
  config.registration.seed = std::random_device{}();
  require_ok(exit_usage, validate(config));
  config.resources = dealt(discovered(resources), place.worker, place.workers);
  return config;
}

/// What the file says, where the command line says nothing.
int workers_of(WorkerOptions& options) {
  NodeWorkers file;
  if (!options.tenants.empty()) {
    auto read = read_node_workers(options.tenants);
    require_ok(exit_usage, read);
    file = *read;
  }
  if (!options.cores)
    options.cores = file.cores;
  if (!options.memory_mb)
    options.memory_mb = file.memory_mb;
  auto result = options.instances.value_or(file.instances);
  if (result < 1 || result > 1000)
    throw CommandError{exit_usage,
                       "the number of workers must be from 1 to 1000"};
  return result;
}

void run_worker(const std::vector<Setting>& settings,
                const WorkerOptions& options, Place place) {
  auto masters = master_addresses(options.master);
  auto config = config_of(settings, options, masters.size(), place);
  config.spark_host = output_host(masters.front().host, config.host);
  config.spark_homes = options.spark.find(config.spark_host);
  // What is wrong leaves no directory behind.
  check(options.network, Role::node);
  require_writable(config.work_directory);
  auto taken = take_identity(config);
  require_ok(exit_failure, taken);
  auto identity = *std::move(taken);
  config.spark_directory = identity->spark_directory();
  config.file_directory = identity->file_directory();
  auto hangup = hangup_of(options);
  StopSignal stop{hangup};
  stop.add(leave_signal);
  process::raise_open_files_limit();
  auto network = open_network(options.network, Role::node);
  warn_if_insecure(options.network);
  auto outputs
      = WorkerOutputs::start(output_host(masters.front().host, config.host),
                             identity->output_directory());
  require_ok(exit_failure, outputs);
  auto shuffle_service = start_shuffle_service(config);
  require_ok(exit_failure, shuffle_service);
  auto supervisor = own_supervisor();
  std::promise<StopWorker> end;
  auto ended = end.get_future();
  // Not detached: CAF 0.17 waits at its end until such an actor is destroyed,
  // and one that another network has monitored may not be (its issue 1196). It
  // blocks one of the scheduler's threads, which has little else to do here.
  auto actor = network->system().spawn(
      worker, std::move(config),
      network_connector(*network, std::move(masters)),
      process::MonitorConfig{supervisor.executable},
      [&end](const StopWorker& x) { end.set_value(x); }, std::move(identity),
      *std::move(outputs));
  report_served(shuffle_service->get(), actor);
  on_failure(network->system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
             "the worker", end_process);
  SignalWatch watch{
      stop, [&](int signal) {
        if (signal == leave_signal)
          leave();
        if (signal == SIGHUP && hangup == StopSignal::Hangup::reloads)
          return static_cast<void>(network->read_credentials_again());
        spdlog::info("[stopping] stopping");
        caf::anon_send(actor, WorkerInternal{WorkerStopRequested{}});
      }};
  auto why = ended.get();
  if (why.reason != EndReason::stopped)
    throw CommandError{why.reason == EndReason::master_lost ? exit_no_master
                                                            : exit_failure,
                       why.error};
}

/// Checks what would fail each of them, and becomes one of them.
void run_workers(CLI::App& app, WorkerOptions& options,
                 CommandContext& context) {
  // Changes `options`, too.
  auto settings = load_settings(app, options.config);
  options.program_log.apply(spdlog::level::info);
  if (!options.host)
    options.host = host_for(options.network);
  auto workers = workers_of(options);
  const auto resources_lock
      = locked(resources_of(settings, options), options.work_directory);
  if (workers == 1)
    return run_worker(settings, options, {});
  auto masters = master_addresses(options.master);
  (void)config_of(settings, options, masters.size(), {0, workers});
  options.spark.check(output_host(masters.front().host, *options.host));
  check(options.network, Role::node);
  require_writable(options.work_directory);
  auto part = start_fleet(workers, hangup_of(options));
  if (!part.worker) {
    context.exit_code = part.exit_code;
    return;
  }
  options.work_directory += '/' + std::to_string(*part.worker + 1);
  run_worker(settings, options, {*part.worker, workers});
}

} // namespace

void add_worker_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<WorkerOptions>();
  auto* command
      = app.add_subcommand("worker", "Offer this machine to a master");
  command->footer(
      "A worker that was killed and is started again within 10 s with the same "
      "options goes on with what it ran. SIGUSR1 ends a worker like that, with "
      "0. SIGTERM ends what it runs, too.\n\n"
      "Examples:\n"
      "  stoker worker stoker://127.0.0.1:7070\n"
      "  stoker worker stoker://127.0.0.1:7070 --instances 4 --cores 2 "
      "--memory 4g\n"
      "  stoker worker stoker://10.0.0.1:7070 --cores 8 --memory 16g "
      "--tls-cert w.pem --tls-key w-key.pem --tls-ca ca.pem");
  command
      ->add_option("MASTER", options->master,
                   "Where the master is, or the masters are: "
                   "stoker://HOST:PORT[,HOST:PORT]")
      ->envname("STOKER_MASTER")
      ->required();
  command
      ->add_option("--instances", options->instances,
                   "How many workers, each a process with a directory of its "
                   "own below --work-dir (default: 1)")
      ->envname("STOKER_WORKER_INSTANCES");
  command
      ->add_option("--tenants", options->tenants,
                   "Read the number of workers, their cores and memory from "
                   "[workers] of this tenants file")
      ->type_name("FILE")
      ->envname("STOKER_TENANTS");
  command
      ->add_option("--cores", options->cores,
                   "Cores to offer (default: all of the machine's, shared)")
      ->envname("STOKER_WORKER_CORES");
  add_memory_option(
      *command, "--memory", options->memory_mb,
      "Memory to offer (default: the machine's less 1 GB, shared)")
      ->envname("STOKER_WORKER_MEMORY");
  command
      ->add_option("--host", options->host,
                   "The name of this machine in status and messages, which its "
                   "certificate must have (default: the machine's name, or a "
                   "name in the certificate)")
      ->envname("STOKER_WORKER_HOST");
  command
      ->add_option("--work-dir", options->work_directory,
                   "Where executors and drivers have their directories")
      ->envname("STOKER_WORKER_DIR")
      ->type_name("DIR")
      ->capture_default_str();
  add_duration_option(*command, "--master-timeout", options->patience,
                      "How long to go on without a master (default: 10min)")
      ->envname("STOKER_MASTER_TIMEOUT");
  add_resource_options(*command, options->resources);
  add_passed_variables_option(*command, options->passed_variables);
  add_spark_options(*command, options->spark);
  add_spark_consent_option(*command, options->spark);
  add_network_options(*command, options->network);
  add_program_log_options(*command, options->program_log);
  add_config_options(*command, options->config);
  command->callback(
      [=, &context] { run_workers(*command, *options, context); });
}

} // namespace stoker
