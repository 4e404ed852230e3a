#include "network/peer_name.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <boost/asio/ip/address.hpp>

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

} // namespace

std::string peer_name(const SocketAddress& peer, const PeerOwner& owner) {
  return owner.kind == PeerOwner::Kind::user
             ? "user " + std::to_string(owner.user)
             : network_of(peer.host);
}

} // namespace stoker
