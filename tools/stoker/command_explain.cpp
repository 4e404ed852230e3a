// stoker explain: why an application waits, or runs where it runs.

#include <iostream>

#include "scheduling/common/entity_id.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/planning_text.hpp"

namespace stoker {

namespace {

struct ExplainOptions {
  AccessOptions access;
  std::string id;
  bool json = false;
};

void run_explain(const ExplainOptions& options) {
  Access access{options.access};
  auto id = parse_entity_id(options.id);
  RequestExplanation question;
  if (id && std::holds_alternative<AppId>(*id))
    question.app_id = std::get<AppId>(*id);
  else if (id && std::holds_alternative<DriverId>(*id))
    question.driver_id = std::get<DriverId>(*id);
  else
    throw CommandError{exit_usage,
                       "'" + options.id
                           + "' is the id of neither an application nor a "
                             "driver; 'stoker status' shows them"};
  auto answer = access.ask<ExplanationResponse>(question);
  if (!answer.found)
    throw CommandError{exit_failure,
                       options.id + " is not known here (see 'stoker status')"};
  if (options.json)
    print_json(std::cout, answer);
  else
    print_explanation(std::cout, answer);
}

} // namespace

void add_explain_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<ExplainOptions>();
  auto* command = app.add_subcommand(
      "explain",
      "Explain why an application or a driver waits, or runs where it runs");
  command->footer("Examples:\n"
                  "  stoker explain app-20261121074600-0001\n"
                  "  stoker explain driver-20261121074600-0001\n"
                  "  stoker explain app-20261121074600-0001 --json");
  command->add_option("ID", options->id, "The application or the driver")
      ->required();
  command->add_flag("--json", options->json, "One line of JSON for machines");
  add_access_options(*command, options->access);
  command->callback([=] { run_explain(*options); });
}

} // namespace stoker
