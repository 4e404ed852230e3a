#include "web/http_peer.hpp"

#include <unistd.h>

#include <memory>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "network/peer_name.hpp"

namespace stoker {

namespace {

namespace ip = boost::asio::ip;

SocketAddress address_of(const ip::tcp::endpoint& x) {
  return {x.address().to_string(), x.port()};
}

} // namespace

HttpPeer http_peer(const SocketAddress& here, const SocketAddress& peer) {
  auto owner = find_peer_owner(here, peer);
  auto is_trusted = owner.kind == PeerOwner::Kind::user
                    && (owner.user == 0 || owner.user == ::geteuid());
  return {peer_name(peer, owner), is_trusted,
          owner.kind == PeerOwner::Kind::closed};
}

SocketAddress own_address(const ip::tcp::socket& socket) {
  boost::system::error_code error;
  return address_of(socket.local_endpoint(error));
}

SocketAddress peer_address(const ip::tcp::socket& socket) {
  boost::system::error_code error;
  return address_of(socket.remote_endpoint(error));
}

std::optional<Identity> person_behind(SSL* connection) {
  std::unique_ptr<X509, decltype(&X509_free)> certificate{
      SSL_get1_peer_certificate(connection), X509_free};
  if (!certificate)
    return std::nullopt;
  auto found = identity_of(certificate.get());
  return found ? std::optional{*std::move(found)} : std::nullopt;
}

} // namespace stoker
