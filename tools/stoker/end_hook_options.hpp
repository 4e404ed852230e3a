#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "messages/descriptions.hpp"
#include "tools/stoker/option_defaults.hpp"

namespace stoker {

/// What is to happen when something has ended.
struct EndHookOptions {
  /// A command of the shell.
  std::optional<std::string> command;
  std::optional<std::string> url;
  std::optional<int> retries;
};

void add_end_hook_options(CLI::App& app, EndHookOptions& target);

/// Of those options, of the same command.
void add_end_hook_rules(const CLI::App& app, OptionRules& rules);

/// The program that does it, with the environment, the files and the place of the one that
/// ends. Nothing: nothing is to happen.
/// @throws CommandError
std::optional<EndHook> end_hook_of(const EndHookOptions& options,
                                   const Command& ends);

} // namespace stoker
