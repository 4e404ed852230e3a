#pragma once

#include <boost/asio/ip/tcp.hpp>

namespace stoker {

/// Has the kernel close a connection on which nothing is sent within two minutes after the
/// machine of its peer has died or cannot be reached any more. For peers that may be silent for
/// hours. Any thread.
void notice_dead_machine(boost::asio::ip::tcp::socket& socket);

} // namespace stoker
