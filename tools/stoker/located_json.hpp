#pragma once

// JSON that people write, which knows where everything stands, so that what is wrong
// can be said with its line.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// A place in a text, both from 1 on. Columns are bytes.
struct TextPlace {
  int line = 1;
  int column = 1;

  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

struct JsonMember;

/// A number as it is written, and its value if it is a whole one of 64 bits.
struct JsonNumber {
  std::string text;
  bool is_whole = false;
  std::int64_t whole = 0;

  /// The same number, rounded where it must be.
  double value = 0;
};

/// A value and where it begins.
struct LocatedJson {
  using Array = std::vector<LocatedJson>;

  /// In the text's order; no key is there twice.
  using Object = std::vector<JsonMember>;

  TextPlace place;
  std::variant<std::monostate, bool, JsonNumber, std::string, Array, Object>
      value;

  /// Null if the value is of another type.
  template <class T>
  [[nodiscard]] const T* as() const noexcept {
    return std::get_if<T>(&value);
  }
};

struct JsonMember {
  std::string key;

  /// Of the key.
  TextPlace place;
  LocatedJson value;
};

struct LocatedJsonLimits {
  std::size_t bytes = std::size_t{16} * 1024 * 1024;

  /// Of arrays and objects in one another.
  std::size_t depth = 32;

  /// A value takes more memory than text.
  std::size_t values = 2'000'000;
};

/// One line, "FILE:LINE: what is wrong", whatever bytes `file` and `what` have.
Error error_at(std::string_view file, int line, std::string_view what);

/// Reads a text that is strictly JSON, in UTF-8. Fails with `error_at`: no JSON, a key
/// twice in one object, or beyond the limits.
/// @param file What errors call the text.
Result<LocatedJson> parse_located_json(std::string_view text,
                                       std::string_view file,
                                       const LocatedJsonLimits& limits = {});

} // namespace stoker
