#include "network/handshake_turn.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>

#include "network/post_to.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// Does something later without a server that stops.
DoLater timers_of(const asio::any_io_executor& executor) {
  return [executor](std::chrono::milliseconds delay,
                    std::function<void()> what) {
    auto timer = std::make_shared<asio::steady_timer>(executor);
    timer->expires_after(delay);
    timer->async_wait([timer, what = std::move(what)](error_code) { what(); });
  };
}

/// Ends a turn when its time is over, whatever becomes of the connection.
void end_turn_later(const DoLater& later, const std::shared_ptr<Lobby>& lobby,
                    Lobby::Ticket ticket) {
  try {
    later(lobby->limits().turn_time,
          [lobby, ticket] { lobby->end_turn(ticket); });
  } catch (const std::exception&) {
    lobby->end_turn(ticket);
  }
}

} // namespace

void await_turn(std::shared_ptr<Lobby> lobby, Lobby::Ticket ticket,
                tcp::socket& socket, std::function<void(error_code)> begin,
                DoLater later) {
  if (!later)
    later = timers_of(socket.get_executor());
  socket.async_wait(tcp::socket::wait_read, [lobby = std::move(lobby), ticket,
                                             &socket, begin = std::move(begin),
                                             later = std::move(later)](
                                                error_code error) mutable {
    if (error)
      return begin(error);
    char byte = 0;
    auto n = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return await_turn(std::move(lobby), ticket, socket, std::move(begin),
                        std::move(later));
    if (n <= 0)
      return begin(asio::error::eof);
    try {
      auto executor = socket.get_executor();
      lobby->ask_for_turn(ticket, [executor, lobby, ticket, begin, later] {
        post_to(executor, [lobby, ticket, begin, later] {
          end_turn_later(later, lobby, ticket);
          begin({});
        });
      });
    } catch (const std::exception&) {
      begin(asio::error::no_memory);
    }
  });
}

} // namespace stoker
