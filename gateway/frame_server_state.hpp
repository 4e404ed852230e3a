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
#include <string>
#include <thread>
#include <unordered_map>
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

/// Memory that connections hold for as long as their peers like.
struct HeldBytes {
  /// Bytes of frames that are not complete.
  std::size_t incomplete = 0;

  /// Bytes that were sent and are not read.
  std::size_t unread = 0;
};

/// What the peers of one user, or of one network address, have together.
struct PeerShare {
  std::size_t connections = 0;
  std::size_t newcomers = 0;
  HeldBytes held;

  /// For any thread.
  std::atomic<std::size_t> queued_bytes{0};
};

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
    thread = std::thread{[this] { serve(); }};
  }

  /// Runs until it is stopped. What cannot be done for want of memory ends a connection, not
  /// the process.
  void serve();

  /// From another thread.
  void stop();
  void end_all();

  /// A socket that listens, and whether it waits for a connection.
  struct Acceptor {
    boost::asio::ip::tcp::acceptor socket;
    bool is_waiting = false;
  };

  /// Waits for connections and for the clock, unless that is done already.
  void wait_for_all();
  void accept(Acceptor& acceptor);
  void add(boost::asio::ip::tcp::socket socket);

  /// Returns why there is no room for one more connection of that share; empty: there is
  /// room. A newcomer may take the place of one whose user or address has more newcomers.
  /// @param share null: it is an own peer
  std::string make_room(const PeerShare* share);
  bool replace_newcomer(const PeerShare& share);
  void connect(const SocketAddress& to, std::chrono::milliseconds timeout,
               const FrameServer::CheckOwner& check,
               const FrameServer::Connected& done);

  /// The share of the peers that count together with this one.
  std::shared_ptr<PeerShare> share_of(const FrameConnection& x);

  // -- what connections tell ----------------------------------------------------

  /// If too much is incomplete or unread, of all, of newcomers or of that share, ends the
  /// connection that holds most of it.
  void limit_incomplete(const PeerShare* share);
  void limit_unread(const PeerShare* share);

  /// For any thread: whether frames of that share may be read.
  [[nodiscard]] bool has_room_for_frames(const PeerShare* share) const;

  /// For any thread: frames have been processed.
  void release_frames(std::size_t bytes, PeerShare* share) noexcept;
  void feed_hungry();
  void do_after(std::chrono::milliseconds delay, std::function<void()> what);
  void check_later();
  void check();

  /// The bytes of one kind, and the most that all peers and all newcomers may hold of it.
  struct HeldLimit {
    std::size_t HeldBytes::*kind;
    std::size_t all_max;
    std::size_t newcomers_max;
    const char* why;
  };
  void limit_held(const HeldLimit& limit, const PeerShare* share);

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
  std::deque<Acceptor> acceptors;
  bool clock_is_set = false;
  std::unordered_set<ConnectionPtr> connections;
  std::unordered_set<SocketConnection*> newcomers;

  /// By user, or by network address.
  std::unordered_map<std::string, std::weak_ptr<PeerShare>> shares;
  std::unordered_set<std::shared_ptr<Attempt>> attempts;

  /// Of connections that something is waited for.
  std::set<std::pair<Clock::time_point, SocketConnection*>> deadlines;

  /// All connections together, and newcomers alone.
  HeldBytes held;
  HeldBytes held_by_newcomers;

  /// Of frames that the listener has not processed; for any thread.
  std::atomic<std::size_t> queued_bytes{0};

  /// Connections that wait until there is room for frames, and whether there are any, which is
  /// for any thread.
  std::unordered_set<ConnectionPtr> hungry;
  std::atomic<bool> is_any_hungry{false};

  /// What is read at once, of any connection.
  std::array<char, std::size_t{256} << 10U> buffer{};
  LimitedLog refusals{"spark-connection-refused"};
};

} // namespace stoker
