#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace stoker {

// Numbers in files and messages: fixed sizes, the lowest byte first.

template <std::integral T>
void put_little_endian(std::string& out, T x) {
  auto bits
      = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(x));
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out += static_cast<char>(bits >> (8 * i) & 0xFFU);
}

/// Takes numbers from the front of bytes that somebody else wrote.
class LittleEndianReader {
public:
  explicit LittleEndianReader(std::span<const char> bytes) : left_(bytes) {
  }

  /// The next number; 0 if there are not so many bytes: see `failed`.
  template <std::integral T>
  T take() {
    if (left_.size() < sizeof(T)) {
      failed_ = true;
      left_ = {};
      return 0;
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(left_[i]))
              << (8 * i);
    left_ = left_.subspan(sizeof(T));
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(bits));
  }

  /// Whether the next bytes are these; takes as many.
  bool take(std::string_view expected) {
    auto same = left_.size() >= expected.size()
                && std::string_view{left_.data(), expected.size()} == expected;
    left_ = same ? left_.subspan(expected.size()) : std::span<const char>{};
    failed_ = failed_ || !same;
    return same;
  }

  /// Whether bytes were missing.
  [[nodiscard]] bool failed() const noexcept {
    return failed_;
  }

  [[nodiscard]] std::span<const char> left() const noexcept {
    return left_;
  }

private:
  std::span<const char> left_;
  bool failed_ = false;
};

} // namespace stoker
