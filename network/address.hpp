#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// Where a master listens.
struct MasterAddress {
  std::string host;
  std::uint16_t port = 7070;

  friend bool operator==(const MasterAddress&, const MasterAddress&) = default;
};

/// Reads `HOST[:PORT]`; an IPv6 address stands in brackets. Nothing: it is none.
/// @param default_port where there is none
std::optional<MasterAddress> parse_host_port(std::string_view text,
                                             std::uint16_t default_port);

/// `HOST:PORT`; an IPv6 address stands in brackets.
std::string host_port(std::string_view host, std::uint16_t port);

/// A place on the network, such as "127.0.0.1" and 7077.
struct SocketAddress {
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
};

/// As `host_port`.
std::string to_string(const SocketAddress& x);

/// `stoker://HOST:PORT`
std::string to_string(const MasterAddress& x);

/// Reads `stoker://HOST[:PORT][,HOST[:PORT]...]`; an IPv6 address stands in
/// brackets. At least one address.
Result<std::vector<MasterAddress>> parse_master_url(std::string_view url);

/// Whether nobody but this machine can reach an address: `localhost`,
/// 127.0.0.0/8 and ::1.
bool is_loopback(std::string_view host);

} // namespace stoker
