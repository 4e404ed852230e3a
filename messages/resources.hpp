#pragma once

#include <cstdint>

#include "messages/describe.hpp"

namespace stoker {

/// So much of a cluster: what is there, asked for, or taken.
struct Resources {
  std::int64_t cores = 0;
  std::int64_t memory_mb = 0;

  Resources& operator+=(const Resources& x) noexcept {
    cores += x.cores;
    memory_mb += x.memory_mb;
    return *this;
  }
  Resources& operator-=(const Resources& x) noexcept {
    cores -= x.cores;
    memory_mb -= x.memory_mb;
    return *this;
  }
  friend Resources operator+(Resources a, const Resources& b) noexcept {
    return a += b;
  }
  friend Resources operator-(Resources a, const Resources& b) noexcept {
    return a -= b;
  }
};
BOOST_DESCRIBE_STRUCT(Resources, (), (cores, memory_mb))

/// Whether `a` is no more than `b` in both respects.
inline bool fits_in(const Resources& a, const Resources& b) noexcept {
  return a.cores <= b.cores && a.memory_mb <= b.memory_mb;
}

} // namespace stoker
