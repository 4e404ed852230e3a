// stoker run: N instances of a command as one application.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <utility>

#include "actors/connector.hpp"
#include "embedding/application_run.hpp"
#include "embedding/gang_limits.hpp"
#include "embedding/gang_run.hpp"
#include "embedding/job_settings.hpp"
#include "embedding/last_words.hpp"
#include "embedding/machine.hpp"
#include "embedding/master_client.hpp"
#include "embedding/run_settings.hpp"
#include "embedding/signal_watch.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/dependency_options.hpp"
#include "tools/stoker/end_hook_options.hpp"
#include "tools/stoker/file_options.hpp"
#include "tools/stoker/input_options.hpp"
#include "tools/stoker/instance_arguments.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/program_options.hpp"
#include "tools/stoker/resource_options.hpp"
#include "tools/stoker/run_output.hpp"
#include "tools/stoker/session_config.hpp"
#include "tools/stoker/started_command.hpp"

namespace stoker {

namespace {

struct RunOptions {
  AccessOptions access;
  ConfigOptions config;
  ProgramOptions program;
  RunOutputOptions output;
  DependencyOptions dependencies;
  EndHookOptions end_hook;
  InputOptions input;
  std::vector<std::string> command;

  /// One for each instance, if they have any.
  std::vector<std::string> arguments;

  /// How many instances; of those with arguments of their own: how many at once.
  std::optional<int> count;

  /// How many instances may run at once, 0: all; unset: all, or what `count` says.
  std::optional<int> jobs;
  int retries = 0;
  std::optional<int> cores;
  std::optional<std::int64_t> memory_mb;
  std::vector<std::string> resources;
  std::vector<std::string> hosts;

  /// Zero: none, whatever a setting says.
  std::optional<Duration> time_limit;
  bool wait = false;
  bool barrier = false;
  bool keep_going = false;

  [[nodiscard]] int instances() const {
    return arguments.empty() ? count.value_or(1)
                             : static_cast<int>(arguments.size());
  }

  /// How many of them may run at the same time.
  [[nodiscard]] int at_once() const {
    if (jobs == 0)
      return instances();
    return std::min(instances(), jobs.value_or(count.value_or(instances())));
  }
};

constexpr const char* no_core = "an instance needs at least 1 core";
constexpr const char* no_memory = "an instance needs at least 1 MB of memory";

/// Those of the command line, which count more than settings.
void apply_options(const RunOptions& options, ApplicationDescription& result) {
  if (options.cores)
    result.cores_per_executor = options.cores;
  if (options.memory_mb)
    result.memory_per_executor_mb = options.memory_mb;
  add_amounts("--resource", options.resources, result.resources_per_executor);
  for (const auto& host : options.hosts)
    result.preferred_hosts[host] = options.at_once();
  if (options.time_limit == Duration{})
    result.time_limit_ms.reset();
  else if (options.time_limit)
    result.time_limit_ms = options.time_limit->count();
  if (*result.cores_per_executor <= 0)
    throw CommandError{exit_usage, no_core};
  if (*result.memory_per_executor_mb <= 0)
    throw CommandError{exit_usage, no_memory};
  auto cores = static_cast<int>(std::min<std::int64_t>(
      std::int64_t{options.at_once()} * *result.cores_per_executor,
      std::numeric_limits<int>::max()));
  if (!result.max_cores || !options.arguments.empty() || options.jobs)
    result.max_cores = std::min(cores, result.max_cores.value_or(cores));
  if (*result.max_cores < *result.cores_per_executor)
    throw CommandError{exit_usage, "spark.cores.max is less than one instance "
                                   "needs"};
  result.command = make_command(options.command, options.program);
  result.name = display_name(result.command, options.program, result.name);
  result.user = user_name(options.access.network);
  result.after = dependencies_of(options.dependencies);
  result.on_end = end_hook_of(options.end_hook, result.command);
  result.instances
      = Instances{options.instances(), options.retries, options.keep_going,
                  options.arguments, options.input.instances()};
  result.reject_if_it_cannot_fit = !options.wait;
}

/// @tparam Settings Those of an application of instances, or of a job.
template <class Settings>
Settings read_settings(CLI::App& app, const RunOptions& options) {
  Settings settings;
  auto& result = settings.application;
  result.memory_per_executor_mb = 512;
  result.cores_per_executor = 1;
  // One that runs on the cluster itself may have room kept for it.
  result.driver_id = own_driver();
  require_ok(exit_usage,
             apply_settings(load_settings(app, options.config), settings));
  apply_options(options, result);
  return settings;
}

/// Those of instances that begin together: each is the one task of its executor.
JobSettings read_gang_settings(CLI::App& app, const RunOptions& options) {
  auto settings = read_settings<JobSettings>(app, options);
  settings.allocation.executor_cores = *settings.application.cores_per_executor;
  settings.allocation.task_cores = settings.allocation.executor_cores;
  auto job = gang_job(settings.application);
  require_ok(exit_usage, validate(job));
  require_ok(exit_usage, may_run(settings.jobs, job));
  require_ok(exit_usage, may_begin_together(job, settings));
  return settings;
}

using Clock = std::chrono::steady_clock;

/// The first signal ends a run, and a later one this process. One that comes so soon after
/// the first means the same: whoever stands between a terminal and this process may send it
/// once more, as timeout(1) does and 'stoker local'.
constexpr std::chrono::milliseconds same_wish{500};

/// What the instances write, and what becomes of them.
class Screen {
public:
  explicit Screen(const RunOutputOptions& options)
      : output_(options, out_, err_) {
  }

