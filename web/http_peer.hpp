#pragma once

#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <openssl/ssl.h>

#include "gateway/frame_server.hpp"
#include "network/identity.hpp"

namespace stoker {

/// Whom a connection counts for.
struct HttpPeer {
  /// As "user 1000" on this machine, whose kernel knows the user; else an address, of IPv6
  /// its network ("fe80::/64"): whoever has one address there has all.
  std::string name;

  /// The user of this process, or root.
  bool is_trusted = false;

  /// Its end is on this machine, and no process has it.
  bool has_no_owner = false;

  friend bool operator==(const HttpPeer&, const HttpPeer&) = default;
};

HttpPeer http_peer(const SocketAddress& here, const SocketAddress& peer);

// The ends of a connection.

SocketAddress own_address(const boost::asio::ip::tcp::socket& socket);
SocketAddress peer_address(const boost::asio::ip::tcp::socket& socket);

/// Whom a certificate names that was shown, and whose signature was checked. Nobody: none
/// was, or it is none of a cluster's.
std::optional<Identity> person_behind(SSL* connection);

} // namespace stoker
