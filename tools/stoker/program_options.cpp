#include "tools/stoker/program_options.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "tools/stoker/command_name.hpp"
#include "tools/stoker/exported_environment.hpp"
#include "tools/stoker/file_options.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

/// @throws CommandError when it is relative, and this directory is gone.
std::filesystem::path absolute_path(const std::string& path) {
  std::error_code error;
  auto result = std::filesystem::absolute(path, error);
  if (error)
    throw CommandError{exit_failure, "this directory cannot be found any more ("
                                         + error.message()
                                         + "); change to another one"};
  return result;
}

/// The name and the value that `--env` says.
Result<std::pair<std::string, std::string>>
variable_of(const std::string& text) {
  auto equals = text.find('=');
  auto name = text.substr(0, equals);
  const auto* own = std::getenv(name.c_str());
  if (name.empty() || (equals == std::string::npos && own == nullptr))
    return invalid("--env: '" + text
                   + "' is neither NAME=VALUE nor the name of a variable that "
                     "is set here");
  return std::pair{name, equals == std::string::npos ? std::string{own}
                                                     : text.substr(equals + 1)};
}

/// Nothing but whether it is right.
template <class T>
Status status_of(const Result<T>& x) {
  return x ? Status{} : Status{x.error()};
}

} // namespace

void add_program_options(CLI::App& app, ProgramOptions& target) {
  app.add_option("--name", target.name,
                 "What status shows (default: the first words of the command)");
  add_list_option(
      app, "--env", target.environment,
      "Sets a variable for the program; NAME alone takes it from here; may be "
      "repeated",
      [](const std::string& text) { return status_of(variable_of(text)); })
      ->type_name("NAME[=VALUE]");
  add_list_option(app, "--export", target.exported,
                  "Which variables of here the program gets: ALL, NONE, or "
                  "one by its name; may be repeated (default: NONE)",
                  [](const std::string& text) {
                    return status_of(
                        exported_environment({text}, variables_of(environ)));
                  })
      ->type_name("NAME[=VALUE]");
  app.add_option("--chdir", target.working_directory,
                 "Where the program starts, and nowhere else (default: here, "
                 "where that exists; with --file its own directory)")
      ->type_name("DIR");
  add_file_option(app, target.files);
}

Command make_command(const std::vector<std::string>& words,
                     const ProgramOptions& options) {
  if (words.empty() || words.front().empty())
    throw CommandError{exit_usage, "a command is missing; write it after --"};
  Command command;
  command.arguments = words;
  command.files = describe_files(options.files);
  auto& program = command.arguments.front();
  if (names_file_of(program, command.files))
    // Found by who starts it (messages/shipped_program.hpp).
    program = program.starts_with("./") ? program : "./" + program;
  else if (program.find('/') != std::string::npos)
    program = absolute_path(program).string();
  // Where it has files, it finds them.
  if (command.files.empty() || !options.working_directory.empty())
    command.working_directory = absolute_path(options.working_directory.empty()
                                                  ? "."
                                                  : options.working_directory)
                                    .lexically_normal()
                                    .string();
  command.working_directory_required = !options.working_directory.empty();
  if (const auto* path = std::getenv("PATH"))
    command.search_path = path;
  auto exported = exported_environment(options.exported, variables_of(environ));
  require_ok(exit_usage, exported);
  command.environment = *std::move(exported);
  require_each_once("--env", options.environment);
  for (const auto& text : options.environment) {
    auto variable = variable_of(text);
    require_ok(exit_usage, variable);
    command.environment[variable->first] = variable->second;
  }
  return command;
}

std::string display_name(const Command& command, const ProgramOptions& options,
                         const std::string& by_setting) {
  if (!options.name.empty())
    return options.name;
  if (!by_setting.empty())
    return by_setting;
  return command_name(command.arguments);
}

} // namespace stoker
