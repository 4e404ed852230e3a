#pragma once

#include <algorithm>
#include <string_view>

namespace stoker {

/// Whether it has only characters that names and addresses of hosts have: letters, digits,
/// '-', '_', '.', and ':', '%', '[', ']' of IPv6. Names of programs and pages are made of it.
inline bool is_host_name(std::string_view x) {
  constexpr std::string_view others = "-_.:%[]";
  return std::all_of(x.begin(), x.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9')
           || others.find(c) != std::string_view::npos;
  });
}

} // namespace stoker
