#pragma once

// `stoker run --stdin`: instances read what this process is given.

#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "embedding/seekable_input.hpp"
#include "messages/descriptions.hpp"

namespace stoker {

struct InputOptions {
  /// "one" or "all"; empty: nobody reads it.
  std::string readers;

  [[nodiscard]] InstanceInput instances() const;

  /// Somebody reads what is typed on the terminal on which standard error is, too.
  [[nodiscard]] bool reads_terminal() const;
};

void add_input_option(CLI::App& command, InputOptions& options);

/// Throws a CommandError if it cannot be read. What cannot be read twice is kept in TMPDIR.
/// @returns Null, if nobody reads it.
std::unique_ptr<SeekableInput> open_standard_input(const InputOptions& options);

} // namespace stoker
