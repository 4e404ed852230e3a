#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <unordered_set>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "gateway/frame_server.hpp"
#include "network/limited_log.hpp"

namespace stoker {

class SocketConnection;

/// For the server's thread alone, but for what says otherwise. Connections keep it, since
/// their sockets must not outlive it.
class FrameServerState : public std::enable_shared_from_this<FrameServerState> {
public:
  using ConnectionPtr = std::shared_ptr<SocketConnection>;
  using Clock = std::chrono::steady_clock;
  struct Attempt;

  FrameServerState(const FrameServerLimits& l, FrameServer::Listener x)
      : limits(l), listener(std::move(x)) {
  }

  void run() {
    check_later();
    thread = std::thread{[this] { context.run(); }};
  }

  /// From another thread.
  void stop();
  void end_all();

  void accept(boost::asio::ip::tcp::acceptor& acceptor);
  void add(boost::asio::ip::tcp::socket socket);
  void connect(const SocketAddress& to, std::chrono::milliseconds timeout,
               const FrameServer::Connected& done);
  void do_after(std::chrono::milliseconds delay, std::function<void()> what);
  void check_later();
  void check();

  FrameServerLimits limits;
  FrameServer::Listener listener;
  boost::asio::io_context context{1};
  std::optional<
      boost::asio::executor_work_guard<boost::asio::io_context::executor_type>>
      work{context.get_executor()};

  /// For any thread.
  std::atomic<bool> is_stopped{false};
  std::thread thread;
  boost::asio::steady_timer clock{context};
  boost::asio::steady_timer pause{context};

  /// Of what is done later.
  std::list<boost::asio::steady_timer> delays;
  std::deque<boost::asio::ip::tcp::acceptor> acceptors;
  std::unordered_set<ConnectionPtr> connections;
  std::unordered_set<std::shared_ptr<Attempt>> attempts;

  /// Of connections that something is waited for.
  std::set<std::pair<Clock::time_point, SocketConnection*>> deadlines;

  /// Of frames that are not complete.
  std::size_t incomplete_bytes = 0;

  /// What is read at once, of any connection.
  std::array<char, std::size_t{256} << 10U> buffer{};
  LimitedLog refusals{"spark-connection-refused"};
};

} // namespace stoker
