#pragma once

// The message log: every event of a master, with what followed from it, as JSON
// Lines. A person can read it, and replaying it gives the same effects.
//
//   {"stoker_message_log":1,"config":{...}}
//   {"at":1763711160000,"from":"...","event":{"RegisterWorker":{...}},
//    "effects":["to w1: RegisteredWorker ...", ...]}

#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/config.hpp"
#include "scheduling/effects.hpp"
#include "scheduling/events.hpp"

namespace stoker {

/// One step of a master.
struct LoggedStep {
  Instant at;

  /// The peer that sent the event; empty for the master itself.
  EndpointId from;

  Event event;

  /// As `to_string(Effect)` renders them.
  std::vector<std::string> effects;
};

/// Writes a log, for its owner alone and without the values of environment
/// variables, which may be secrets. Each step reaches the operating system before the next one, so
/// that a killed master leaves a log that ends with what it did last.
class MessageLogWriter {
public:
  /// Replaces the file at `path`.
  /// @throws std::runtime_error with one line when it cannot be written.
  MessageLogWriter(const std::string& path, const ClusterConfig& config);

  /// Returns false, once, when writing fails (a full disk): the log ends there,
  /// and the master goes on.
  bool append(Instant at, const EndpointId& from, const Event& event,
              const Effects& effects);

private:
  std::ofstream out_;
};

/// Reads a log, step by step. A last line that was cut off is no error.
class MessageLogReader {
public:
  /// @throws std::runtime_error when `in` does not begin as a log of a known
  /// version.
  explicit MessageLogReader(std::istream& in);

  [[nodiscard]] const ClusterConfig& config() const noexcept {
    return config_;
  }

  /// Nothing at the end.
  /// @throws std::runtime_error with the line's number when a line before the
  /// last is damaged.
  std::optional<LoggedStep> next();

private:
  std::istream& in_;
  ClusterConfig config_;
  std::size_t line_number_ = 0;
  Instant last_at_ = Instant::min();
};

/// Steps a log again. Returns a description of the first step whose effects
/// differ, or nothing.
/// @throws std::runtime_error as MessageLogReader does.
std::optional<std::string> replay(std::istream& in);

} // namespace stoker
