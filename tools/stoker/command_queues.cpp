// stoker queues: who is served, and who comes next.

#include <iostream>

#include "tools/stoker/commands.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/queues_text.hpp"

namespace stoker {

namespace {

struct QueuesOptions {
  AccessOptions access;
  bool json = false;
};

void run_queues(const QueuesOptions& options) {
  Access access{options.access};
  auto queues = access.ask<QueuesResponse>(RequestQueues{});
  if (options.json)
    print_json(std::cout, queues);
  else
    print_queues(std::cout, queues);
}

} // namespace

void add_queues_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<QueuesOptions>();
  auto* command = app.add_subcommand(
      "queues", "Show companies, users, and who is served in which order");
  command->footer("Examples:\n"
                  "  stoker queues\n"
                  "  stoker queues --json | jq '.tenants.companies[]'");
  command->add_flag("--json", options->json,
                    "Everything, as one line of JSON for machines");
  add_access_options(*command, options->access);
  command->callback([=] { run_queues(*options); });
}

} // namespace stoker
