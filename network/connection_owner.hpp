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

    /// The connection is one over loopback, and no process has its other end any more.
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

/// The same; std::nullopt unless the kernel names a user.
std::optional<uid_t> owner_of_peer(const SocketAddress& here,
                                   const SocketAddress& peer);

} // namespace stoker
