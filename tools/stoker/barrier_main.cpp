// The `stoker-barrier` program: `stoker barrier`, without all that the other commands need.
// A task calls it again and again, and loading the libraries of `stoker` takes longer than
// the call.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/stoker/command_parser.hpp"
#include "tools/stoker/commands.hpp"

int main(int argc, char** argv) {
  std::string program = "stoker";
  std::string command = "barrier";
  std::vector<char*> words{program.data(), command.data()};
  words.insert(words.end(), argv + 1, argv + argc);
  auto count = static_cast<int>(words.size());
  words.push_back(nullptr);
  return stoker::run_with_output([&] {
    CLI::App app;
    app.name(program);
    stoker::add_help_of_all(app);
    stoker::CommandContext context;
    stoker::add_barrier_command(app, context);
    return stoker::parse_command(app, context, count, words.data());
  });
}
