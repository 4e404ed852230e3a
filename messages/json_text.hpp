#pragma once

// Described messages as JSON text at once, without a tree of values between:
// for what is written all the time. The same text as `to_json` serialised; secrets
// are hidden as by `hide_secrets`, unless they are to be kept.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "messages/json.hpp"

namespace stoker {

/// What becomes of values that may be secrets: hidden wherever people read, kept
/// in records that a program is started from.
enum class Secrets { hidden, kept };

/// What stands for the value of an environment variable wherever people read.
inline constexpr std::string_view hidden_value = "(hidden)";

namespace json_detail {

/// Whether a member's values may be secrets: the variables of a program.
template <class T>
constexpr bool holds_secrets(const char* name) {
  return is_string_map<T> && std::string_view{name} == "environment";
}

} // namespace json_detail

/// A whole number.
template <class T>
void append_number(std::string& out, T x) {
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof(digits), x).ptr;
  out.append(digits, end);
}

namespace json_detail {

/// Whether a character cannot stand in a string as it is.
constexpr bool is_special(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

/// Whether there is such a one. Looks at eight at once: subtracting from each
/// byte what it must not be below borrows from its highest bit.
inline bool has_special(std::string_view x) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t high = ones * 0x80;
  auto below = [](std::uint64_t word, std::uint64_t least) {
    return (word - ones * least) & ~word & high;
  };
  std::size_t i = 0;
  for (; i + 8 <= x.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, x.data() + i, 8);
    if ((below(word, 0x20) | below(word ^ ones * '"', 1)
         | below(word ^ ones * '\\', 1))
        != 0)
      return true;
  }
  return std::any_of(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(),
                     is_special);
}

} // namespace json_detail

/// A string in quotes.
inline void append_json_string(std::string& out, std::string_view x) {
  constexpr const char* hex = "0123456789abcdef";
  out += '"';
  if (!json_detail::has_special(x)) {
    out.append(x) += '"';
    return;
  }
  std::size_t done = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto c = static_cast<unsigned char>(x[i]);
    if (!json_detail::is_special(x[i]))
      continue;
    out.append(x, done, i - done);
    done = i + 1;
    out += '\\';
    switch (c) {
    case '\b':
      out += 'b';
      break;
    case '\t':
      out += 't';
      break;
    case '\n':
      out += 'n';
      break;
    case '\f':
      out += 'f';
      break;
    case '\r':
      out += 'r';
      break;
    case '"':
      out += '"';
      break;
    case '\\':
      out += '\\';
      break;
    default:
      out += "u00";
      out += hex[c >> 4];
      out += hex[c & 15];
    }
  }
  out.append(x, done, x.size() - done);
  out += '"';
}

/// Appends the JSON of `x`, which `from_json` reads.
template <Secrets secrets = Secrets::hidden, class T>
void append_json(std::string& out, const T& x) {
  using namespace json_detail;
  if constexpr (is_id<T>) {
    append_json_string(out, x.value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    append_json_string(out, x);
  } else if constexpr (is_optional<T>) {
    if (x)
      append_json<secrets>(out, *x);
    else
      out += "null";
  } else if constexpr (is_vector<T>) {
    out += '[';
    for (const auto& element : x) {
      if (&element != x.data())
        out += ',';
      append_json<secrets>(out, element);
    }
    out += ']';
  } else if constexpr (is_duration<T>) {
    append_number(out, x.count());
  } else if constexpr (is_string_map<T>) {
    out += '{';
    for (auto i = x.begin(); i != x.end(); ++i) {
      if (i != x.begin())
        out += ',';
      append_json_string(out, i->first);
      out += ':';
      append_json<secrets>(out, i->second);
    }
    out += '}';
  } else if constexpr (std::is_enum_v<T>) {
    append_json_string(out, boost::describe::enum_to_string(x, "?"));
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    char before = '{';
    boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
      using Member = std::remove_cvref_t<decltype(x.*member.pointer)>;
      out += before;
      before = ',';
      // Identifiers have nothing to escape.
      constexpr std::string_view key = decltype(member)::name;
      (out += '"').append(key) += "\":";
      if constexpr (secrets == Secrets::hidden
                    && holds_secrets<Member>(decltype(member)::name)) {
        auto hidden = x.*member.pointer;
        for (auto& [name, value] : hidden)
          value = hidden_value;
        append_json<secrets>(out, hidden);
      } else {
        append_json<secrets>(out, x.*member.pointer);
      }
    });
    out += before == '{' ? "{}" : "}";
  } else if constexpr (std::is_same_v<T, bool>) {
    out += x ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    append_number(out, x);
  } else {
    out += boost::json::serialize(boost::json::value(x));
  }
}

} // namespace stoker
