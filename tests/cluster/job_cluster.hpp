#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/cluster/cluster.hpp"

namespace stoker::test {

/// The beginning of a stage of four tasks, up to its command.
inline constexpr const char* range_of_4
    = R"({"name": "a", "input": {"range": 4}, "command": )";

/// Two workers of a core each, and job files.
struct JobCluster : Cluster {
  JobCluster();

  /// Starts nothing.
  explicit JobCluster(int) {
  }

  /// Starts a worker of one core in that directory of the sandbox, and waits until it
  /// has registered.
  Process& start_core(const std::string& directory);

  /// Writes a job of these stages.
  /// @param conf Its settings, as members of an object.
  std::string job(const std::string& stages, const std::string& conf = {});

  Result run_job(const std::string& stages,
                 std::vector<std::string> options = {});
  Process& start_job(const std::string& stages, const std::string& conf = {});

  /// `"working_directory": ...`: the sandbox's.
  [[nodiscard]] std::string here() const;

  /// Tasks that wait for `go` may go on.
  void go() const;

  /// What `stoker status jobs --json` says of the last application; null: nothing.
  boost::json::value jobs(const std::string& what = "jobs");

  /// How all of them stand.
  std::vector<std::string> states(const std::string& what = "jobs");

  /// Processes that run tasks: those that a supervisor has started.
  std::vector<pid_t> executors();

  /// Processes whose command line has these words.
  std::vector<pid_t> running(const std::string& words);
};

} // namespace stoker::test
