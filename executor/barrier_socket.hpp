#pragma once

#include <memory>
#include <string>

#include "executor/barrier_port.hpp"
#include "messages/job_ids.hpp"
#include "messages/result.hpp"

namespace stoker::executor {

/// Local sockets by which programs of barrier tasks wait for the others: one for each
/// task, which only the user of this process can open. A caller that is gone while it
/// waits has called all the same. Functions may be called by any thread.
class BarrierSocket {
public:
  /// @param port Outlives this object.
  /// @param directory Sockets are made in a directory of their own in it. What is left
  /// after a SIGKILL is there.
  BarrierSocket(BarrierPort& port, std::string directory);

  /// Nobody is answered any more.
  /// @pre no call waits at the port
  // NOLINTNEXTLINE(bugprone-exception-escape)
  ~BarrierSocket();

  BarrierSocket(const BarrierSocket&) = delete;
  BarrierSocket& operator=(const BarrierSocket&) = delete;

  /// Opens the socket of a task. Returns its path: if that of the directory is too long for
  /// a socket's, one below /proc/PID/fd, which other processes of this user can open as long
  /// as this one lives. Fails with `Errc::io`.
  Result<std::string> open(const TaskAttempt& task);

  /// The task has ended.
  void close(const TaskAttempt& task);

private:
  class Service;
  std::shared_ptr<Service> service_;
};

} // namespace stoker::executor
