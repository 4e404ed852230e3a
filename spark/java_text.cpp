#include "spark/java_text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace stoker::spark {

namespace {

constexpr std::uint32_t no_character = 0xFFFD;

constexpr std::uint32_t byte_at(std::string_view x, std::size_t i) {
  return static_cast<unsigned char>(x[i]);
}

constexpr bool continues(std::string_view x, std::size_t i) {
  return i < x.size() && (byte_at(x, i) & 0xC0U) == 0x80U;
}

/// A character of either encoding, and where the next one begins.
struct Decoded {
  std::uint32_t value = no_character;
  std::size_t next = 0;
};

/// The unit of one to three bytes at `i`.
std::optional<Decoded> unit_at(std::string_view x, std::size_t i) {
  auto first = byte_at(x, i);
  if (first < 0x80)
    return Decoded{first, i + 1};
  if ((first & 0xE0U) == 0xC0U && continues(x, i + 1))
    return Decoded{(first & 0x1FU) << 6U | (byte_at(x, i + 1) & 0x3FU), i + 2};
  if ((first & 0xF0U) == 0xE0U && continues(x, i + 1) && continues(x, i + 2))
    return Decoded{(first & 0x0FU) << 12U | (byte_at(x, i + 1) & 0x3FU) << 6U
                       | (byte_at(x, i + 2) & 0x3FU),
                   i + 3};
  return {};
}

constexpr bool is_high_surrogate(std::uint32_t x) {
  return x >= 0xD800 && x < 0xDC00;
}

constexpr bool is_low_surrogate(std::uint32_t x) {
  return x >= 0xDC00 && x < 0xE000;
}

/// The character at `i` of modified UTF-8, of one unit or two.
Decoded modified_at(std::string_view x, std::size_t i) {
  auto unit = unit_at(x, i);
  if (!unit)
    return {no_character, i + 1};
  if (!is_high_surrogate(unit->value) && !is_low_surrogate(unit->value))
    return *unit;
  if (is_high_surrogate(unit->value) && unit->next < x.size())
    if (auto low = unit_at(x, unit->next); low && is_low_surrogate(low->value))
      return {0x10000U + ((unit->value - 0xD800U) << 10U)
                  + (low->value - 0xDC00U),
              low->next};
  return {no_character, unit->next};
}

/// The character at `i` of UTF-8.
Decoded utf8_at(std::string_view x, std::size_t i) {
  if (auto unit = unit_at(x, i)) {
    auto bytes = unit->next - i;
    auto least = bytes == 1 ? 0U : bytes == 2 ? 0x80U : 0x800U;
    auto good = unit->value >= least && !is_high_surrogate(unit->value)
                && !is_low_surrogate(unit->value);
    return {good ? unit->value : no_character, good ? unit->next : i + 1};
  }
  if ((byte_at(x, i) & 0xF8U) == 0xF0U && continues(x, i + 1)
      && continues(x, i + 2) && continues(x, i + 3)) {
    auto value
        = (byte_at(x, i) & 0x07U) << 18U | (byte_at(x, i + 1) & 0x3FU) << 12U
          | (byte_at(x, i + 2) & 0x3FU) << 6U | (byte_at(x, i + 3) & 0x3FU);
    if (value >= 0x10000 && value < 0x110000)
      return {value, i + 4};
  }
  return {no_character, i + 1};
}

void put_tail(std::string& out, std::uint32_t x, unsigned shift) {
  out += static_cast<char>(0x80U | (x >> shift & 0x3FU));
}

/// A unit of two or three bytes.
void put_unit(std::string& out, std::uint32_t x) {
  if (x < 0x800) {
    out += static_cast<char>(0xC0U | x >> 6U);
  } else {
    out += static_cast<char>(0xE0U | x >> 12U);
    put_tail(out, x, 6);
  }
  put_tail(out, x, 0);
}

void put_utf8(std::string& out, std::uint32_t x) {
  if (x < 0x80) {
    out += static_cast<char>(x);
  } else if (x < 0x10000) {
    put_unit(out, x);
  } else {
    out += static_cast<char>(0xF0U | x >> 18U);
    put_tail(out, x, 12);
    put_tail(out, x, 6);
    put_tail(out, x, 0);
  }
}

void put_modified(std::string& out, std::uint32_t x) {
  if (x != 0 && x < 0x80) {
    out += static_cast<char>(x);
  } else if (x < 0x10000) {
    put_unit(out, x);
  } else {
    put_unit(out, 0xD800U + ((x - 0x10000U) >> 10U));
    put_unit(out, 0xDC00U + ((x - 0x10000U) & 0x3FFU));
  }
}

/// Whether all bytes are below 0x80. Looks at eight at once: nearly all texts are so.
bool is_ascii(std::string_view x) {
  constexpr std::uint64_t high = 0x8080808080808080;
  std::uint64_t seen = 0;
  std::size_t i = 0;
  for (; i + 8 <= x.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, x.data() + i, 8);
    seen |= word;
  }
  for (; i < x.size(); ++i)
    seen |= static_cast<unsigned char>(x[i]);
  return (seen & high) == 0;
}

/// Whether both encodings have the same bytes for it.
bool is_plain(std::string_view x) {
  return is_ascii(x) && x.find('\0') == std::string_view::npos;
}

} // namespace

bool is_modified_utf8(std::string_view x) noexcept {
  if (is_ascii(x))
    return true;
  for (std::size_t i = 0; i < x.size();) {
    auto unit = unit_at(x, i);
    if (!unit)
      return false;
    i = unit->next;
  }
  return true;
}

std::string to_utf8(std::string_view modified) {
  if (is_plain(modified))
    return std::string{modified};
  std::string result;
  for (std::size_t i = 0; i < modified.size();) {
    auto x = modified_at(modified, i);
    put_utf8(result, x.value);
    i = x.next;
  }
  return result;
}

std::string to_modified_utf8(std::string_view utf8) {
  if (is_plain(utf8))
    return std::string{utf8};
  std::string result;
  for (std::size_t i = 0; i < utf8.size();) {
    auto x = utf8_at(utf8, i);
    put_modified(result, x.value);
    i = x.next;
  }
  return result;
}

} // namespace stoker::spark
