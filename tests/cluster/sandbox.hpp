#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tests/cluster/process.hpp"

namespace stoker::test {

/// A place for one test: a directory, the processes that the test starts, and
/// whatever they start. Its end proves that nothing of it is left.
class Sandbox {
public:
  Sandbox();

  /// Asks what was started to end, the last first, and fails the test if
  /// anything is left then. After a failure, and where STOKER_SHOW_OUTPUTS is
  /// set, it shows what the processes wrote, and what those wait for that
  /// still run. Then it kills all of them.
  ~Sandbox();

  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// A path in the sandbox's directory.
  [[nodiscard]] std::string path(const std::string& name) const;

  /// Starts a process, with the environment of the sandbox. What it writes is
  /// kept.
  Process& start(std::vector<std::string> words);

  /// Starts `stoker` with these words.
  Process& stoker(std::vector<std::string> words);

  /// Runs `stoker` with these words to its end.
  Result run(std::vector<std::string> words);

  /// All processes of the sandbox that live: those with its marker in their
  /// environment, and those with a file of its directory open, as supervisors
  /// have. Described for people.
  [[nodiscard]] std::map<pid_t, std::string> processes() const;

  /// A TCP port of the loopback address that nobody else gets while this
  /// sandbox lives, and on which its processes may listen.
  std::uint16_t reserve_port();

  /// Sends KILL to all of them.
  void kill_all();

  /// What `start` gives to each process.
  std::map<std::string, std::string> environment;

  /// Put before each command of `start`, as `ip netns exec NAME`.
  std::vector<std::string> prefix;

  /// Run processes as another user than root.
  bool unprivileged = false;

private:
  void stop_all();
  void show_outputs();

  std::string path_;
  std::string marker_;
  std::deque<Process> processes_;
  std::vector<int> reserved_;
};

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

} // namespace stoker::test
