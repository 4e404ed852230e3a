#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "tools/stoker/log_levels.hpp"

namespace stoker {

/// What of a program's log is written, and how.
struct ProgramLogOptions {
  std::string format = "text";

  /// As `LogLevels::parse` takes it.
  std::string levels;

  /// Has the log be so from now on.
  /// @param usual for all that `levels` does not name
  /// @throws CommandError
  void apply(LogLevels::Level usual) const;
};

void add_program_log_options(CLI::App& app, ProgramLogOptions& target);

} // namespace stoker