  [[nodiscard]] RunObserver& observer() noexcept {
    return output_;
  }

  /// Waits for the end.
  /// @tparam Run An ApplicationRun or a GangRun.
  template <class Run>
  RunOutcome follow(Run& run, StopSignal& stop) {
    output_.on_error = [&](const std::string& why) { run.fail(why); };
    RunOutcome result;
    {
      SignalWatch interrupter{stop, [&](int) {
                                auto now = Clock::now();
                                if (!interrupted_) {
                                  interrupted_at_ = now;
                                  interrupted_ = true;
                                  run.interrupt();
                                } else if (now >= interrupted_at_.load()
                                                      + same_wish) {
                                  _exit(exit_interrupted);
                                }
                              }};
      result = run.wait();
    }
    output_.on_error = nullptr;
    result.output_incomplete = result.output_incomplete || output_.is_cut_off();
    auto kept = output_.finish(result);
    require_written(out_);
    require_written(err_);
    // A run that was over by then does not know of it.
    if (result.error.empty())
      require_ok(exit_failure, kept);
    return result;
  }

private:
  /// Whether to wait for a reader of what the instances write.
  [[nodiscard]] bool goes_on() const {
    return !interrupted_
           || Clock::now() - interrupted_at_.load()
                  < LastWords::interrupted_max;
  }

