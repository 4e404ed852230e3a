#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stoker::test {

/// Bytes of all values, which do not repeat soon (xorshift): what is lost, doubled or
/// exchanged on its way is seen.
inline std::string noise(std::size_t size) {
  std::string result(size, '\0');
  std::uint64_t x = 88172645463325252;
  for (auto& byte : result) {
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
    byte = static_cast<char>(x >> 32U);
  }
  return result;
}

} // namespace stoker::test
