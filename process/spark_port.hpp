#pragma once

#include <string>
#include <variant>
#include <vector>

#include "process/unique_fd.hpp"

namespace stoker::process {

/// Which argument of a program is replaced by the address of its port.
inline constexpr const char* spark_worker_url = "{{WORKER_URL}}";

/// What a JVM of Spark's holds on to: it connects to its worker, asks once whether
/// that is one, and exits when the connection breaks (Spark's name: WorkerWatcher).
/// The supervisor is who lives exactly as long as the program, while a worker may be
/// started again, so the port is the supervisor's.
///
/// The port accepts connections of its own user and of root. A peer that has asked something
/// stays connected until the port is closed, however silent. A peer that has not is closed
/// when there are many.
class SparkPort {
public:
  /// Listens to this machine at a port that the kernel chooses. Fails with `errno`.
  static std::variant<SparkPort, int> open();

  /// One that is closed.
  SparkPort() = default;

  /// spark://Worker@127.0.0.1:PORT
  [[nodiscard]] const std::string& url() const noexcept {
    return url_;
  }

  /// What to wait for; then call `handle`.
  [[nodiscard]] std::vector<int> descriptors() const;

  /// Handles what has arrived. Never blocks, and nothing need have arrived.
  void handle();

  /// Breaks all connections.
  void close();

private:
  struct Connection {
    UniqueFd fd;
    std::string received;

    /// It speaks Spark's protocol.
    bool has_asked = false;
  };

  void accept_connections();

  /// Returns whether there is room for one more.
  bool make_room();

  /// Returns false when the connection has ended, or has to.
  static bool receive(Connection& connection);
  static bool answer_frames(Connection& connection);

  UniqueFd listener_;
  std::string url_;

  /// Those that came first come first.
  std::vector<Connection> connections_;
};

} // namespace stoker::process
