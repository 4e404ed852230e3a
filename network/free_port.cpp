#include "network/free_port.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "network/open_acceptor.hpp"

namespace stoker {

Status wait_for_port(const std::string& host, std::uint16_t port) {
  auto tried = try_port(host, port, std::chrono::seconds{1});
  return tried ? Status{}
               : Error{tried.code(),
                       tried.error().message
                           + "; choose another with --host and --port"};
}

namespace {

using boost::asio::ip::tcp;

/// The ports that this process was last given. The kernel gives a port again as soon as
/// it is closed, before its user listens there. Any thread.
class GivenPorts {
public:
  /// Returns true if `port` was not among them.
  bool add(std::uint16_t port) {
    const std::lock_guard lock{mutex_};
    if (std::ranges::find(ports_, port) != ports_.end())
      return false;
    ports_.push_back(port);
    if (ports_.size() > ports_max)
      ports_.pop_front();
    return true;
  }

private:
  static constexpr std::size_t ports_max = 64;
  std::mutex mutex_;
  std::deque<std::uint16_t> ports_;
};

/// @return 0 if there is none
std::uint16_t any_port(boost::asio::io_context& context,
                       const tcp::endpoint& endpoint) {
  boost::system::error_code error;
  tcp::acceptor acceptor{context};
  if (acceptor.open(endpoint.protocol(), error)
      || acceptor.bind(endpoint, error))
    return 0;
  auto bound = acceptor.local_endpoint(error);
  return error ? 0 : bound.port();
}

} // namespace

std::uint16_t free_port(const std::string& host) {
  static GivenPorts given;
  boost::system::error_code error;
  boost::asio::io_context context;
  auto found = tcp::resolver{context}.resolve(host, "0", tcp::resolver::passive,
                                              error);
  if (error || found.empty())
    return 0;
  // Enough, unless the kernel has hardly more ports than are avoided.
  constexpr auto tries_max = 1000;
  std::uint16_t port = 0;
  for (int i = 0; i < tries_max; ++i) {
    port = any_port(context, found.begin()->endpoint());
    if (port == 0 || given.add(port))
      break;
  }
  return port;
}

} // namespace stoker
