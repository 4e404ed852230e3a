#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "messages/result.hpp"
#include "network/address.hpp"

namespace stoker {

/// How much a FrameServer takes of others.
struct FrameServerLimits {
  /// Connections that are open at once. One more is closed at once.
  std::size_t connections_max = 20'000;

  /// Of one frame, with its header. What is larger is not read.
  std::size_t frame_bytes_max = std::size_t{4} << 20U;

  /// Of frames that have begun and are not complete, on all connections.
  std::size_t incomplete_bytes_max = std::size_t{256} << 20U;

  /// How far a peer's frames may be ahead of the listener: no more of it is read then.
  int ahead_max = 64;

  /// What one peer may leave unread of what it was sent.
  std::size_t unread_bytes_max = std::size_t{16} << 20U;

  /// How long the first frame may take, and the rest of one that has begun.
  std::chrono::milliseconds frame_timeout{30'000};
};

/// Bytes of a file.
struct FileSegment {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  friend bool operator==(const FileSegment&, const FileSegment&) = default;
};

/// One end of a connection that carries frames. All functions may be called from any
/// thread.
class FrameConnection {
public:
  FrameConnection() = default;
  FrameConnection(const FrameConnection&) = delete;
  FrameConnection& operator=(const FrameConnection&) = delete;
  virtual ~FrameConnection() = default;

  /// Sends a whole frame, after all that were given before. Nothing happens once the
  /// connection is closed. A peer that leaves too much unread is closed.
  virtual void send(std::string frame) = 0;

  /// Sends the same with bytes of a file behind it, which is not opened before its turn
  /// has come, and not read into memory. Where it cannot be read then, the connection is
  /// closed.
  virtual void send_with_file(std::string head, FileSegment tail) = 0;

  /// The listener is done with one more frame of this connection.
  virtual void processed() = 0;

  /// Closes it, once what was sent before has gone. `why` is what the listener is told.
  virtual void close(std::string why) = 0;

  /// Both ends.
  [[nodiscard]] virtual const SocketAddress& here() const = 0;
  [[nodiscard]] virtual const SocketAddress& peer() const = 0;
};

using FrameConnectionPtr = std::shared_ptr<FrameConnection>;

class FrameServerState;

/// Carries frames that begin with their own length: 8 bytes, big endian, which counts
/// these 8 bytes as well (Spark's TransportFrameDecoder). What is in them is not looked at. Has a
/// thread of its own.
class FrameServer {
public:
  /// Who hears what happens; called on the server's thread, in order for each connection.
  struct Listener {
    std::function<void(const FrameConnectionPtr&)> opened;
    /// The frame is there during the call only.
    std::function<void(const FrameConnectionPtr&, std::string_view frame)>
        received;
    std::function<void(const FrameConnectionPtr&, const std::string& why)>
        closed;
  };

  FrameServer(FrameServerLimits limits, Listener listener);

  /// As `stop`.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~FrameServer();

  FrameServer(const FrameServer&) = delete;
  FrameServer& operator=(const FrameServer&) = delete;

  /// Takes connections. Port 0 chooses one. Returns the port. Fails with
  /// `Errc::in_use` where another process has it, and with `Errc::failed`.
  Result<std::uint16_t> listen(const std::string& host, std::uint16_t port);

  /// Opens a connection; the listener is not told of that. `done` gets the connection,
  /// or why there is none, on the server's thread.
  using Connected = std::function<void(Result<FrameConnectionPtr>)>;
  void connect(const SocketAddress& to, std::chrono::milliseconds timeout,
               Connected done);

  /// Does something on the server's thread, so much later; never, once the server is stopped. May
  /// outlive the server, and be called from any thread.
  using Later = std::function<void(std::function<void()> what)>;
  [[nodiscard]] Later later(std::chrono::milliseconds delay) const;

  /// Closes all connections, without telling the listener, which hears nothing any more
  /// then. Stopping twice is harmless.
  void stop();

private:
  std::shared_ptr<FrameServerState> state_;
};

} // namespace stoker
