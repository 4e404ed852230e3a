// stoker local: a cluster in one process.

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>

#include <spdlog/spdlog.h>

#include "embedding/local_cluster.hpp"
#include "embedding/machine.hpp"
#include "embedding/output_directories.hpp"
#include "embedding/signal_watch.hpp"
#include "network/free_port.hpp"
#include "process/open_files.hpp"
#include "storage/sqlite_journal.hpp"
#include "tools/stoker/command_directory.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/end_process.hpp"
#include "tools/stoker/exported_environment.hpp"
#include "tools/stoker/fronts.hpp"
#include "tools/stoker/master_options.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/resource_options.hpp"
#include "tools/stoker/spark_options.hpp"

namespace stoker {

namespace {

struct LocalOptions {
  MasterOptions master;
  int workers = 1;
  std::optional<int> cores;
  std::optional<std::int64_t> memory_mb;
  WorkerResourceOptions resources;
  SparkOptions spark;
  std::vector<std::string> passed_variables;
  bool verbose = false;
};

/// Runs a command to its end, passing signals on, and returns its status as a
/// shell does.
/// @param descriptors that the command is to find open
int run_command(std::vector<std::string> command, const std::string& master_url,
                const std::vector<int>& descriptors, StopSignal& stop) {
  std::vector<char*> arguments;
  for (auto& x : command)
    arguments.push_back(x.data());
  arguments.push_back(nullptr);
  auto child = fork();
  if (child < 0)
    throw CommandError{exit_failure, std::string{"cannot start a process: "}
                                         + std::strerror(errno)};
  if (child == 0) {
    // A cluster's ports are not to be held by what outlives it.
    process::close_descriptors_but(descriptors);
    StopSignal::restore();
    process::limit_open_files(process::open_files_limit_before());
    setenv("STOKER_MASTER", master_url.c_str(), 1);
    execvp(arguments.front(), arguments.data());
    auto error = errno;
    print_notice("cannot start '" + command.front()
                 + "': " + std::strerror(error));
    _exit(error == ENOENT ? 127 : 126);
  }
  {
    SignalWatch watch{stop, [child](int signal) { kill(child, signal); }};
    // Its number stays its own until nobody sends it signals any more.
    siginfo_t ended{};
    while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT)
               < 0
           && errno == EINTR) {
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// A cluster for one command is in nobody's way, not even in that of another one:
/// where it was not told to be, it takes a port and a directory that are free.
/// Returns what keeps the directory.
process::UniqueFd make_way(const CLI::App& app, MasterOptions& master) {
  if (app.get_option("--port")->empty())
    master.port = 0;
  if (app.get_option("--spark-port")->empty())
    master.spark.port = free_port(master.host);
  if (app.get_option("--web-port")->empty())
    master.web.web_port = 0;
  if (app.get_option("--rest-port")->empty())
    master.web.rest_port = 0;
  if (!app.get_option("--data")->empty())
    return {};
  auto chosen = choose_command_directory(master.data);
  require_ok(exit_failure, chosen);
  master.data = chosen->path;
  return std::move(chosen->lock);
}

/// Where a command that this process starts finds the cluster. The certificates of
/// a node are not for commands: it is let in as this user, by a door of its own.
std::string url_for_own_command(ActorNetwork& network,
                                const LocalCluster& cluster,
                                const NetworkOptions& security) {
  if (!security.tls.enabled())
    return cluster.url();
  auto port = network.publish(cluster.master(), "127.0.0.1", 0,
                              own_credentials(Role::node));
  require_ok(exit_failure, port);
  return to_string(MasterAddress{"127.0.0.1", *port});
}

void run_local(CLI::App& app, LocalOptions& options, CommandContext& context) {
  const auto inherited = process::open_descriptors();
  LocalClusterConfig config;
  // Changes `options`, too.
  auto settings = load_settings(app, options.master.config);
  process::UniqueFd directory;
  if (!context.command.empty())
    directory = make_way(app, options.master);
  config.storage.directory = options.master.data;
  config.storage.keeps_history = true;
  auto resources = options.resources.plan();
  require_ok(exit_usage, apply_settings(settings, config, resources));
  options.master.web.settings = config.pages;
  config.workers = options.workers;
  config.cores = options.cores;
  config.memory_mb = options.memory_mb;
  if (!options.passed_variables.empty())
    config.passed_variables = options.passed_variables;
  config.listen = options.master.address();
  config.cluster.master_url = MasterOptions::url(*config.listen);
  config.cluster.seed = options.master.seed_or_random();
  options.master.load_tenants(config.cluster);
  config.load_tenants = options.master.tenants_loader();
  config.on_failure = end_process;
  config.feed
      = options.master.spark.needs_feed() || options.master.web.has_pages();
  config.message_log = options.master.log.file;
  config.message_log_limits = options.master.log.limits();
  config.worker.work_directory
      = std::filesystem::absolute(options.master.data) / "work";
  require_ok(exit_usage, validate(config));
  const auto resources_lock = locked(resources, config.worker.work_directory);
  config.worker.resources = discovered(resources);
  options.spark.insecure = options.master.spark.insecure;
  config.worker.spark_homes = options.spark.find(
      output_host(config.listen->host, config.worker.host));
  const auto& security = options.master.network;
  auto reloads = !options.master.tenants.empty() || security.tls.enabled();
  StopSignal stop{reloads ? StopSignal::Hangup::reloads
                          : StopSignal::Hangup::stops};
  options.master.program_log.apply(options.verbose ? spdlog::level::info
                                                   : spdlog::level::warn);
  process::raise_open_files_limit();
  auto network = open_network(security, Role::node);
  options.master.check(*network);
  warn_if_insecure(security);
  // Before it leads.
  require_ok(exit_failure,
             wait_for_port(config.listen->host, config.listen->port));
  auto metrics = std::make_shared<MasterMetrics>(
      config.storage.durable() ? journal_file(config.storage.directory)
                               : std::string{});
  config.metrics = metrics;
  network->on_refusal([metrics] { metrics->refusal("connection"); });
  auto started = LocalCluster::start(*network, std::move(config));
  require_ok(exit_failure, started);
  auto& cluster = *started;
  Fronts fronts{options.master,
                {network.get(), cluster->master(), cluster->feed(),
                 cluster->url(), metrics}};
  fronts.open();
  if (options.master.spark.allowed() != SparkUsers::own
      && options.master.spark.needs_feed())
    spdlog::warn("[spark-users] workers of this cluster run as this user: "
                 "other users whose programs they run may read its files and "
                 "keys");
  const auto spark_url = fronts.spark_url();
  if (!context.command.empty()) {
    auto url = url_for_own_command(*network, *cluster, security);
    pass_on(security);
    if (!spark_url.empty())
      setenv("STOKER_SPARK_MASTER", spark_url.c_str(), 1);
    // One with certificates of a node is not for commands.
    if (!options.master.config.file.empty() && !security.tls.enabled())
      setenv("STOKER_CONFIG",
             std::filesystem::absolute(options.master.config.file).c_str(), 1);
    context.exit_code = run_command(context.command, url, inherited, stop);
    return;
  }
  std::cout << "A cluster with " << options.workers
            << (options.workers == 1 ? " worker" : " workers")
            << " is ready at " << cluster->url() << "\nTry:  stoker run -n 2"
            << (cluster->url() == "stoker://127.0.0.1:7070"
                    ? ""
                    : " --master " + cluster->url())
            << (security.tls.enabled()
                    ? " --tls-cert USER.pem --tls-key USER-key.pem --tls-ca "
                          + security.tls.authority
                    : "")
            << (security.insecure ? " --insecure" : "") << " -- hostname\n"
            << (spark_url.empty()
                    ? ""
                    : "Spark's programs: --master " + spark_url + '\n')
            << "Stop it with Ctrl-C." << std::endl;
  while (fronts.wait(stop) == SIGHUP && reloads) {
    static_cast<void>(network->read_credentials_again());
    if (!options.master.tenants.empty())
      cluster->reload_tenants();
  }
  std::cout << "Stopping." << std::endl;
}

} // namespace

void add_local_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<LocalOptions>();
  options->master.data = default_state_directory();
  auto* command = app.add_subcommand(
      "local", "Run a cluster in one process; with a command, only for it");
  command->footer("Examples:\n"
                  "  stoker local\n"
                  "  stoker local --workers 4 --cores 2 --memory 1g\n"
                  "  stoker local --workers 2 -- stoker run -n 2 -- hostname");
  command->add_option("--workers", options->workers, "How many workers")
      ->envname("STOKER_WORKERS")
      ->capture_default_str();
  command
      ->add_option("--cores", options->cores,
                   "Cores of each worker (default: the machine's, shared)")
      ->envname("STOKER_WORKER_CORES");
  add_memory_option(*command, "--memory", options->memory_mb,
                    "Memory of each worker (default: the machine's, shared)")
      ->envname("STOKER_WORKER_MEMORY");
  add_resource_options(*command, options->resources);
  add_passed_variables_option(*command, options->passed_variables);
  add_spark_options(*command, options->spark);
  add_master_options(*command, options->master);
  command->add_flag("--verbose,-v", options->verbose,
                    "Log what master and workers do");
  command->callback([=, &context] { run_local(*command, *options, context); });
}

} // namespace stoker
