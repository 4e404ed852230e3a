#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gateway/frame_server.hpp"
#include "messages/ids.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Returns how far a shuffle service trusts a peer: executors of this machine as own peers, and
/// executors of other machines, who have no owner here, as newcomers. Fails with
/// `Errc::not_allowed` for other users of this machine, and with `Errc::not_running` for a
/// process of this machine that has closed the connection.
Result<PeerTrust> trust_in_executor(const FrameConnection& x);

struct ShuffleServiceConfig {
  /// Where executors of all machines fetch from. Port 0 chooses one.
  SocketAddress listen{"127.0.0.1", 0};

  /// The files of an application's executors are in a directory of its name there.
  std::string directory;

  /// How far peers are trusted.
  std::function<Result<PeerTrust>(const FrameConnection&)> trust
      = trust_in_executor;
};

/// Spark's external shuffle service, for executors of all versions: serves what executors
/// of this machine have written for others, also when these have ended. It takes what
/// executors of this machine say, of the user who runs it, and serves files of the
/// application's own directory only. Over loopback it serves that user's programs and
/// root's; executors of other machines prove nothing to each other, and are newcomers until they
/// ask for blocks of an executor that is served here. Does not merge blocks
/// (spark.shuffle.push.enabled). Has a thread of its own.
class ShuffleService {
public:
  /// Fails with `Errc::in_use` where another process has the port, and with `Errc::failed`.
  static Result<std::unique_ptr<ShuffleService>>
  start(const ShuffleServiceConfig& config);

  /// Closes all connections.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~ShuffleService();

  ShuffleService(const ShuffleService&) = delete;
  ShuffleService& operator=(const ShuffleService&) = delete;

  /// Names the application of each executor that says where it writes. Replaces an earlier
  /// listener.
  ///
  /// @param listener Called by the service's thread until the service is destroyed. It must
  /// not block, and must not call this function.
  void report_to(std::function<void(const AppId&)> listener);

  [[nodiscard]] std::uint16_t port() const noexcept {
    return port_;
  }

private:
  class Conversations;

  explicit ShuffleService(const ShuffleServiceConfig& config);

  std::unique_ptr<Conversations> conversations_;
  FrameServer server_;
  std::uint16_t port_ = 0;
};

} // namespace stoker
