#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "storage/message_log_files.hpp"

namespace stoker {

/// Where a message log is written, and how much of it is kept.
struct MessageLogOptions {
  /// Empty: there is none.
  std::string file;

  /// 0: without end.
  std::optional<std::int64_t> max_size_mb = 1024;
  int files = 4;

  [[nodiscard]] MessageLogLimits limits() const;
};

/// Adds `--log`, `--log-max-size` and `--log-files`.
void add_message_log_options(CLI::App& app, MessageLogOptions& target);

} // namespace stoker
