#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
  /// @param data Of a piece of input: its bytes.
  using Handler = std::function<void(const Request&, std::string_view data)>;

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
  void send(const InputState& state);

private:
  struct Connection {
    UniqueFd fd;
    LineBuffer lines;

    /// Whose bytes have not all come.
    std::optional<Request> begun;
  };

  void accept_connections();

  /// Reads what others than the worker send first.
  void read_introductions();

  void handle_worker();

  /// Returns false if the worker has sent something that is no request.
  bool handle_requests();

  void send_line(const std::string& text);

  UniqueFd listener_;
  Connection worker_;
  std::vector<Connection> unidentified_;
  Handler handler_;
};

} // namespace stoker::process
