#include "network/dead_machines.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>

namespace stoker {

void notice_dead_machine(boost::asio::ip::tcp::socket& socket) {
  namespace detail = boost::asio::detail::socket_option;
  boost::system::error_code ignored;
  socket.set_option(boost::asio::socket_base::keep_alive{true}, ignored);
  constexpr int idle_s = 60;
  constexpr int interval_s = 10;
  constexpr int probes = 6;
  socket.set_option(detail::integer<IPPROTO_TCP, TCP_KEEPIDLE>{idle_s},
                    ignored);
  socket.set_option(detail::integer<IPPROTO_TCP, TCP_KEEPINTVL>{interval_s},
                    ignored);
  socket.set_option(detail::integer<IPPROTO_TCP, TCP_KEEPCNT>{probes}, ignored);
}

} // namespace stoker
