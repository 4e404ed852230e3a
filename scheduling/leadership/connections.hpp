#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "messages/connection_stamp.hpp"
#include "messages/ids.hpp"

namespace stoker {

/// Numbers the connections to a master, from 1 on. 0 is none. What is behind a
/// number (an actor, a proxy of another protocol, a simulated socket) only the
/// host knows.
using PeerNumber = std::uint64_t;

/// Which endpoint is reached over which connection. Several endpoints may share
/// one. An endpoint that registers over a new connection leaves the old one: its
/// late end loses nobody, and what still comes over it does not count.
///
/// Invariant: every connection that is known here is the present one of at least
/// one endpoint.
class Connections {
public:
  /// What becomes of a message, and of the connections.
  struct Heard {
    /// Whether it came over the present connection of its sender.
    bool counts = false;

    /// The connection that nobody uses any more.
    std::optional<PeerNumber> unused;
  };

  /// `endpoint` says something over `peer`: with a stamp, it registers, and is
  /// reached over `peer` from now on, unless it has registered with a higher one
  /// since. Who is not reached at all is reached over `peer` as well.
  Heard hear(const EndpointId& endpoint, PeerNumber peer,
             const std::optional<ConnectionStamp>& stamp);

  /// The connection has ended. Returns who was reached over it, in order.
  std::vector<EndpointId> disconnect(PeerNumber peer);

  /// Forgets all. Returns the connections, in order of their endpoints.
  std::vector<PeerNumber> clear();

  /// How to reach an endpoint.
  [[nodiscard]] std::optional<PeerNumber>
  find(const EndpointId& endpoint) const;

  [[nodiscard]] std::size_t size() const noexcept {
    return by_endpoint_.size();
  }

private:
  struct Connection {
    PeerNumber peer = 0;
    ConnectionStamp stamp;
  };

  std::optional<PeerNumber> leave(const EndpointId& endpoint, PeerNumber peer);

  std::unordered_map<EndpointId, Connection> by_endpoint_;
  std::unordered_map<PeerNumber, std::set<EndpointId>> by_peer_;
};

} // namespace stoker
