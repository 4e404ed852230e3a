#pragma once

#include <algorithm>
#include <cctype>
#include <string>
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

/// Returns a host as it stands in an address with a port: an IPv6 address has brackets.
inline std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos || host.starts_with('[')
             ? host
             : '[' + host + ']';
}

/// Returns whether a name or address in a certificate is that of a host, without regard to
/// case. A name that begins with "*." stands for one more part in front (RFC 6125, section
/// 6.4).
/// @param host may have an IPv6 address in brackets
inline bool covers_host(std::string_view of_certificate,
                        std::string_view host) {
  auto is_equal = [](std::string_view x, std::string_view y) {
    return std::ranges::equal(x, y, [](unsigned char a, unsigned char b) {
      return std::tolower(a) == std::tolower(b);
    });
  };
  if (is_equal(of_certificate, host))
    return true;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    return is_equal(of_certificate, host.substr(1, host.size() - 2));
  auto dot = host.find('.');
  return of_certificate.starts_with("*.") && dot != std::string_view::npos
         && dot > 0 && is_equal(of_certificate.substr(1), host.substr(dot));
}

} // namespace stoker
