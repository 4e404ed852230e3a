#pragma once

#include <compare>
#include <cstdint>

#include "messages/describe.hpp"

namespace stoker {

/// Counts the ends of an application's executors from 1, in the order in which
/// the application is told of them: whoever has heard of one has heard of all
/// before. 0: none.
struct EndNumber {
  std::uint64_t value = 0;

  friend auto operator<=>(const EndNumber&, const EndNumber&) = default;
};
BOOST_DESCRIBE_STRUCT(EndNumber, (), (value))

} // namespace stoker
