#pragma once

#include <cstdint>
#include <span>

namespace stoker {

/// CRC-32C (Castagnoli) of bytes that come in parts: what storage and network
/// protocols use, since processors have an instruction for it. It finds every
/// damage of up to 32 bits in a row, and misses one of 4 billion others.
class Checksum {
public:
  void add(std::span<const char> bytes) noexcept;

  /// Of all that was added; 0 of nothing.
  [[nodiscard]] std::uint32_t value() const noexcept {
    return ~state_;
  }

private:
  std::uint32_t state_ = 0xFFFF'FFFF;
};

inline std::uint32_t checksum_of(std::span<const char> bytes) noexcept {
  Checksum result;
  result.add(bytes);
  return result.value();
}

} // namespace stoker
