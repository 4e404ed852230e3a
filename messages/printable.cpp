#include "messages/printable.hpp"

#include <cstddef>
#include <cstdint>

namespace stoker {

namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// How many bytes the character has that a text begins with; 0: it begins with none
/// (RFC 3629, section 4).
std::size_t bytes_of_first(std::string_view text) {
  auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80)
    return 1;
  auto count = first >= 0xf0 ? 4U : first >= 0xe0 ? 3U : 2U;
  if (first < 0xc2 || first > 0xf4 || text.size() < count)
    return 0;
  for (std::size_t i = 1; i < count; ++i)
    if (!continues(text[i]))
      return 0;
  auto second = static_cast<unsigned char>(text[1]);
  // Longer than need be, half of a UTF-16 pair, or beyond the last character.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)
      || (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
    return 0;
  return count;
}

/// Of ASCII, or the others that a terminal may obey.
bool is_control(std::string_view character) {
  auto first = static_cast<unsigned char>(character.front());
  return first < ' ' || first == 0x7f
         || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

/// Calls `take` with each character, and with nothing for a byte of none.
template <class Take>
void for_each_character(std::string_view text, Take take) {
  while (!text.empty()) {
    auto count = bytes_of_first(text);
    take(text.substr(0, count));
    text.remove_prefix(count == 0 ? 1 : count);
  }
}

/// Turns the direction around in which what follows is read (Unicode's bidirectional
/// formatting characters): a name could make a line say something else than it does.
bool turns_around(std::string_view character) {
  if (character == "\xd8\x9c") // U+061C
    return true;
  if (character.size() != 3 || character[0] != '\xe2')
    return false;
  auto second = static_cast<unsigned char>(character[1]);
  auto third = static_cast<unsigned char>(character[2]);
  return (second == 0x80
          && (third == 0x8e || third == 0x8f        // U+200E, U+200F
              || (third >= 0xaa && third <= 0xae))) // U+202A to U+202E
         || (second == 0x81 && third >= 0xa6
             && third <= 0xa9); // U+2066 to U+2069
}

constexpr const char* replacement = "\xef\xbf\xbd";

} // namespace

std::string as_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  // Most texts, and they may be long, have nothing to replace.
  std::size_t taken = 0;
  for (std::size_t i = 0; i < text.size();) {
    auto count = bytes_of_first(text.substr(i));
    if (count == 0) {
      result.append(text, taken, i - taken).append(replacement);
      taken = i + 1;
    }
    i += count == 0 ? 1 : count;
  }
  return result.append(text, taken);
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](std::string_view x) {
    if (x.empty())
      result += replacement;
    else if (is_control(x) || turns_around(x))
      result += '?';
    else
      result += x;
  });
  return result;
}

std::size_t characters_of(std::string_view text) {
  std::size_t result = 0;
  for_each_character(text, [&](std::string_view) { ++result; });
  return result;
}

std::string shortened(std::string_view text, std::size_t max) {
  if (characters_of(text) <= max)
    return std::string{text};
  std::string result;
  std::size_t count = 0;
  for_each_character(text, [&](std::string_view x) {
    if (++count <= max - 3)
      result += x;
  });
  return result + "...";
}

} // namespace stoker
