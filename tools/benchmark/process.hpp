#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace stoker::benchmark {

/// A program in a process of its own, which does not outlive this one.
class ChildProcess {
public:
  /// `output` is where its standard output and error go; empty: where ours go.
  /// Throws std::runtime_error when it cannot be started.
  explicit ChildProcess(std::vector<std::string> words,
                        const std::string& output = {});

  /// Kills it, if it still runs.
  ~ChildProcess();

  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t pid() const noexcept {
    return pid_;
  }

  /// Its exit status as a shell tells it, or nothing when it has not ended in
  /// time.
  std::optional<int> wait_for(std::chrono::milliseconds limit);

private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

/// Runs a program to its end, with its output thrown away, and returns its exit
/// status as a shell tells it. The memory of this process is not copied for it:
/// that would take longer than a short program. Throws std::runtime_error when it
/// cannot be started.
int run_to_end(std::vector<std::string> words);

/// What a process has used so far, as /proc tells it.
struct ProcessUse {
  /// Of all threads, in user and system mode, in steps of 10 ms.
  double cpu_seconds = 0;
  double rss_bytes = 0;
  int threads = 0;
};

/// Throws std::runtime_error when there is no such process.
ProcessUse use_of(pid_t pid);

/// CPU of all threads of this process so far, in user and system mode.
double own_cpu_seconds();

/// A directory for temporary files, which is gone with this object.
class TemporaryDirectory {
public:
  /// Throws std::runtime_error when it cannot be made.
  TemporaryDirectory();
  ~TemporaryDirectory();

  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::string& path() const noexcept {
    return path_;
  }

private:
  std::string path_;
};

/// The file of this program.
std::string own_path();

} // namespace stoker::benchmark
