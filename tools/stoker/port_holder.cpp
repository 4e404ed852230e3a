#include "tools/stoker/port_holder.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "gateway/user_name.hpp"
#include "network/connection_owner.hpp"

namespace stoker {

std::optional<uid_t> holder_of_port(const std::string& host,
                                    std::uint16_t port) {
  using boost::asio::ip::tcp;
  boost::asio::io_context context;
  boost::system::error_code error;
  auto found = tcp::resolver{context}.resolve(host, std::to_string(port),
                                              tcp::resolver::passive, error);
  if (error)
    return std::nullopt;
  for (const auto& x : found) {
    auto address = x.endpoint().address();
    if (auto owner = owner_of_listener({address.to_string(), port}))
      return owner;
    // A process may listen at one of all addresses. Programs look for a master there.
    if (address.is_unspecified())
      if (auto owner
          = owner_of_listener({address.is_v4() ? "127.0.0.1" : "::1", port}))
        return owner;
  }
  return std::nullopt;
}

std::string holder_text(std::optional<uid_t> holder) {
  return holder ? "a process of user " + user_name(*holder)
                : "a process whose user the kernel does not name";
}

} // namespace stoker
