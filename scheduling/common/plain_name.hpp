#pragma once

#include <algorithm>
#include <string_view>

namespace stoker {

/// Whether an id that somebody else chose may name a directory: letters,
/// digits,
/// '-', '_' and '.', not in front.
inline bool is_plain_name(std::string_view x) {
  auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !x.empty() && x.front() != '.' && x.size() <= 200
         && std::all_of(x.begin(), x.end(), plain);
}

} // namespace stoker
