#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/address.hpp>

namespace stoker {

/// Returns an address in one form: as IPv4 if it is one that is mapped or translated to IPv6, and
/// without a scope unless it is link-local.
boost::asio::ip::address plain_address(const boost::asio::ip::address& x);

/// Whether no page of a program can be at an address: services of a network or a cloud are at
/// link-local and metadata addresses; others name no single machine.
/// @param x as `plain_address`
bool is_reserved(const boost::asio::ip::address& x);

/// Returns whether an address is one of this machine, or std::nullopt if the system does not say.
/// @param x as `plain_address`
std::optional<bool> is_of_this_machine(const boost::asio::ip::address& x);

/// Where a page is seen.
struct PageView {
  /// "http://HOST:PORT" of the page itself.
  std::string own;

  /// What stands before its paths at this server, as "/proxy/app-1".
  std::string prefix;

  /// What stands before `prefix` for browsers: the address of a proxy in front, or nothing.
  std::string front;
};

/// Returns where a browser finds what an answer of a page calls `location`.
/// @param path the page's path that was asked for
/// @return std::nullopt if `location` is not at this page, or longer than 8 KB
std::optional<std::string> location_here(std::string_view location,
                                         std::string_view path,
                                         const PageView& view);

/// Whether a path of a page of Spark's ends a job or a stage, in whatever spelling.
bool is_order_of_page(std::string_view path);

} // namespace stoker
