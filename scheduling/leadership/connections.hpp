#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "messages/ids.hpp"

namespace stoker {

/// Numbers the connections to a master, from 1 on. 0 is none. What is behind a
/// number (an actor, a proxy of another protocol, a simulated socket) only the
/// host knows.
using PeerNumber = std::uint64_t;

/// Which endpoint is reached over which connection. Several endpoints may share
/// one. An endpoint that comes back over a new connection leaves the old one,
/// whose late end then loses nobody.
///
/// Invariant: every connection that is known here is the present one of at least
/// one endpoint.
class Connections {
public:
  /// From now on `endpoint` is reached over `peer`. Returns the connection that
  /// nobody uses any more, if there is one.
  std::optional<PeerNumber> connect(const EndpointId& endpoint,
                                    PeerNumber peer);

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
  std::unordered_map<EndpointId, PeerNumber> by_endpoint_;
  std::unordered_map<PeerNumber, std::set<EndpointId>> by_peer_;
};

} // namespace stoker
