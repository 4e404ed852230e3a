#include "tools/stoker/command_parser.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/stoker/notice.hpp"
#include "tools/stoker/output_file.hpp"
#include "tools/stoker/spelling.hpp"

namespace stoker {

namespace {

/// Of those that are closed: a socket would get the number, and what is meant for a reader.
/// To use one fails as before.
void hold_standard_descriptors() {
  for (auto fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0)
      // The lowest number that is free is this one.
      ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// @param message Empty: there is nothing to say.
int fail(int exit_code, const std::string& message) {
  if (!message.empty())
    print_notice(message);
  return exit_code;
}

/// The commands that were written below `app`, as " log show".
std::string commands_below(const CLI::App& app) {
  std::string result;
  for (const auto* x : app.get_subcommands())
    result += ' ' + x->get_name() + commands_below(*x);
  return result;
}

/// "stoker run", for the hint where to read on.
std::string command_line_of(const CLI::App& app) {
  return "stoker" + commands_below(app);
}

/// " (did you mean 'history'?)", or nothing.
std::string similar_command(const CLI::App& app, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto* x : app.get_subcommands({}))
    names.push_back(x->get_name());
  return did_you_mean(name, names);
}

/// The command that was written last, below others.
const CLI::App& written_command(const CLI::App& app) {
  auto below = app.get_subcommands();
  return below.empty() ? app : written_command(*below.front());
}

/// Returns "'--sate' is not an option of 'stoker status'" or "'chek' is not a command of
/// 'stoker tenants'" if such a word is left over, else an empty text.
std::string unknown_word(const CLI::App& app) {
  const auto& command = written_command(app);
  // The words of a program that it starts are left over.
  if (command.get_prefix_command())
    return {};
  auto is_group = !command.get_subcommands({}).empty();
  for (const auto& word : app.remaining(true))
    if (word.starts_with("--") && word != "--")
      return unknown_option_text(command, command_line_of(app), word);
    else if (is_group && !word.starts_with('-'))
      return '\'' + word + "' is not a command of '" + command_line_of(app)
             + '\'' + similar_command(command, word);
  return {};
}

/// Prints an unknown word or else the error, in one line.
int fail_usage(const CLI::App& app, const std::string& message) {
  // The value of an unknown option may be taken for something else, which fails first.
  auto unknown = unknown_word(app);
  return fail(exit_usage, (unknown.empty() ? message : unknown) + " (see '"
                              + command_line_of(app) + " --help')");
}

/// Prints help, or the error as one line.
int finish_parsing(const CLI::App& app, const CLI::ParseError& e) {
  if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return app.exit(e);
  return fail_usage(app, message_of(e));
}

bool is_command(const CLI::App& app, const std::string& name) {
  auto has_name = [&](const CLI::App* x) { return x->check_name(name); };
  return !app.get_subcommands(has_name).empty();
}

} // namespace

std::string unknown_option_text(const CLI::App& command,
                                const std::string& command_line,
                                const std::string& word) {
  auto name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const auto* option : command.get_options())
    for (const auto& x : option->get_lnames())
      known.push_back("--" + x);
  return '\'' + name + "' is not an option of '" + command_line + '\''
         + did_you_mean(name, {known.begin(), known.end()});
}

std::string message_of(const CLI::ParseError& error) {
  std::string result = error.what();
  // CLI11 adds a second line about --help to some errors.
  result = result.substr(0, result.find('\n'));
  const std::string no_number = "Could not convert: ";
  auto equals = result.find(" = ");
  if (result.rfind(no_number, 0) == 0 && equals != std::string::npos)
    result = result.substr(no_number.size(), equals - no_number.size()) + ": '"
             + result.substr(equals + 3) + "' is not a number that it takes";
  return result;
}

bool takes_command(std::string_view name) {
  return name == "run" || name == "submit" || name == "local";
}

void add_help_of_all(CLI::App& app) {
  app.set_help_all_flag("--help-all", "Print the help of all commands");
}

int parse_command(CLI::App& app, CommandContext& context, int argc,
                  char** argv) {
  // CLI11 would only miss a command.
  if (argc > 1 && argv[1][0] != '-' && !is_command(app, argv[1]))
    return fail(exit_usage, std::string{"'"} + argv[1] + "' is not a command"
                                + similar_command(app, argv[1])
                                + " (see 'stoker --help')");
  auto** end = argv + argc;
  if (argc > 1 && takes_command(argv[1]))
    end = std::find_if(argv, end,
                       [](const char* x) { return std::strcmp(x, "--") == 0; });
  if (*end != nullptr)
    context.command.assign(end + 1, argv + argc);
  try {
    app.parse(static_cast<int>(end - argv), argv);
  } catch (const CLI::ParseError& e) {
    return finish_parsing(app, e);
  } catch (const CommandError& e) {
    if (e.exit_code() == exit_usage && !unknown_word(app).empty())
      return fail_usage(app, e.what());
    return fail(e.exit_code(), e.what());
  }
  return context.exit_code;
}

int run_with_output(const std::function<int()>& run) {
  hold_standard_descriptors();
  // A reader that has gone is an error like others, and so is a file that may not grow.
  for (auto signal : {SIGPIPE, SIGXFSZ})
    std::signal(signal, SIG_IGN);
  OutputFile file{STDOUT_FILENO};
  OutputFileBuffer buffer{file};
  auto* usual = std::cout.rdbuf(&buffer);
  int result = exit_failure;
  try {
    result = run();
  } catch (const std::exception& e) {
    result = fail(exit_failure, e.what());
  }
  std::cout.flush();
  std::cout.rdbuf(usual);
  try {
    require_written(file);
  } catch (const CommandError& e) {
    result = fail(e.exit_code(), e.what());
  }
  return result;
}

} // namespace stoker
