#include "network/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace stoker {

namespace {

constexpr std::string_view scheme = "stoker://";

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  auto [end, error]
      = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0)
    return std::nullopt;
  return port;
}

bool is_host_name(std::string_view text) {
  auto is_allowed = [](char x) {
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z')
           || (x >= '0' && x <= '9') || x == '.' || x == '-' || x == '_';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_allowed);
}

/// With the zone that a link-local address may have, as `fe80::1%eth0`.
bool is_ip6_address(std::string_view text) {
  auto percent = text.find('%');
  in6_addr ignored{};
  std::string address{text.substr(0, percent)};
  return inet_pton(AF_INET6, address.c_str(), &ignored) == 1
         && (percent == std::string_view::npos
             || is_host_name(text.substr(percent + 1)));
}

} // namespace

std::optional<MasterAddress> parse_host_port(std::string_view text,
                                             std::uint16_t default_port) {
  MasterAddress result{{}, default_port};
  std::string_view rest;
  if (text.starts_with('[')) {
    auto close = text.find(']');
    if (close == std::string_view::npos)
      return std::nullopt;
    result.host = text.substr(1, close - 1);
    if (!is_ip6_address(result.host))
      return std::nullopt;
    rest = text.substr(close + 1);
  } else {
    auto colon = text.find(':');
    result.host = text.substr(0, colon);
    if (colon != std::string_view::npos)
      rest = text.substr(colon);
    if (!is_host_name(result.host))
      return std::nullopt;
  }
  if (rest.empty())
    return result;
  auto port = rest.front() == ':' ? parse_port(rest.substr(1)) : std::nullopt;
  if (!port)
    return std::nullopt;
  result.port = *port;
  return result;
}

std::string host_port(std::string_view host, std::uint16_t port) {
  std::string result{host};
  if (host.find(':') != std::string_view::npos)
    result = '[' + result + ']';
  return result + ':' + std::to_string(port);
}

std::string to_string(const SocketAddress& x) {
  return host_port(x.host, x.port);
}

std::string to_string(const MasterAddress& x) {
  return std::string{scheme} + host_port(x.host, x.port);
}

Result<std::vector<MasterAddress>> parse_master_url(std::string_view url) {
  auto wrong = [&] {
    return Error{Errc::invalid_request,
                 "'" + std::string{url}
                     + "' is not a master's address; write stoker://HOST:PORT"};
  };
  if (!url.starts_with(scheme))
    return wrong();
  std::vector<MasterAddress> result;
  auto rest = url.substr(scheme.size());
  while (true) {
    auto comma = rest.find(',');
    auto part = parse_host_port(rest.substr(0, comma), MasterAddress{}.port);
    if (!part)
      return wrong();
    result.push_back(*part);
    if (comma == std::string_view::npos)
      return result;
    rest = rest.substr(comma + 1);
  }
}

bool is_loopback(std::string_view host) {
  std::string text{host};
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  if (inet_pton(AF_INET6, text.c_str(), &six) == 1)
    return IN6_IS_ADDR_LOOPBACK(&six);
  return text == "localhost";
}

} // namespace stoker
