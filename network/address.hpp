#pragma once

#include <cstdint>
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

/// `stoker://HOST:PORT`
std::string to_string(const MasterAddress& x);

/// Reads `stoker://HOST[:PORT][,HOST[:PORT]...]`; an IPv6 address stands in
/// brackets. At least one address.
Result<std::vector<MasterAddress>> parse_master_url(std::string_view url);

/// Whether nobody but this machine can reach an address: `localhost`,
/// 127.0.0.0/8 and ::1.
bool is_loopback(std::string_view host);

} // namespace stoker
