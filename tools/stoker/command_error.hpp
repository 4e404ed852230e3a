#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "tools/stoker/exit_codes.hpp"

namespace stoker {

/// Ends a command: `what()` goes to standard error as one line.
class CommandError : public std::runtime_error {
public:
  CommandError(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {
  }

  explicit CommandError(const Error& error)
      : CommandError(exit_code_of(error.code), error.message) {
  }

  [[nodiscard]] int exit_code() const noexcept {
    return exit_code_;
  }

private:
  static int exit_code_of(Errc code) {
    auto no_master = code == Errc::not_alive || code == Errc::refused
                     || code == Errc::untrusted || code == Errc::no_listener
                     || code == Errc::no_answer;
    return no_master ? exit_no_master : exit_failure;
  }

  int exit_code_;
};

/// What main() gives to each command.
struct CommandContext {
  /// The words after `--`.
  std::vector<std::string> command;

  /// To be set by the command that runs.
  int exit_code = 0;
};

/// @throws CommandError if it failed
template <class T>
void require_ok(int exit_code, const Result<T>& result) {
  if (!result)
    throw CommandError{exit_code, result.error().message};
}

/// As above, with `exit_usage` for what must not be, and `exit_failure` for what was tried.
template <class T>
void require_ok(const Result<T>& result) {
  require_ok(result.code() == Errc::invalid_request ? exit_usage : exit_failure,
             result);
}

} // namespace stoker
