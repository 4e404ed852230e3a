#pragma once

#include <string>

#include "network/connection_owner.hpp"

namespace stoker {

/// The peer that a connection counts for, if peers have shares: "user 1000" on this machine,
/// whose kernel knows the user; or else an address, of IPv6 its network ("fe80::/64"), since a
/// machine that has one address there has all.
std::string peer_name(const SocketAddress& peer, const PeerOwner& owner);

} // namespace stoker