  std::atomic<bool> interrupted_ = false;
  std::atomic<Clock::time_point> interrupted_at_{};
  std::function<bool()> goes_on_ = [this] { return goes_on(); };
  OutputFile out_{STDOUT_FILENO, goes_on_};
  OutputFile err_{STDERR_FILENO, goes_on_};
  RunOutput output_;
};

/// Sends what goes with the command. Nothing runs yet: a signal ends this process.
void send_files_of(const Command& command, const RunOptions& options,
                   ActorNetwork& network,
                   const std::vector<MasterAddress>& masters,
                   const StopSignal& stop) {
  if (command.files.empty())
    return;
  SignalWatch interrupter{stop, [](int) { _exit(exit_interrupted); }};
  MasterClient client{network, masters, options.access.patience};
  client.on_wait = [&](const std::string& reason) {
    print_notice(search_notice(reason, masters));
  };
  send_files(
      options.program.files, command.files,
      [&](const StoreFilePart& x) { return client.ask<StoreFileResponse>(x); },
      options.output.quiet || options.output.json);
}

RunOutputOptions shown_output(const RunOptions& options) {
  auto result = options.output;
  result.whole_lines = options.instances() > 1;
  return result;
}

RunOutcome run_instances(RunSettings settings, const RunOptions& options,
                         StopSignal& stop) {
  auto input = open_standard_input(options.input);
  auto masters = master_addresses(options.access.master);
  auto registration = registration_of(options.access, masters.size());
  auto network = open_network(options.access.network, Role::operator_);
  send_files_of(settings.application.command, options, *network, masters, stop);
  Screen screen{shown_output(options)};
  ApplicationRun application{
      *network,
      network_connector(*network, std::move(masters), options.access.patience),
      std::move(settings.application),
      registration,
      screen.observer(),
      settings.allocation.enabled ? std::optional{settings.allocation}
                                  : std::nullopt,
      std::move(input)};
  return screen.follow(application, stop);
}

RunOutcome run_gang(const JobSettings& settings, const RunOptions& options,
                    StopSignal& stop) {
  auto masters = master_addresses(options.access.master);
  auto config = session_config(settings, options.access, masters);
  auto network = open_network(options.access.network, Role::operator_);
  send_files_of(settings.application.command, options, *network, masters, stop);
  Screen screen{shown_output(options)};
  auto gang = GangRun::start(
      *network,
      network_connector(*network, std::move(masters), options.access.patience),
      std::move(config), screen.observer());
  require_ok(exit_failure, gang);
  return screen.follow(**gang, stop);
}

RunOutcome follow_to_end(CLI::App& app, const RunOptions& options) {
  if (options.barrier) {
    auto settings = read_gang_settings(app, options);
    StopSignal stop;
    return run_gang(settings, options, stop);
  }
  auto settings = read_settings<RunSettings>(app, options);
  StopSignal stop;
  return run_instances(std::move(settings), options, stop);
}

int run(CLI::App& app, const RunOptions& options) {
  auto outcome = follow_to_end(app, options);
  auto end = end_of_run(outcome);
  if (outcome.reason == EndReason::stopped) {
    // Who did that knows it.
    if (outcome.is_left_running)
      print_notice(end.why);
    if (outcome.output_incomplete)
      print_notice("some output is missing");
  } else if (!end.why.empty()) {
    throw CommandError{end.exit_status, end.why};
  }
  return end.exit_status;
}

/// @param words Finds the command that was typed, with what follows `:::`.
OptionRules run_rules(const CLI::App& app,
                      const std::function<std::vector<std::string>()>& words) {
  OptionRules result;
  result.exclusions = {
      {"--barrier", "--stdin", "its instances have no standard input", {}},
      {"--barrier", "--keep-going", "its instances need each other", {}},
      {"--barrier", "--jobs", "its instances run at once", {}},
      {"--jobs", "--instances", "with ::: both say how many run at once",
       [&app, words] {
         return app.count("--instances") > 0 && has_arguments(words());
       }},
      {"--barrier", ":::", "all instances have the same command",
       [words] { return has_arguments(words()); }},
      {"--stdin", "':::: -'", "both read standard input",
       [words] { return has_arguments_of_input(words()); }},
  };
  result.settings = {
      {"--name", "spark.app.name", {}},
      {"--cores", "spark.executor.cores", {}},
      {"--memory", "spark.executor.memory", {}},
      {"--resource", "spark.executor.resource.NAME.amount", {}},
      {"--time-limit", "stoker.app.timeLimit", {}},
  };
  add_end_hook_rules(app, result);
  return result;
}

} // namespace

void add_run_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<RunOptions>();
  auto* command = app.add_subcommand(
      "run", "Run instances of a command on the cluster, and wait for them");
  command->footer(
      "Each instance finds in its environment: STOKER_MASTER, STOKER_APP_ID,\n"
      "STOKER_EXECUTOR_ID, STOKER_INDEX (0 to N-1), STOKER_COUNT (N), "
      "STOKER_CORES,\nSTOKER_MEMORY_MB, STOKER_WORKER_ID, STOKER_HOST and "
      "STOKER_WORK_DIR.\n"
      "An instance that is lost or killed from outside is started again; a "
      "command\nthat fails ends the run with its exit code (see --retries and "
      "--keep-going).\n"
      "After ::: there is an argument for each instance, as GNU parallel has "
      "it; after\n:::: a file with one in each line. It stands where the "
      "command has {}, or at its\nend; -j is how many run at once, and so is "
      "-n then.\n"
      "With --barrier each finds RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR "
      "and\n"
      "MASTER_PORT, too, and 'stoker barrier' waits for all of them.\n\n"
      "Examples:\n"
      "  stoker run -n 4 --label -- hostname\n"
      "  stoker run -n 8 --cores 2 --memory 4g --retries 3 -- ./work.sh data\n"
      "  stoker run --file train.py --file data.csv -- python3 train.py\n"
      "  stoker run -n 8 --barrier --retries 3 -- ./solver\n"
      "  stoker run -j 4 --keep-going -- gzip -k {} ::: *.txt\n"
      "  ls *.txt | stoker run -k -- wc -l {} :::: -\n"
      "  stoker run --stdin all -n 4 -- ./check < words.txt\n"
      "  stoker run --conf spark.executor.memory=2g -- make test");
  add_number_option(*command, "-n,--instances", options->count, 1,
                    "How many instances; with :::, how many at once "
                    "(default: 1; all)");
  add_number_option(*command, "-j,--jobs", options->jobs, 0,
                    "How many instances run at once; 0: all (default: all)");
  add_number_option(*command, "--cores", options->cores, 1,
                    "Cores of each instance (default: 1)", no_core);
  add_memory_option(*command, "--memory", options->memory_mb,
                    "Memory of each instance (default: 512m)", no_memory);
  add_resource_amount_option(*command, "--resource", options->resources,
                             "GPUs and the like that it needs");
  command
      ->add_option("--prefer-host", options->hosts,
                   "A host to run on where there is room; may be repeated")
      ->type_name("HOST")
      ->allow_extra_args(false);
  add_duration_option(*command, "--time-limit", options->time_limit,
                      "End the run when it has run for so long; 0: never "
                      "(default)");
  add_number_option(*command, "--retries", options->retries, 0,
                    "How often the command of an instance may fail");
  command->add_flag("--keep-going", options->keep_going,
                    "When an instance fails, the others continue");
  command->add_flag("--barrier", options->barrier,
                    "Start all instances at once or none; they can wait for "
                    "each other (stoker barrier), and are started again "
                    "together");
  add_dependency_options(*command, options->dependencies);
  add_end_hook_options(*command, options->end_hook);
  add_input_option(*command, options->input);
  command->add_flag("--wait", options->wait,
                    "Wait for a worker that is large enough, if none is");
  command->add_flag("--label,-l", options->output.label,
                    "Put the instance's index in front of each line");
  command->add_flag("--keep-order,-k", options->output.keep_order,
                    "Write the instances' output in the order of their "
                    "indexes");
  command->add_flag("--quiet,-q", options->output.quiet,
                    "Print only what the instances write");
  command->add_flag("--json", options->output.json,
                    "One JSON object a line for each event");
  add_program_options(*command, options->program);
  add_config_options(*command, options->config);
  options->config.own_settings = run_setting_names();
  options->access.rules = run_rules(*command, [command, &context] {
    return command_of(*command, context.command);
  });
  add_access_options(*command, options->access);
  take_command(*command);
  command->callback([=, &context] {
    auto given = command_of(*command, context.command);
    auto words = split_arguments(given, std::cin);
    require_ok(exit_usage, words);
    options->command = std::move(words->words);
    options->arguments
        = std::move(words->arguments).value_or(std::vector<std::string>{});
    options->output.reads_terminal = options->input.reads_terminal();
    options->output.spool_directory = temporary_directory();
    options->output.masters = master_addresses(options->access.master);
    options->output.has_dependencies
        = !options->dependencies.after.empty()
          || !options->dependencies.after_ok.empty();
    context.exit_code = run(*command, *options);
  });
}

} // namespace stoker
