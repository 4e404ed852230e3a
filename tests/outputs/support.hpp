#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "outputs/output_client.hpp"
#include "outputs/output_service.hpp"
#include "tests/network/applications.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stoker::test {

/// An attempt of task `task` in stage 1.
TaskAttempt attempt_of(int task, int stage = 1);

/// Limits with which a reader gives up soon.
FetchLimits impatient();

/// `bytes` of them, which differ for each seed.
std::string random_bytes(std::size_t bytes, unsigned seed = 1);

/// Writes an output and commits it. Throws when that fails.
void write_output(const std::string& directory, const TaskAttempt& attempt,
                  const std::vector<std::string>& partitions, int exec_id = 0);

/// The files in a directory, but for those of the service.
std::vector<std::string> files_in(const std::string& directory);

/// All that a reader has: what each source gave, or why it failed.
using ReadAll = std::variant<std::vector<std::string>, FetchFailure>;
ReadAll read_all(OutputReader reader, std::size_t sources);

/// What was read. Fails the test if there was a failure.
std::vector<std::string> content_of(const ReadAll& x);

/// Why it failed. Fails the test if it did not.
FetchFailure failure_of(const ReadAll& x);

/// The same server for a reader on another machine: it has no such directory.
OutputServer from_afar(OutputServer server);

/// A service with one application.
struct Serving {
  TemporaryDirectory files;
  ApplicationSecret secret = new_secret();
  OutputLimits limits;
  std::unique_ptr<OutputService> service;
  OutputServer server;

  explicit Serving(OutputLimits of_service = {});

  /// The service ends, and another one begins, at the same port.
  void restart();

  /// A reader's client, of the application.
  [[nodiscard]] OutputClient client() const {
    return {words, secret, impatient()};
  }

  /// An output, over a connection.
  [[nodiscard]] LocatedOutput remote(const TaskAttempt& attempt) const {
    return {from_afar(server), attempt};
  }

  /// An output, from its files.
  [[nodiscard]] LocatedOutput direct(const TaskAttempt& attempt) const {
    return {server, attempt};
  }
};

/// A process of its own. To be started while this one has no threads.
class Child {
public:
  /// Does something, and then nothing until it is ended. Returns once it is done.
  explicit Child(const std::function<void()>& what);
  ~Child();

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void stop() const;
  void kill();

private:
  pid_t id_ = -1;
};

} // namespace stoker::test
