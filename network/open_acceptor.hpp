#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "messages/result.hpp"

namespace stoker {

/// An acceptor that listens at a port; 0: at one that the system chooses. Fails with
/// `Errc::in_use` where another process has the port, else with `Errc::failed`: "cannot
/// listen at HOST:PORT: ...".
/// @param context of the acceptor; names are looked up without it
/// @param wait_max for how long another process may keep the port. One that was just killed
/// keeps it for a moment, as long as a child of its has yet to become another program.
Result<boost::asio::ip::tcp::acceptor>
open_acceptor(boost::asio::io_context& context, const std::string& host,
              std::uint16_t port,
              std::chrono::milliseconds wait_max
              = std::chrono::milliseconds{0});

/// Whether one could listen at a port, by binding it and no more: who listened, and
/// left, would break a connection made meanwhile. Fails as `open_acceptor`.
Status try_port(const std::string& host, std::uint16_t port,
                std::chrono::milliseconds wait_max
                = std::chrono::milliseconds{0});

} // namespace stoker
