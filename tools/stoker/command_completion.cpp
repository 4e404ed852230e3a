// stoker completion: what shells read to complete its command line.

#include <iostream>
#include <memory>
#include <string>

#include "tools/stoker/bash_completion.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/described_command.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/zsh_completion.hpp"

namespace stoker {

void add_completion_command(CLI::App& app, CommandContext&) {
  auto shell = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "completion", "Print what a shell reads to complete commands");
  command->footer(
      "Commands, options and files are completed, and ids of what the master "
      "of\nSTOKER_MASTER knows. Debian's package brings it; without that:\n\n"
      "Examples:\n"
      "  source <(stoker completion bash)\n"
      "  stoker completion zsh > ~/.zsh/completions/_stoker");
  command->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(word_of({"bash", "zsh"}))
      ->option_text("SHELL");
  command->callback([&app, shell] {
    auto program = describe(app);
    std::cout << (*shell == "bash" ? bash_completion(program)
                                   : zsh_completion(program));
  });
}

} // namespace stoker
