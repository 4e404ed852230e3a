// stoker reload: a master reads its tenants file and its certificates again.

#include <iostream>

#include "messages/printable.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

void add_reload_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<AccessOptions>();
  auto* command = app.add_subcommand(
      "reload", "Make the master read its tenants file and certificates again");
  command->footer("A file with mistakes changes nothing. Queues are kept. "
                  "Connections of\ncertificates that are revoked now are "
                  "closed.\n\n"
                  "Example:\n"
                  "  stoker reload");
  add_access_options(*command, *options);
  command->callback([=] {
    Access access{*options};
    auto answer = access.ask<ReloadResponse>(RequestReload{});
    if (!answer.success)
      throw CommandError{exit_failure, answer.message};
    std::cout << "reloaded"
              << (answer.message.empty() ? ""
                                         : ": " + printable(answer.message))
              << std::endl;
  });
}

} // namespace stoker
