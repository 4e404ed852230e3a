#pragma once

#include <compare>
#include <cstdint>

#include "messages/describe.hpp"

namespace stoker {

/// Orders the connections of one endpoint: a registration with a lower stamp was
/// sent earlier, whenever it arrives.
struct ConnectionStamp {
  /// How many processes the endpoint had before.
  std::uint64_t life = 0;

  /// The number of the connection within the process.
  std::uint64_t connection = 0;

  friend auto operator<=>(const ConnectionStamp&, const ConnectionStamp&)
      = default;
};
BOOST_DESCRIBE_STRUCT(ConnectionStamp, (), (life, connection))

} // namespace stoker
