#include "web/proxy_target.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/system/error_code.hpp>

#include "web/url.hpp"

namespace stoker {

namespace ip = boost::asio::ip;

namespace {

/// Where clouds tell credentials to their machines, besides link-local addresses: of Amazon,
/// Alibaba, Azure, Google and Oracle, by their documentation.
const std::array metadata_networks{ip::make_network_v6("fd00:ec2::/32"),
                                   ip::make_network_v6("fd20:ce::/32")};
const std::array metadata_addresses{ip::make_address_v4("100.100.100.200"),
                                    ip::make_address_v4("168.63.129.16"),
                                    ip::make_address_v4("192.0.0.192")};

/// IPv4 addresses as a translator shows them to IPv6 (RFC 6052, section 2.1).
const auto translated = ip::make_network_v6("64:ff9b::/96");

bool contains(const ip::network_v6& network, const ip::address_v6& x) {
  return ip::make_network_v6(x, network.prefix_length()).network()
         == network.network();
}

/// Returns a path without its dot segments (RFC 3986, section 5.2.4), or std::nullopt if it leads
/// above its beginning.
std::optional<std::string> without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  while (!path.empty()) {
    path.remove_prefix(1);
    auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    auto decoded = url_decoded(segment, false);
    auto is_last = path.empty();
    if (decoded == "..") {
      if (kept.empty())
        return std::nullopt;
      kept.pop_back();
    } else if (decoded != ".") {
      kept.push_back(segment);
      continue;
    }
    if (is_last)
      kept.emplace_back();
  }
  std::string result;
  for (auto x : kept)
    result += '/' + std::string{x};
  return result;
}

constexpr std::size_t location_bytes_max = 8 * 1024;

constexpr bool is_plain(unsigned char x) {
  return x > ' ' && x < 0x7f && x != '\\';
}

} // namespace

ip::address plain_address(const ip::address& x) {
  if (x.is_v4())
    return x;
  // Without its scope.
  auto bytes = x.to_v6().to_bytes();
  ip::address_v6 v6{bytes};
  if (!v6.is_v4_mapped() && !contains(translated, v6))
    return v6.is_link_local() ? x : v6;
  return ip::address_v4{{bytes[12], bytes[13], bytes[14], bytes[15]}};
}

bool is_reserved(const ip::address& x) {
  if (x.is_unspecified() || x.is_multicast())
    return true;
  if (x.is_v6())
    return x.to_v6().is_link_local()
           || std::ranges::any_of(metadata_networks, [&](const auto& network) {
                return contains(network, x.to_v6());
              });
  auto v4 = x.to_v4();
  auto bytes = v4.to_bytes();
  return (bytes[0] == 169 && bytes[1] == 254)
         || v4 == ip::address_v4::broadcast()
         || std::ranges::find(metadata_addresses, v4)
                != metadata_addresses.end();
}

std::optional<bool> is_of_this_machine(const ip::address& x) {
  if (x.is_loopback())
    return true;
  boost::asio::io_context context;
  boost::system::error_code error;
  ip::udp::socket socket{context};
  socket.open(x.is_v6() ? ip::udp::v6() : ip::udp::v4(), error);
  if (error)
    return std::nullopt;
  socket.bind({x, 0}, error);
  if (!error)
    return true;
  return error == boost::system::errc::address_not_available
             ? std::optional{false}
             : std::nullopt;
}

std::optional<std::string> location_here(std::string_view location,
                                         std::string_view path,
                                         const PageView& view) {
  if (location.empty() || location.size() > location_bytes_max
      || !std::ranges::all_of(location, is_plain))
    return std::nullopt;
  if (location.starts_with(view.own)
      && location.substr(view.own.size()).find_first_of("/?") == 0)
    location.remove_prefix(view.own.size());
  if (location.starts_with("//"))
    return std::nullopt;
  auto end = std::min(location.find_first_of("?#"), location.size());
  std::string there{location.substr(0, end)};
  if (there.empty()) {
    there = path;
  } else if (there.starts_with(view.prefix + '/')) {
    there.erase(0, view.prefix.size());
  } else if (there.front() != '/') {
    // A name and a colon, before all else, are a scheme.
    auto colon = there.find_first_of(":/");
    if (colon != std::string::npos && there[colon] == ':')
      return std::nullopt;
    there.insert(0, path.substr(0, path.rfind('/') + 1));
  }
  auto resolved = without_dots(there);
  if (!resolved)
    return std::nullopt;
  return view.front + view.prefix + *resolved
         + std::string{location.substr(end)};
}

bool is_order_of_page(std::string_view path) {
  auto decoded = url_decoded(path, false);
  if (!decoded)
    return true;
  for (std::string_view rest = *decoded; !rest.empty();) {
    auto end = std::min(rest.find('/'), rest.size());
    // A server of servlets ignores parameters of a segment.
    auto name = rest.substr(0, std::min(end, rest.find(';')));
    if (boost::beast::iequals({name.data(), name.size()}, "kill"))
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

} // namespace stoker
