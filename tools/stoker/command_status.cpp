// stoker status: what a cluster has and does.

#include <iostream>

#include "messages/json.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/entity_id.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/status_text.hpp"

namespace stoker {

namespace {

/// More than any master keeps.
constexpr int executors_max = 1'000'000'000;

struct StatusOptions {
  AccessOptions access;
  std::string part;
  std::string app;
  int limit = 1000;
  bool all = false;
  bool json = false;
};

StatusPart part_of(const std::string& name) {
  if (name == "workers")
    return StatusPart::workers;
  if (name == "apps")
    return StatusPart::apps;
  if (name == "executors")
    return StatusPart::executors;
  if (name == "drivers")
    return StatusPart::drivers;
  return StatusPart::all;
}

/// Of one application, nothing else is asked for.
StatusPart shown_part(const StatusOptions& options) {
  auto part = part_of(options.part);
  return part == StatusPart::all && !options.app.empty()
             ? StatusPart::apps_with_executors
             : part;
}

RequestMasterState question_of(const StatusOptions& options) {
  auto part = shown_part(options);
  auto of_app = !options.app.empty();
  if (of_app && (part == StatusPart::workers || part == StatusPart::drivers))
    throw CommandError{exit_usage, "--app goes with apps and executors"};
  auto all = part == StatusPart::all;
  RequestMasterState result;
  result.workers = all || part == StatusPart::workers;
  result.drivers = all || part == StatusPart::drivers;
  result.applications
      = part != StatusPart::workers && part != StatusPart::drivers;
  if (of_app) {
    auto id = parse_entity_id(options.app);
    if (!id || !std::holds_alternative<AppId>(*id))
      throw CommandError{exit_usage,
                         "'" + options.app
                             + "' is not the id of an application; 'stoker "
                               "status apps' shows them"};
    result.app_id = std::get<AppId>(*id);
  }
  if (part == StatusPart::apps)
    result.executors_max = 0;
  else if (!options.all)
    result.executors_max = options.limit;
  return result;
}

void run_status(const StatusOptions& options) {
  auto question = question_of(options);
  Access access{options.access};
  auto state = access.ask<MasterStateResponse>(question);
  if (question.app_id && state.active_apps.empty()
      && state.completed_apps.empty())
    throw CommandError{exit_failure, options.app + " is not known here"};
  if (options.json)
    std::cout << to_json(state) << std::endl;
  else
    print_status(std::cout, state, shown_part(options));
}

} // namespace

void add_status_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<StatusOptions>();
  auto* command = app.add_subcommand(
      "status", "Show the master's state, workers, applications and drivers");
  command->footer("Examples:\n"
                  "  stoker status\n"
                  "  stoker status executors\n"
                  "  stoker status --app app-20261121074600-0001\n"
                  "  stoker status workers --json | jq .workers");
  command
      ->add_option("PART", options->part,
                   "workers, apps, executors or drivers (default: all)")
      ->check(CLI::IsMember({"workers", "apps", "executors", "drivers"}));
  command->add_option("--app", options->app,
                      "Only this application, and its executors");
  auto* limit
      = command
            ->add_option("--limit", options->limit,
                         "Executors that are shown: present ones first, then "
                         "the last that ended")
            ->check(CLI::Range(0, executors_max))
            ->capture_default_str();
  command
      ->add_flag("--all", options->all, "All executors that the master knows")
      ->excludes(limit);
  command->add_flag("--json", options->json,
                    "The same, as one line of JSON for machines");
  add_access_options(*command, options->access);
  command->callback([=] { run_status(*options); });
}

} // namespace stoker
