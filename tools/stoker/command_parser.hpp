#pragma once

// What `stoker` and `stoker-barrier` have in common: arguments become a command that runs,
// and errors one line each on standard error. Needs no library of others but CLI11.

#include <functional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "tools/stoker/command_error.hpp"

namespace stoker {

/// Returns what is wrong with an option that a command does not have, and the option that may be
/// meant.
/// @param command_line The command as users write it, such as "stoker run".
/// @param word The option as it was written, maybe with a value.
std::string unknown_option_text(const CLI::App& command,
                                const std::string& command_line,
                                const std::string& word);

/// One line on what is wrong with the arguments.
std::string message_of(const CLI::ParseError& error);

/// The option that prints the help of all commands; they have it as well.
void add_help_of_all(CLI::App& app);

/// Whether words of this command after `--` are a program to start, and not ours to
/// parse.
bool takes_command(std::string_view name);

/// Runs the command of `app` that the arguments name, and returns the exit code.
int parse_command(CLI::App& app, CommandContext& context, int argc,
                  char** argv);

/// Calls `run` with a standard output whose errors are not lost, and returns its exit
/// code, or that of an error.
int run_with_output(const std::function<int()>& run);

} // namespace stoker
