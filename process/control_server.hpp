#pragma once

#include <functional>
#include <string>
#include <vector>

#include "process/control_protocol.hpp"
#include "process/line_buffer.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

/// The supervisor's side of the control protocol. At most one worker is
/// connected. Others that come become the worker by saying hello; those that
/// send anything else are disconnected.
class ControlServer {
public:
  using Handler = std::function<void(const Request&)>;

  /// @param worker The connection through which the launch came.
  /// @param received What the worker has sent behind the launch.
  ControlServer(UniqueFd worker, std::string received, Handler handler);

  /// Accepts connections on a listening socket from now on.
  void listen_on(UniqueFd listener);

  /// What to wait for; then call `handle`.
  [[nodiscard]] std::vector<int> descriptors() const;

  /// Handles what has arrived. Never blocks, and nothing need have arrived.
  void handle();

  [[nodiscard]] bool connected() const noexcept;

  /// Whether the worker is gone, even if what it said before is still unread.
  [[nodiscard]] bool worker_has_left() const;

  /// Sends to the worker, if one is connected.
  void send(const State& state);

private:
  struct Connection {
    UniqueFd fd;
    LineBuffer lines;
  };

  void accept_connections();

  /// Reads what others than the worker send first.
  void read_introductions();

  void handle_worker();

  UniqueFd listener_;
  Connection worker_;
  std::vector<Connection> unidentified_;
  Handler handler_;
};

} // namespace stoker::process
