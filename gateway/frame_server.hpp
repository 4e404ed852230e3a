#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  std::size_t incomplete_bytes_max = std::size_t{64} << 20U;

  /// How far a peer's frames may be ahead of the listener: no more of it is read then.
  std::size_t ahead_max = 64;

  /// Of frames that the listener has not processed, on all connections. Peers wait above it.
  std::size_t queued_bytes_max = std::size_t{64} << 20U;

  /// What one peer may leave unread of what it was sent.
  std::size_t unread_bytes_max = std::size_t{16} << 20U;

  /// Bytes that all peers together may leave unread.
  std::size_t unread_bytes_of_all_max = std::size_t{64} << 20U;

  /// How long the first frame may take, and the rest of one that has begun.
  std::chrono::milliseconds frame_timeout{30'000};

  /// How long a peer that the listener has not accepted may be silent.
  std::chrono::milliseconds silence_max{120'000};

  /// The peers of one user, or of one network address, get at most this part of all
  /// connections and bytes: 4 means a quarter. Own peers may take all.
  std::size_t parts = 4;

  /// What all newcomers have together, and each of them.
  struct Newcomers {
    std::size_t connections_max = 128;

    /// Of one user, or of one network address.
    std::size_t connections_each = 32;
    std::size_t incomplete_bytes_max = std::size_t{8} << 20U;
    std::size_t unread_bytes_max = std::size_t{8} << 20U;
    std::size_t frame_bytes_max = std::size_t{64} << 10U;
    std::size_t ahead_max = 1;
  };
  Newcomers newcomers;
};

/// How a peer is limited before its first byte is read.
enum class PeerTrust {
  /// As FrameServerLimits::Newcomers says, until the listener accepts it.
  newcomer,

  /// Its process runs as the user of this process, or as root.
  own,
};

/// Returns how far a peer is trusted whose user is this one; unset: the user is unknown.
PeerTrust trust_in(std::optional<uid_t> owner);

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

  /// The listener has accepted what the peer is: from now on the peer may be silent, and has
  /// the limits of own peers but for its part of them. Repeating it changes nothing.
  virtual void accept() = 0;

  /// Closes it, once what was sent before has gone. `why` is what the listener is told.
  virtual void close(std::string why) = 0;

  /// Both ends.
  [[nodiscard]] virtual const SocketAddress& here() const = 0;
  [[nodiscard]] virtual const SocketAddress& peer() const = 0;

  /// The user of the process at the other end, as the kernel knew it before the first byte
  /// was read. Unset: the process is on another machine.
  [[nodiscard]] virtual std::optional<uid_t> owner() const = 0;
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

    /// Called before `opened`, for connections that come. A connection that it refuses is
    /// closed at once. Unset: all peers are own.
    std::function<Result<PeerTrust>(const FrameConnection&)> admit = {};

    /// Returns what a peer is sent that begins with a request of HTTP in place of a frame, before
    /// its connection closes. Without this, it is closed at once.
    /// @param request the first bytes, `http_line_max` at most
    std::function<std::string(const FrameConnection&, std::string_view request)>
        answer_http = {};

    /// Returns whether a newcomer is accepted by the beginning of a frame that is too large for
    /// newcomers. Unset: all are refused.
    /// @param begin the first `Newcomers::frame_bytes_max` bytes of the frame
    std::function<bool(const FrameConnection&, std::string_view begin)> knows
        = {};
  };

  /// Returns an error if a process of this user must not be spoken to. Unset: the kernel
  /// does not know the user, or no process listens.
  using CheckOwner = std::function<Status(std::optional<uid_t> owner)>;

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
  /// @param check is asked for the user who listens at `to` before the connection is opened,
  /// and for the user who has accepted it before the first byte is read. If it fails then,
  /// the connection is closed.
  using Connected = std::function<void(Result<FrameConnectionPtr>)>;
  void connect(const SocketAddress& to, std::chrono::milliseconds timeout,
               CheckOwner check, Connected done);

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
