#include "web/tls_turn.hpp"

#include <exception>
#include <utility>

#include <boost/asio/error.hpp>

namespace stoker {

using boost::system::error_code;

void TlsTurn::await(const std::string& peer, std::chrono::milliseconds timeout,
                    std::function<void(error_code)> begin) {
  ticket_ = lobby_->enter(peer, Lobby::Clock::now(), [] {});
  if (!ticket_)
    return begin(boost::asio::error::no_memory);
  timer_.expires_after(timeout);
  timer_.async_wait([this, begin](const error_code& error) {
    if (!error && !std::exchange(has_begun_, true))
      begin(boost::asio::error::timed_out);
  });
  await_turn(
      lobby_, *ticket_, socket_,
      [this, begin = std::move(begin)](const error_code& error) {
        timer_.cancel();
        if (std::exchange(has_begun_, true))
          return;
        try {
          begin(error);
        } catch (const std::exception&) {
          begin(boost::asio::error::no_memory);
        }
      },
      later_);
}

void TlsTurn::end(bool is_proven) {
  timer_.cancel();
  auto ticket = std::exchange(ticket_, std::nullopt);
  if (!ticket)
    return;
  if (is_proven)
    lobby_->prove(*ticket);
  else
    lobby_->leave(*ticket);
}

} // namespace stoker
