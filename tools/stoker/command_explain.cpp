// stoker explain: why an application waits, or runs where it runs.

#include <iostream>

#include "messages/json.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/planning_text.hpp"

namespace stoker {

namespace {

struct ExplainOptions {
  AccessOptions access;
  std::string app;
  bool json = false;
};

void run_explain(const ExplainOptions& options) {
  Access access{options.access};
  auto answer
      = access.ask<ExplanationResponse>(RequestExplanation{AppId{options.app}});
  if (!answer.found)
    throw CommandError{exit_failure,
                       "no application '" + options.app
                           + "' is known (see 'stoker status apps')"};
  if (options.json)
    std::cout << to_json(answer) << std::endl;
  else
    print_explanation(std::cout, answer);
}

} // namespace

void add_explain_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<ExplainOptions>();
  auto* command = app.add_subcommand(
      "explain", "Explain why an application waits, or runs where it runs");
  command->footer("Examples:\n"
                  "  stoker explain app-20261121074600-0001\n"
                  "  stoker explain app-20261121074600-0001 --json");
  command->add_option("APP", options->app, "The application")->required();
  command->add_flag("--json", options->json, "One line of JSON for machines");
  add_access_options(*command, options->access);
  command->callback([=] { run_explain(*options); });
}

} // namespace stoker
