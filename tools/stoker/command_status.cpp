// stoker status: what a cluster has and does.

#include <iostream>

#include "messages/json.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/status_text.hpp"

namespace stoker {

namespace {

struct StatusOptions {
  AccessOptions access;
  std::string part;
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

void run_status(const StatusOptions& options) {
  Access access{options.access};
  auto state = access.ask<MasterStateResponse>(RequestMasterState{});
  if (options.json)
    std::cout << to_json(state) << std::endl;
  else
    print_status(std::cout, state, part_of(options.part));
}

} // namespace

void add_status_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<StatusOptions>();
  auto* command = app.add_subcommand(
      "status", "Show the master's state, workers, applications and drivers");
  command->footer("Examples:\n"
                  "  stoker status\n"
                  "  stoker status executors\n"
                  "  stoker status --json | jq .workers");
  command
      ->add_option("PART", options->part,
                   "workers, apps, executors or drivers (default: all)")
      ->check(CLI::IsMember({"workers", "apps", "executors", "drivers"}));
  command->add_flag("--json", options->json,
                    "Everything, as one line of JSON for machines");
  add_access_options(*command, options->access);
  command->callback([=] { run_status(*options); });
}

} // namespace stoker
