#pragma once

#include <sys/types.h>

#include <optional>

#include "network/address.hpp"

namespace stoker {

/// What the kernel says of the process at the other end of a TCP connection (sock_diag(7)).
struct PeerOwner {
  enum class Kind {
    /// A process of `user` on this machine has it.
    user,

    /// The connection is one over loopback, and no process has its other end: that is closed,
    /// or packets are redirected between the ends.
    closed,

    /// The connection goes to another machine, or the kernel cannot be asked.
    unknown
  };
  Kind kind = Kind::unknown;

  /// Valid if the kind is `user`.
  uid_t user = 0;

  friend bool operator==(const PeerOwner&, const PeerOwner&) = default;
};

/// Asks the kernel who has the other end of a connection: over loopback, or from an address of
/// this machine to the same address.
PeerOwner find_peer_owner(const SocketAddress& here, const SocketAddress& peer);

/// Returns true if a socket is connected, and has not received the end of the connection.
bool is_established(int socket);

/// Says why a connection that is established is closed if its other end has no owner.
constexpr const char* no_owner_text
    = "no process of this machine has its other end (is the port redirected?)";

/// Returns the user whose process has the other end of a connection, at any address of this
/// machine.
/// @return std::nullopt if that end is on another machine, is closed, or has not been accepted
/// by its process yet
std::optional<uid_t> owner_of_peer(const SocketAddress& here,
                                   const SocketAddress& peer);

/// Returns the user whose process would accept a connection to a numeric address.
/// @return std::nullopt if no process of this machine listens there
std::optional<uid_t> owner_of_listener(const SocketAddress& at);

} // namespace stoker
