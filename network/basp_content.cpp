#include "network/basp_content.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace stoker {

namespace {

constexpr std::string_view no_types = "@<>";
constexpr std::string_view own_prefix = "stoker.";
constexpr std::array<std::string_view, 4> plain_types{"@atom", "@i32", "@str",
                                                      "bool"};

/// In front of an error's context: its code and its category.
constexpr std::size_t error_head_bytes = 9;

/// Two bytes of zero, and the length of the names in one or two bytes of seven
/// bits.
constexpr std::size_t names_at_max = 4;

std::uint8_t byte(char x) {
  return static_cast<std::uint8_t>(x);
}

/// The names of a message's types, as "@<>+stoker.LeaderEpoch+stoker.KillDriver".
/// Nothing: they are not complete. Empty: they cannot be read.
std::optional<std::string_view> names_in(std::span<const char> message) {
  constexpr std::uint8_t more = 0x80;
  std::size_t at = 2;
  std::size_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (at == names_at_max)
      return std::string_view{};
    if (at >= message.size())
      return std::nullopt;
    auto x = byte(message[at++]);
    length |= static_cast<std::size_t>(x & ~more) << shift;
    if ((x & more) == 0)
      break;
  }
  if (message[0] != 0 || message[1] != 0
      || length > basp_beginning_max - names_at_max)
    return std::string_view{};
  if (message.size() - at < length)
    return std::nullopt;
  return std::string_view{message.data() + at, length};
}

bool is_own(std::string_view type) {
  return type.starts_with(own_prefix)
         || std::find(plain_types.begin(), plain_types.end(), type)
                != plain_types.end();
}

} // namespace

std::optional<BaspContent> basp_content(std::span<const char> message) {
  auto names = names_in(message);
  if (!names)
    return std::nullopt;
  if (!names->starts_with(no_types) || names->size() == no_types.size())
    return BaspContent::other;
  auto rest = names->substr(no_types.size());
  if (rest == "+@error")
    return BaspContent::error;
  while (!rest.empty()) {
    if (rest.front() != '+')
      return BaspContent::other;
    rest.remove_prefix(1);
    auto type = rest.substr(0, rest.find('+'));
    if (!is_own(type))
      return BaspContent::other;
    rest.remove_prefix(type.size());
  }
  return BaspContent::own;
}

bool is_plain_error(std::span<const char> bytes) {
  if (bytes.size() < error_head_bytes)
    return false;
  auto context = bytes.subspan(error_head_bytes);
  return context.empty() || names_in(context) == no_types
         || basp_content(context) == BaspContent::own;
}

} // namespace stoker
