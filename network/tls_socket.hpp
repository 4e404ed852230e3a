#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <openssl/types.h>

#include "network/application_tls.hpp"

namespace stoker {

/// TLS directly over a socket that does not block: for those who carry much, and
/// wait for the socket themselves. Many records go to the socket at a time.
class TlsSocket {
public:
  /// What came of trying.
  enum class Outcome {
    /// Something was done.
    done,
    /// The socket has to become readable first, or writable.
    wants_read,
    wants_write,
    /// The other side has ended the connection in good order.
    ended,
    /// It is broken; `problem` says how.
    failed
  };

  struct Tried {
    Outcome outcome = Outcome::failed;

    /// How many were read or written.
    std::size_t bytes = 0;
  };

  enum class Side { client, server };

  /// @param socket connected, does not block, stays open as long as this object
  TlsSocket(const std::shared_ptr<TlsContext>& context, int socket, Side side);
  ~TlsSocket();

  TlsSocket(const TlsSocket&) = delete;
  TlsSocket& operator=(const TlsSocket&) = delete;

  Tried shake_hands();

  /// Reads as much as is there and fits.
  Tried read(std::span<char> into);

  /// Takes a part, at least. What the socket does not take now waits here, and goes
  /// with the next bytes, or by `flush`.
  Tried write(std::span<const char> bytes);

  /// Sends what waits. Done: nothing waits any more, nor is memory kept for it.
  Tried flush();

  /// As the function of that name.
  [[nodiscard]] std::optional<AppId> proven_application() const;

  /// Why it failed, in a line.
  [[nodiscard]] const std::string& problem() const noexcept {
    return problem_;
  }

private:
  Tried judge(int result, std::size_t bytes);

  /// `done`, `wants_write` or `failed`.
  Outcome send_waiting();

  int socket_;

  /// Encrypted bytes, and how many of them are sent.
  std::vector<char> waiting_;
  std::size_t sent_ = 0;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  std::string problem_;
};

} // namespace stoker
