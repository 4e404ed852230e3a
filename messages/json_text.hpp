#pragma once

// Described messages as JSON text at once, without a tree of values between:
// for what is written all the time. The same text as `to_json` serialised.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "messages/json.hpp"

namespace stoker {

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

namespace json_detail {

template <Secrets secrets>
struct JsonAppender;

} // namespace json_detail

/// Appends the JSON of `x`, which `from_json` reads.
template <Secrets secrets = Secrets::hidden, class T>
void append_json(std::string& out, const T& x) {
  visit_value(x, json_detail::JsonAppender<secrets>{out});
}

namespace json_detail {

template <Secrets secrets>
struct JsonAppender {
  void null() const {
    out += "null";
  }
  void boolean(bool x) const {
    out += x ? "true" : "false";
  }
  template <class T>
  void integer(T x) const {
    append_number(out, x);
  }
  void floating(double x) const {
    out += boost::json::serialize(boost::json::value(x));
  }
  void text(std::string_view x) const {
    append_json_string(out, x);
  }

  template <class T>
  void list(const std::vector<T>& xs) const {
    out += '[';
    for (const auto& element : xs) {
      if (&element != xs.data())
        out += ',';
      append_json<secrets>(out, element);
    }
    out += ']';
  }

  template <class T>
  void map(const std::map<std::string, T>& xs) const {
    out += '{';
    for (auto i = xs.begin(); i != xs.end(); ++i) {
      if (i != xs.begin())
        out += ',';
      append_json_string(out, i->first);
      out += ':';
      append_json<secrets>(out, i->second);
    }
    out += '}';
  }

  template <class T>
  void record(const T& x) const {
    char before = '{';
    for_each_field(x, [&](auto field, const auto& value) {
      out += before;
      before = ',';
      // Identifiers have nothing to escape.
      (out += '"').append(field.name) += "\":";
      if constexpr (field.is_secret && secrets == Secrets::hidden)
        append_json(out, hide_values(value));
      else
        append_json<secrets>(out, value);
    });
    out += before == '{' ? "{}" : "}";
  }

  std::string& out;
};

} // namespace json_detail

} // namespace stoker
