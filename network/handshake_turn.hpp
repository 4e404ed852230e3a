#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <boost/asio/ip/tcp.hpp>

#include "network/lobby.hpp"

namespace stoker {

/// Does something in the thread of a connection after this time, or before if its server stops.
using DoLater = std::function<void(std::chrono::milliseconds delay,
                                   std::function<void()> what)>;

/// Waits in a lobby until the first byte of a connection is there, then for the connection's turn.
/// The turn ends after its time (LobbyLimits::turn_time), whatever becomes of the connection.
/// @param lobby keeps itself alive, as an alias of its owner may
/// @param ticket the connection's place
/// @param socket stays where it is until `begin` is destroyed
/// @param begin called in the thread of the socket, with an error if the connection has closed;
/// never if it leaves the lobby while it waits for its turn. Must not throw.
/// @param later ends the turn; empty: a timer in the thread of the socket does
void await_turn(std::shared_ptr<Lobby> lobby, Lobby::Ticket ticket,
                boost::asio::ip::tcp::socket& socket,
                std::function<void(boost::system::error_code)> begin,
                DoLater later = {});

} // namespace stoker
