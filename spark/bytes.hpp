#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/endian/conversion.hpp>

namespace stoker::spark {

// Numbers as Java writes them: fixed sizes, the highest byte first (java.io.DataOutput).

template <std::integral T>
void put_big_endian(std::string& out, T x) {
  auto bits = static_cast<std::make_unsigned_t<T>>(x);
  if constexpr (sizeof(T) == 1) {
    out += static_cast<char>(bits);
  } else {
    bits = boost::endian::native_to_big(bits);
    std::array<char, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &bits, sizeof bits);
    out.append(bytes.data(), bytes.size());
  }
}

/// A length of four bytes, and as many bytes (Spark's Encoders.Strings).
inline void put_counted_text(std::string& out, std::string_view x) {
  put_big_endian(out, static_cast<std::int32_t>(x.size()));
  out += x;
}

/// Takes numbers from the front of bytes that somebody else wrote.
class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {
  }

  /// @throws WireError when there are not so many bytes
  template <std::integral T>
  T take() {
    std::make_unsigned_t<T> bits{};
    std::memcpy(&bits, take_bytes(sizeof bits).data(), sizeof bits);
    return static_cast<T>(boost::endian::big_to_native(bits));
  }

  /// @throws WireError when there are not so many
  std::string_view take_bytes(std::size_t count) {
    if (count > left())
      fail_short(count);
    auto result = bytes_.substr(at_, count);
    at_ += count;
    return result;
  }

  /// A length of two bytes, and as many bytes (DataOutput.writeUTF).
  /// @throws WireError when there are not so many
  std::string_view take_short_text() {
    return take_bytes(take<std::uint16_t>());
  }

  /// How many bytes were taken.
  [[nodiscard]] std::size_t offset() const noexcept {
    return at_;
  }

  [[nodiscard]] std::size_t left() const noexcept {
    return bytes_.size() - at_;
  }

  /// All that were not taken; takes them.
  std::string_view take_rest() noexcept {
    auto result = bytes_.substr(at_);
    at_ = bytes_.size();
    return result;
  }

private:
  [[noreturn]] void fail_short(std::size_t wanted) const;

  std::string_view bytes_;
  std::size_t at_ = 0;
};

} // namespace stoker::spark
