#include "network/free_port.hpp"

#include <chrono>

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

std::uint16_t free_port(const std::string& host) {
  using boost::asio::ip::tcp;
  boost::system::error_code error;
  boost::asio::io_context context;
  auto found = tcp::resolver{context}.resolve(host, "0", tcp::resolver::passive,
                                              error);
  if (error || found.empty())
    return 0;
  auto endpoint = found.begin()->endpoint();
  tcp::acceptor acceptor{context};
  if (acceptor.open(endpoint.protocol(), error)
      || acceptor.bind(endpoint, error))
    return 0;
  auto bound = acceptor.local_endpoint(error);
  return error ? 0 : bound.port();
}

} // namespace stoker
