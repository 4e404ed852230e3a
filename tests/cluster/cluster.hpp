#pragma once

#include <boost/json.hpp>

#include "tests/cluster/sandbox.hpp"

namespace stoker::test {

/// The end of a worker that was started.
struct Worker {
  Process* process = nullptr;

  /// As `stoker status` shows it.
  std::string id;
};

/// A cluster of processes in a sandbox of its own. Commands of the sandbox find
/// its master by STOKER_MASTER.
class Cluster : public Sandbox {
public:
  /// Starts no process yet.
  Cluster();

  /// Starts all in one process and waits until it is ready.
  Process& start_local(const std::vector<std::string>& words);

  /// Starts a master and waits until it answers.
  Process& start_master(const std::vector<std::string>& words = {});

  /// Starts another master on the same data, waits until it is one in STANDBY, and names it
  /// to all that is started from now on.
  Process& start_standby(const std::vector<std::string>& words = {});

  /// Starts a worker of 2 cores and 1 GB and waits until it has registered.
  Worker start_worker(const std::vector<std::string>& words = {});

  [[nodiscard]] std::uint16_t port() const noexcept {
    return port_;
  }

  /// What `stoker status --json` says, once a master answers.
  boost::json::object status();

  /// Runs commands of a shell as `n` instances, without waiting for them.
  Process& start_script(int n, const std::string& script,
                        std::vector<std::string> options = {});

  /// As above, and waits for their end.
  Result run_script(int n, const std::string& script,
                    std::vector<std::string> options = {});

private:
  std::uint16_t port_ = reserve_port();
  int workers_ = 0;
};

/// Returns the user of the programs that this test submits.
std::string os_user();

/// Whether a process has written that to its standard error.
bool says(const Process& process, const std::string& words);

/// Waits until it has.
void await(Process& process, const std::string& words);

/// Checks that a command has ended with this exit code and said why in one line
/// with these words, and nothing else.
void check_refusal(const Result& result, int status, const std::string& words);

/// A field of an object, as text.
std::string text_of(const boost::json::value& object, const std::string& field);

/// The same field of each object in an array.
std::vector<std::string> values_of(const boost::json::value& array,
                                   const std::string& field);

} // namespace stoker::test
