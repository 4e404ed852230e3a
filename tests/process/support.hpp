#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "process/control_protocol.hpp"
#include "process/monitor.hpp"
#include "tests/support/eventually.hpp"

namespace stoker::process::test {

using namespace std::chrono_literals;

using stoker::test::eventually;
using stoker::test::patience;

/// A directory of its own below another one. Its destructor ends every process whose
/// pid was written to a `pids` file in it, then deletes it.
class TemporaryDirectory {
public:
  explicit TemporaryDirectory(const std::string& parent = "/tmp");
  ~TemporaryDirectory();

  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::string path(const std::string& name = {}) const;

private:
  std::string path_;
};

/// A monitor that runs supervisors of the test program and records reports.
class Watch {
public:
  Watch();
  explicit Watch(MonitorConfig config);

  /// Ends what still runs.
  ~Watch();

  Monitor& monitor() {
    return *monitor_;
  }

  /// Stops watching, as the end of a worker does.
  void forget();

  /// All reports on a key so far.
  std::vector<Report> reports(const std::string& key);

  /// Waits for a report of type `T`.
  template <class T>
  std::optional<T> await(const std::string& key) {
    std::unique_lock guard{mutex_};
    std::optional<T> result;
    changed_.wait_for(guard, patience, [&] {
      for (const auto& report : reports_[key])
        if (const auto* found = std::get_if<T>(&report))
          result = *found;
      return result.has_value();
    });
    return result;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::vector<Report>> reports_;
  std::optional<Monitor> monitor_;
};

/// A spec for a mode of the test program.
LaunchSpec spec_for(const std::string& directory,
                    std::vector<std::string> arguments);

/// Starts that program and waits until it ended; fails the test otherwise.
Ended run(const LaunchSpec& spec);

/// How it ended, whatever it used and however long ago.
Ended without_use(Ended x);

/// All of a program's output.
std::string output_of(const std::string& directory);
std::string errors_of(const std::string& directory);

/// The state that is on disk.
State state_in(const std::string& directory);

/// The pids that a program wrote to a file, once there are `count` of them.
std::vector<pid_t> await_pids(const std::string& file, std::size_t count);

/// Whether a process is gone, or dead and only waits to be reaped.
bool has_ended(pid_t pid);

bool have_ended(const std::vector<pid_t>& pids);

} // namespace stoker::process::test
