// stoker decommission: takes workers out of service.

#include <algorithm>
#include <iostream>

#include "tools/stoker/commands.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct DecommissionOptions {
  AccessOptions access;
  std::vector<std::string> ids;
  bool json = false;
};

void run_decommission(const DecommissionOptions& options) {
  DecommissionWorkers request;
  for (const auto& id : options.ids)
    request.ids.push_back(WorkerId{id});
  Access access{options.access};
  auto answer = access.ask<DecommissionWorkersResponse>(request);
  if (options.json)
    print_json(std::cout, answer);
  else
    for (const auto& id : answer.ids)
      std::cout << "decommissioned " << to_string(id) << std::endl;
  for (const auto& id : request.ids)
    if (std::find(answer.ids.begin(), answer.ids.end(), id) == answer.ids.end())
      throw CommandError{exit_failure, to_string(id)
                                           + " is not a worker here; 'stoker "
                                             "status workers' shows them"};
}

} // namespace

void add_decommission_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<DecommissionOptions>();
  auto* command = app.add_subcommand(
      "decommission",
      "Take workers out of service: they get nothing new and end when idle");
  command->footer("Example:\n"
                  "  stoker decommission worker-20261121074600-host-4711");
  command->add_option("WORKER", options->ids, "Workers")->required();
  command->add_flag("--json", options->json, "Answer in JSON");
  add_access_options(*command, options->access);
  command->callback([=] { run_decommission(*options); });
}

} // namespace stoker
