// stoker submit: a driver that runs on the cluster.

#include <iostream>
#include <random>

#include "tools/stoker/commands.hpp"
#include "tools/stoker/dependency_options.hpp"
#include "tools/stoker/end_hook_options.hpp"
#include "tools/stoker/file_options.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/program_options.hpp"
#include "tools/stoker/resource_options.hpp"
#include "tools/stoker/started_command.hpp"

namespace stoker {

namespace {

struct SubmitOptions {
  AccessOptions access;
  ConfigOptions config;
  ProgramOptions program;
  std::vector<std::string> command;
  std::optional<int> cores;
  std::optional<std::int64_t> memory_mb;
  std::vector<std::string> resources;
  std::optional<int> executors;
  std::optional<int> executor_cores;
  std::optional<std::int64_t> executor_memory_mb;
  std::vector<std::string> executor_resources;
  DependencyOptions dependencies;
  EndHookOptions end_hook;
  bool supervise = false;
  std::optional<int> max_restarts;
  bool wait = false;
  bool json = false;
};

constexpr const char* driver_too_small
    = "a driver needs at least 1 core and 1 MB of memory";
constexpr const char* executors_too_small
    = "the cores and memory of executors must be greater than 0, and their "
      "number must not be negative";

DriverExecutors executors_of(const SubmitOptions& options) {
  DriverExecutors result;
  result.count = *options.executors;
  result.cores = options.executor_cores.value_or(1);
  result.memory_mb = options.executor_memory_mb.value_or(512);
  add_amounts("--executor-resource", options.executor_resources,
              result.resources);
  if (result.count < 0 || result.cores <= 0 || result.memory_mb <= 0)
    throw CommandError{exit_usage, executors_too_small};
  return result;
}

/// Different for each call of this program, on all machines.
std::string new_submission() {
  std::random_device random;
  std::string result;
  for (int i = 0; i < 4; ++i)
    result += (result.empty() ? "" : "-") + std::to_string(random());
  return result;
}

void run_submit(CLI::App& app, const SubmitOptions& options) {
  DriverDescription driver;
  driver.memory_mb = 512;
  require_ok(exit_usage,
             apply_settings(load_settings(app, options.config), driver));
  if (options.cores)
    driver.cores = *options.cores;
  if (options.memory_mb)
    driver.memory_mb = *options.memory_mb;
  add_amounts("--resource", options.resources, driver.resources);
  if (options.executors)
    driver.executors = executors_of(options);
  if (app.count("--supervise") > 0)
    driver.supervise = options.supervise;
  driver.supervise = driver.supervise || options.max_restarts;
  driver.max_restarts = options.max_restarts;
  if (driver.cores <= 0 || driver.memory_mb <= 0)
    throw CommandError{exit_usage, driver_too_small};
  driver.command = make_command(options.command, options.program);
  driver.name = display_name(driver.command, options.program, driver.name);
  driver.after = dependencies_of(options.dependencies);
  driver.on_end = end_hook_of(options.end_hook, driver.command);
  driver.user = user_name(options.access.network);
  driver.reject_if_it_cannot_fit = !options.wait;
  Access access{options.access};
  send_files(
      options.program.files, driver.command.files,
      [&](const StoreFilePart& x) {
        return access.try_ask<StoreFileResponse>(x);
      },
      options.json);
  auto answer = access.ask<SubmitDriverResponse>(
      RequestSubmitDriver{driver, new_submission()});
  if (!answer.success)
    throw CommandError{exit_failure, answer.message};
  if (options.json)
    print_json(std::cout, answer);
  else
    std::cout << to_string(answer.driver_id.value()) << std::endl;
  // Whoever reads no id may submit it again.
  if (!std::cout)
    print_notice(to_string(answer.driver_id.value()) + " was submitted");
}

OptionRules submit_rules(const CLI::App& app) {
  OptionRules result;
  add_end_hook_rules(app, result);
  result.needs.push_back(
      {"--max-restarts",
       "is of a driver that is started again: it does not go with "
       "--supervise=false",
       [supervise = app.get_option("--supervise")] {
         return supervise->count() == 0 || supervise->as<bool>();
       }});
  for (const auto* option :
       {"--executor-cores", "--executor-memory", "--executor-resource"})
    result.needs.push_back(
        {option,
         "says what each executor needs, which goes with their number: "
         "--with-executors N",
         [executors = app.get_option("--with-executors")] {
           return executors->count() > 0;
         }});
  result.settings = {
      {"--name", "spark.app.name", {}},
      {"--cores", "spark.driver.cores", {}},
      {"--memory", "spark.driver.memory", {}},
      {"--resource", "spark.driver.resource.NAME.amount", {}},
      {"--supervise", "spark.driver.supervise", {}},
      // Restarts that are counted are restarts.
      {"--max-restarts", "spark.driver.supervise", "false"},
  };
  return result;
}

} // namespace

void add_submit_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<SubmitOptions>();
  auto* command = app.add_subcommand(
      "submit", "Start a program on the cluster, print its id, and leave it");
  command->footer(
      "The driver finds STOKER_MASTER in its environment, so that it can run "
      "more.\nFollow it with 'stoker logs ID --follow', end it with 'stoker "
      "kill "
      "ID'.\n\n"
      "Examples:\n"
      "  stoker submit -- ./nightly.sh\n"
      "  stoker submit --after-ok \"$ID\" --on-end './mail.sh' -- ./report.sh\n"
      "  stoker submit --file train.py -- python3 train.py\n"
      "  stoker submit --supervise --memory 1g -- ./server --port 8080");
  add_number_option(*command, "--cores", options->cores, 1,
                    "Cores of the driver (default: 1)", driver_too_small);
  add_memory_option(*command, "--memory", options->memory_mb,
                    "Memory of the driver (default: 512m)", driver_too_small);
  add_resource_amount_option(*command, "--resource", options->resources,
                             "GPUs and the like that it needs");
  add_number_option(
      *command, "--with-executors", options->executors, 0,
      "Start it only when so many executors fit too, and keep their room for "
      "what it runs; 0: it runs nothing on the cluster",
      executors_too_small);
  add_number_option(*command, "--executor-cores", options->executor_cores, 1,
                    "Cores of each of these (default: 1)", executors_too_small);
  add_memory_option(*command, "--executor-memory", options->executor_memory_mb,
                    "Memory of each of these (default: 512m)",
                    executors_too_small);
  add_resource_amount_option(*command, "--executor-resource",
                             options->executor_resources,
                             "GPUs and the like that each of these needs");
  command->add_flag("--supervise", options->supervise,
                    "Start it again when it fails or its worker is lost");
  add_number_option(*command, "--max-restarts", options->max_restarts, 0,
                    "Start it again at most so often after a failure; without "
                    "it, --supervise has no end")
      ->type_name("N");
  add_dependency_options(*command, options->dependencies);
  add_end_hook_options(*command, options->end_hook);
  command->add_flag("--wait", options->wait,
                    "Wait for a worker that is large enough, if none is");
  command->add_flag("--json", options->json, "Answer in JSON");
  add_program_options(*command, options->program);
  add_config_options(*command, options->config);
  options->config.own_settings = driver_setting_names();
  options->access.rules = submit_rules(*command);
  // A script that submits continues when a master is started again.
  options->access.needs_listener = false;
  add_access_options(*command, options->access);
  take_command(*command);
  command->callback([=, &context] {
    options->command = command_of(*command, context.command);
    run_submit(*command, *options);
  });
}

} // namespace stoker
