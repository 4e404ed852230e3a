#include "network/connection_owner.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>

#include "process/socket_owner.hpp"

namespace stoker {

namespace {

bool is_loopback(const process::SocketEnd& x) {
  constexpr std::array<unsigned char, 16> v6{0, 0, 0, 0, 0, 0, 0, 0,
                                             0, 0, 0, 0, 0, 0, 0, 1};
  return x.is_v4 ? x.address.front() == 127 : x.address == v6;
}

} // namespace

PeerOwner find_peer_owner(const SocketAddress& here,
                          const SocketAddress& peer) {
  using Kind = PeerOwner::Kind;
  auto own = process::socket_end(peer.host, peer.port);
  auto other = process::socket_end(here.host, here.port);
  if (!own || !other)
    return {};
  auto loopback = is_loopback(*own);
  if (!loopback && own->address != other->address)
    return {};
  auto owner = process::find_end_owner(*own, *other);
  switch (owner.kind) {
  case process::EndOwner::Kind::user:
    return {Kind::user, owner.user};
  case process::EndOwner::Kind::none:
    // An address of this machine may stand for a container behind it, which has its sockets
    // elsewhere.
    return {loopback ? Kind::closed : Kind::unknown};
  case process::EndOwner::Kind::unknown:
    break;
  }
  return {};
}

bool is_established(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0
         && info.tcpi_state == TCP_ESTABLISHED;
}

std::optional<uid_t> owner_of_peer(const SocketAddress& here,
                                   const SocketAddress& peer) {
  auto own = process::socket_end(peer.host, peer.port);
  auto other = process::socket_end(here.host, here.port);
  return own && other ? process::owner_of_connection(*own, *other)
                      : std::nullopt;
}

std::optional<uid_t> owner_of_listener(const SocketAddress& at) {
  auto end = process::socket_end(at.host, at.port);
  return end ? process::owner_of_listener(*end) : std::nullopt;
}

} // namespace stoker
