// stoker man: manual pages, made of what --help says.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "embedding/machine.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/described_command.hpp"
#include "tools/stoker/man_page.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct ManOptions {
  std::vector<std::string> words;
  std::string directory;
};

const DescribedCommand& find_command(const DescribedCommand& program,
                                     const std::vector<std::string>& words) {
  const auto* result = &program;
  for (const auto& word : words) {
    auto name = result->name + ' ' + word;
    auto found = std::find_if(result->commands.begin(), result->commands.end(),
                              [&](const auto& x) { return x.name == name; });
    if (found == result->commands.end())
      throw CommandError{exit_usage, '\'' + name + "' is not a command (see '"
                                         + result->name + " --help')"};
    result = &*found;
  }
  return *result;
}

void write_pages(const std::filesystem::path& directory,
                 const DescribedCommand& command,
                 const DescribedCommand& program, const std::string& version) {
  auto path = directory / (man_page_name(command) + ".1");
  std::ofstream out{path};
  out << man_page(command, program, version);
  out.close();
  if (!out)
    throw CommandError{exit_failure, "cannot write " + path.string()
                                         + "; does the directory exist, and "
                                           "is there room?"};
  for (const auto& x : command.commands)
    write_pages(directory, x, program, version);
}

void run_man(const CLI::App& app, const ManOptions& options) {
  auto program = describe(app);
  generalise_defaults(program, default_state_directory(),
                      "~/.local/state/stoker");
  generalise_defaults(program, machine_name(), "this machine's name");
  if (!options.directory.empty())
    return write_pages(options.directory, program, program, app.version());
  std::cout << man_page(find_command(program, options.words), program,
                        app.version());
}

} // namespace

void add_man_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<ManOptions>();
  auto* command = app.add_subcommand("man", "Print manual pages");
  command->footer("Pages are in troff; Debian's package brings all of them.\n\n"
                  "Examples:\n"
                  "  stoker man run | man -l -\n"
                  "  stoker man data show | man -l -\n"
                  "  stoker man --write /usr/local/share/man/man1");
  auto* words
      = command->add_option("COMMAND", options->words,
                            "The command's words (default: stoker itself)");
  command
      ->add_option("--write", options->directory,
                   "Write the pages of all commands into this directory, a "
                   "file each")
      ->type_name("DIR")
      ->excludes(words);
  command->callback([&app, options] { run_man(app, *options); });
}

} // namespace stoker
