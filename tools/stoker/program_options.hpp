#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "messages/descriptions.hpp"

namespace stoker {

/// What `stoker run` and `stoker submit` take about the program to start.
struct ProgramOptions {
  std::string name;
  std::vector<std::string> environment;

  /// ALL, NONE, NAME or NAME=VALUE, in this order.
  std::vector<std::string> exported;
  std::string working_directory;

  /// PATH[:NAME] each.
  std::vector<std::string> files;
};

void add_program_options(CLI::App& app, ProgramOptions& target);

/// The command as workers are to start it. A program with a slash is named
/// relative to here, so it is made absolute; others are looked for on this PATH,
/// too. The working directory is this one, where it exists on the worker. With files, which
/// are read, it is the program's own, and the program may be one of them.
/// @throws CommandError
Command make_command(const std::vector<std::string>& words,
                     const ProgramOptions& options);

/// The name given; else the one that a setting says, unless it is empty; else the program's.
std::string display_name(const Command& command, const ProgramOptions& options,
                         const std::string& by_setting);

} // namespace stoker
