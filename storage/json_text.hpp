#pragma once

// Described structs to JSON text, without a tree of values in between: for
// records, of which thousands are written a second.

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "messages/json.hpp"

namespace stoker {

namespace json_detail {

template <class Number>
void append_number(std::string& out, Number x) {
  std::array<char, 32> text{};
  auto end = std::to_chars(text.data(), text.data() + text.size(), x).ptr;
  out.append(text.data(), end);
}

/// Bytes that are no UTF-8 stay as they are: the text of users is theirs.
inline void append_string(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += '"';
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    out.append(text, begin, i - begin);
    begin = i + 1;
    out += '\\';
    if (c == '"' || c == '\\') {
      out += text[i];
    } else {
      out += "u00";
      out += hex[c >> 4U];
      out += hex[c & 15U];
    }
  }
  out.append(text, begin);
  out += '"';
}

} // namespace json_detail

/// Appends the JSON of `x`, that `from_json` reads. Numbers must be finite.
template <class T>
void append_json(std::string& out, const T& x) {
  using namespace json_detail;
  if constexpr (is_id<T>) {
    append_string(out, x.value);
  } else if constexpr (is_optional<T>) {
    if (x)
      append_json(out, *x);
    else
      out += "null";
  } else if constexpr (is_vector<T>) {
    out += '[';
    auto separator = std::string_view{};
    for (const auto& element : x) {
      out += std::exchange(separator, ",");
      append_json(out, element);
    }
    out += ']';
  } else if constexpr (is_duration<T>) {
    append_number(out, x.count());
  } else if constexpr (is_string_map<T>) {
    out += '{';
    auto separator = std::string_view{};
    for (const auto& [key, element] : x) {
      out += std::exchange(separator, ",");
      append_string(out, key);
      out += ':';
      append_json(out, element);
    }
    out += '}';
  } else if constexpr (std::is_enum_v<T>) {
    append_string(out, boost::describe::enum_to_string(x, "?"));
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    out += '{';
    auto separator = std::string_view{};
    boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
      out += std::exchange(separator, ",");
      out += '"';
      out += member.name;
      out += "\":";
      append_json(out, x.*member.pointer);
    });
    out += '}';
  } else if constexpr (std::is_same_v<T, bool>) {
    out += x ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    append_string(out, x);
  } else {
    static_assert(std::is_arithmetic_v<T>);
    append_number(out, x);
  }
}

} // namespace stoker
