#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "network/handshake_turn.hpp"
#include "network/lobby.hpp"

namespace stoker {

/// The place of a connection among those that have yet to begin TLS, until its handshake is over.
/// For the thread of its socket.
class TlsTurn {
public:
  /// @param socket Stays for as long as this.
  /// @param later does something on the thread of the socket
  TlsTurn(std::shared_ptr<Lobby> lobby, boost::asio::ip::tcp::socket& socket,
          DoLater later)
      : lobby_(std::move(lobby)), socket_(socket), later_(std::move(later)),
        timer_(socket.get_executor()) {
  }

  /// Waits for the first byte, and for the connection's turn.
  /// @param peer the peer that the connection counts for
  /// @param begin called with an error if the connection closes, if `timeout` is over, or if the
  /// call without an error has thrown
  void await(const std::string& peer, std::chrono::milliseconds timeout,
             std::function<void(boost::system::error_code)> begin);

  /// The handshake is over, or the connection closes. Repeating it changes nothing.
  /// @param is_proven whether the peer has proven its identity. If not, its turn lasts, as it may
  /// connect as often as it likes.
  void end(bool is_proven);

private:
  std::shared_ptr<Lobby> lobby_;
  boost::asio::ip::tcp::socket& socket_;
  DoLater later_;
  boost::asio::steady_timer timer_;
  std::optional<Lobby::Ticket> ticket_;

  /// Of the turn and the time-out, the first counts.
  bool has_begun_ = false;
};

} // namespace stoker
