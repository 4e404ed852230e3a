#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/eventually.hpp"

namespace stoker::test {

using namespace std::chrono_literals;

/// Whether a process runs, whoever started it: one that only waits to be reaped
/// does not.
bool lives(pid_t pid);

/// The time of day, in milliseconds since 1970.
std::int64_t now_ms();

/// All of a file; empty if there is none.
std::string contents_of(const std::string& path);

/// How to start a process.
struct ProcessSpec {
  std::vector<std::string> words;

  /// Exactly these.
  std::map<std::string, std::string> environment;

  std::string directory;

  /// Where standard output and standard error go.
  std::string out_file;
  std::string err_file;

  /// As another user than root, if this is root.
  bool unprivileged = false;
};

/// What came of a process that has ended.
struct Result {
  /// Its exit code, or -N if signal N ended it. A shell shows the latter as
  /// 128 + N, which a handler may give as its exit code, too.
  int status = 0;
  std::string out;
  std::string err;
};

/// A process of its own process group. Does not outlive the test program.
class Process {
public:
  explicit Process(ProcessSpec spec);

  /// Kills it, if it still runs.
  ~Process();

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const noexcept {
    return pid_;
  }

  [[nodiscard]] std::string out() const {
    return contents_of(spec_.out_file);
  }
  [[nodiscard]] std::string err() const {
    return contents_of(spec_.err_file);
  }

  [[nodiscard]] bool running() {
    return !poll_status();
  }

  /// Whether it blocks or catches a signal, which so does not end it at once.
  [[nodiscard]] bool handles(int signal) const;

  /// Sends a signal to the process alone, if it still runs.
  void send(int signal);

  /// Sends a signal to its whole group, as a terminal does for Ctrl-C.
  void send_to_group(int signal);

  /// Waits for its end. Fails the test if that does not come in time.
  Result result(std::chrono::milliseconds timeout = patience);

  /// As in `Result`, if it has ended; never waits.
  std::optional<int> poll_status();

  /// The command line, for people.
  [[nodiscard]] std::string description() const;

private:
  ProcessSpec spec_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

} // namespace stoker::test
