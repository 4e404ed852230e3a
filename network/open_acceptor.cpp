#include "network/open_acceptor.hpp"

#include <thread>
#include <utility>

#include "network/address.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds try_again_after{10};

error_code bind_at(tcp::acceptor& x, const tcp::endpoint& at) {
  error_code error;
  if (x.open(at.protocol(), error); error)
    return error;
  if (x.set_option(tcp::acceptor::reuse_address{true}, error); error)
    return error;
  x.bind(at, error);
  return error;
}

error_code listen_at(tcp::acceptor& x, const tcp::endpoint& at) {
  auto error = bind_at(x, at);
  // Of two that were bound at once, one finds the port taken here.
  if (!error)
    x.listen(tcp::acceptor::max_listen_connections, error);
  return error;
}

/// An acceptor for which `take` has done well.
Result<tcp::acceptor>
acceptor_by(error_code (*take)(tcp::acceptor&, const tcp::endpoint&),
            asio::io_context& context, const std::string& host,
            std::uint16_t port, std::chrono::milliseconds wait_max) {
  auto failed = [&](const error_code& error) {
    auto code
        = error == asio::error::address_in_use ? Errc::in_use : Errc::failed;
    return Error{code, "cannot listen at " + host_port(host, port) + ": "
                           + error.message()};
  };
  error_code error;
  asio::io_context lookup;
  auto found = tcp::resolver{lookup}.resolve(host, std::to_string(port),
                                             tcp::resolver::passive, error);
  if (!error && found.empty())
    error = asio::error::host_not_found;
  if (error)
    return failed(error);
  auto endpoint = found.begin()->endpoint();
  using std::chrono::steady_clock;
  const auto give_up = steady_clock::now() + wait_max;
  while (true) {
    tcp::acceptor result{context};
    error = take(result, endpoint);
    if (!error)
      return result;
    if (error != asio::error::address_in_use || steady_clock::now() >= give_up)
      return failed(error);
    result.close(error);
    std::this_thread::sleep_for(try_again_after);
  }
}

} // namespace

Result<tcp::acceptor> open_acceptor(asio::io_context& context,
                                    const std::string& host, std::uint16_t port,
                                    std::chrono::milliseconds wait_max) {
  return acceptor_by(listen_at, context, host, port, wait_max);
}

Status try_port(const std::string& host, std::uint16_t port,
                std::chrono::milliseconds wait_max) {
  asio::io_context context;
  auto bound = acceptor_by(bind_at, context, host, port, wait_max);
  return bound ? Status{} : Status{std::move(bound).error()};
}

} // namespace stoker
