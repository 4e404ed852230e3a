#include "messages/fingerprint.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

#include "messages/all.hpp"
#include "messages/layout.hpp"

namespace stoker {

namespace {

std::string layout_of_all() {
  std::string result;
// A type in parentheses is no type.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define STOKER_LAYOUT(Type) result += #Type + layout_of<Type>() + '\n';
  STOKER_WIRE_MESSAGES(STOKER_LAYOUT)
#undef STOKER_LAYOUT
  return result;
}

/// FNV-1a of 64 bits.
std::uint64_t hash(const std::string& text) {
  std::uint64_t result = 0xcbf29ce484222325U;
  for (unsigned char c : text)
    result = (result ^ c) * 0x100000001b3U;
  return result;
}

} // namespace

const std::string& message_fingerprint() {
  static const std::string result = [] {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx",
                  static_cast<unsigned long long>(hash(layout_of_all())));
    return std::string{text.data()};
  }();
  return result;
}

} // namespace stoker
