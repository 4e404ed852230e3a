#include "web/http_peer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "network/connection_owner.hpp"

namespace stoker {

namespace {

namespace ip = boost::asio::ip;

std::string network_of(const std::string& host) {
  boost::system::error_code error;
  auto address = ip::make_address(host, error);
  if (error || address.is_v4())
    return host;
  auto v6 = address.to_v6();
  if (v6.is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, v6).to_string();
  constexpr std::size_t prefix_bytes = 8;
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + prefix_bytes, bytes.end(), std::uint8_t{0});
  return ip::address_v6{bytes}.to_string() + "/64";
}

SocketAddress address_of(const ip::tcp::endpoint& x) {
  return {x.address().to_string(), x.port()};
}

} // namespace

HttpPeer http_peer(const SocketAddress& here, const SocketAddress& peer) {
  if (auto user = owner_of_peer(here, peer))
    return {"user " + std::to_string(*user),
            *user == 0 || *user == ::geteuid()};
  return {network_of(peer.host), false};
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
