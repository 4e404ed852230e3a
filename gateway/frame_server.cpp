#include "gateway/frame_server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "network/limited_log.hpp"

namespace stoker {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string to_string(const SocketAddress& x) {
  auto is_v6 = x.host.find(':') != std::string::npos;
  return (is_v6 ? '[' + x.host + ']' : x.host) + ':' + std::to_string(x.port);
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t length_bytes = 8;

/// What the type of a frame takes besides its length.
constexpr std::uint64_t shortest_frame = length_bytes + 1;

constexpr std::chrono::milliseconds check_every_max{1'000};
constexpr auto accept_again_after = std::chrono::milliseconds{100};

/// How long a closed connection may take to send what it was given before.
constexpr auto close_timeout = std::chrono::seconds{5};

std::uint64_t length_of(std::string_view input) {
  std::uint64_t result = 0;
  for (unsigned char c : input.substr(0, length_bytes))
    result = result << 8U | c;
  return result;
}

SocketAddress address_of(const tcp::endpoint& x) {
  return {x.address().to_string(), x.port()};
}

Error network_error(const std::string& what, const error_code& error) {
  auto code = error == asio::error::address_in_use ? Errc::in_use : Errc::failed;
  return {code, what + ": " + error.message()};
}

} // namespace

// -- the server's state -------------------------------------------------------

/// For the server's thread alone, but for what says otherwise. Connections keep it, since
/// their sockets must not outlive it.
class FrameServer::Impl : public std::enable_shared_from_this<Impl> {
public:
  class Connection;
  using ConnectionPtr = std::shared_ptr<Connection>;
  struct Attempt;

  Impl(const FrameServerLimits& l, Listener x)
      : limits(l), listener(std::move(x)) {
  }

  void run() {
    check_later();
    thread = std::thread{[this] { context.run(); }};
  }

  /// From another thread.
  void stop();
  void end_all();

  void accept(tcp::acceptor& acceptor);
  void add(tcp::socket socket);
  void connect(const SocketAddress& to, std::chrono::milliseconds timeout,
               const Connected& done);
  void check_later();
  void check();

  FrameServerLimits limits;
  Listener listener;
  asio::io_context context{1};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work{
      context.get_executor()};

  /// For any thread.
  std::atomic<bool> is_stopped{false};
  std::thread thread;
  asio::steady_timer clock{context};
  asio::steady_timer pause{context};
  std::deque<tcp::acceptor> acceptors;
  std::unordered_set<ConnectionPtr> connections;
  std::unordered_set<std::shared_ptr<Attempt>> attempts;

  /// Of connections that something is waited for.
  std::set<std::pair<Clock::time_point, Connection*>> deadlines;

  /// Of frames that are not complete.
  std::size_t incomplete_bytes = 0;

  /// What is read at once, of any connection.
  std::array<char, std::size_t{256} << 10U> buffer{};
  LimitedLog refusals{"spark-connection-refused"};
};

// -- connections --------------------------------------------------------------

class FrameServer::Impl::Connection
    : public FrameConnection,
      public std::enable_shared_from_this<Connection> {
public:
  Connection(std::shared_ptr<Impl> server, tcp::socket socket)
      : server_(std::move(server)), socket_(std::move(socket)) {
    error_code ignored;
    here_ = address_of(socket_.local_endpoint(ignored));
    peer_ = address_of(socket_.remote_endpoint(ignored));
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay{true}, ignored);
  }

  // -- for any thread ---------------------------------------------------------

  void send(std::string frame) override {
    {
      std::lock_guard lock{mutex_};
      given_.push_back(std::move(frame));
      if (std::exchange(flush_is_posted_, true))
        return;
    }
    post([this] { take_given(); });
  }

  void processed() override {
    if (ahead_.fetch_sub(1) == server_->limits.ahead_max / 2 + 1)
      post([this] { read_on(); });
  }

  void close(std::string why) override {
    post([this, why = std::move(why)] { close_when_sent(why); });
  }

  [[nodiscard]] const SocketAddress& here() const override {
    return here_;
  }
  [[nodiscard]] const SocketAddress& peer() const override {
    return peer_;
  }

  // -- for the server's thread ------------------------------------------------

  void begin() {
    await_by(Clock::now() + server_->limits.frame_timeout);
    wait_for_input();
  }

  void end(const std::string& why) {
    if (!std::exchange(is_open_, false))
      return;
    error_code ignored;
    socket_.close(ignored);
    await_nothing();
    forget_input();
    output_.clear();
    auto self = shared_from_this();
    server_->connections.erase(self);
    server_->listener.closed(self, why);
  }

  void overdue() {
    end(why_closing_.empty() ? "its frame did not come in time" : why_closing_);
  }

  /// Without telling anybody.
  void abandon() {
    is_open_ = false;
    error_code ignored;
    socket_.close(ignored);
  }

private:
  /// Does this on the server's thread.
  template <class F>
  void post(F what) {
    if (!server_->is_stopped)
      asio::post(server_->context, [self = shared_from_this(), what] { what(); });
  }

  // -- input ------------------------------------------------------------------

  void wait_for_input() {
    if (!is_open_ || is_waiting_ || !why_closing_.empty())
      return;
    is_waiting_ = true;
    socket_.async_wait(tcp::socket::wait_read,
                       [self = shared_from_this()](const error_code& error) {
                         self->is_waiting_ = false;
                         if (!error)
                           self->read();
                       });
  }

  void read() {
    if (!is_open_ || !why_closing_.empty())
      return;
    error_code error;
    auto& buffer = server_->buffer;
    auto n = socket_.read_some(asio::buffer(buffer), error);
    if (error == asio::error::would_block || error == asio::error::try_again)
      return wait_for_input();
    if (error == asio::error::eof)
      return end("it was closed by the peer");
    if (error)
      return end(error.message());
    input_.append(buffer.data(), n);
    server_->incomplete_bytes += n;
    take_frames();
    if (is_open_ && server_->incomplete_bytes > server_->limits.incomplete_bytes_max)
      end("there is too much that is incomplete");
    read_on();
  }

  /// Reads on, unless the listener is behind.
  void read_on() {
    if (ahead_.load() < server_->limits.ahead_max)
      wait_for_input();
  }

  void take_frames() {
    std::size_t begin = 0;
    while (is_open_ && input_.size() - begin >= length_bytes) {
      auto length = length_of(input_.substr(begin, length_bytes));
      if (length < shortest_frame || length > server_->limits.frame_bytes_max)
        return end("a frame has a length of " + std::to_string(length)
                   + ", which is not taken");
      if (input_.size() - begin < length)
        break;
      auto frame = input_.substr(begin, length);
      begin += length;
      ++ahead_;
      server_->listener.received(shared_from_this(), std::move(frame));
    }
    if (!is_open_)
      return;
    server_->incomplete_bytes -= begin;
    input_.erase(0, begin);
    if (input_.empty())
      input_.shrink_to_fit();
    // A peer may say nothing for as long as it likes, once it has said something.
    if (begin > 0)
      await_nothing();
    if (!input_.empty() && !deadline_)
      await_by(Clock::now() + server_->limits.frame_timeout);
  }

  void forget_input() {
    server_->incomplete_bytes -= input_.size();
    input_ = {};
  }

  // -- output -----------------------------------------------------------------

  void take_given() {
    std::vector<std::string> given;
    {
      std::lock_guard lock{mutex_};
      given.swap(given_);
      flush_is_posted_ = false;
    }
    if (!is_open_)
      return;
    for (auto& frame : given) {
      unread_bytes_ += frame.size();
      output_.push_back(std::move(frame));
    }
    write();
  }

  void write() {
    while (is_open_ && !is_writing_ && !output_.empty()) {
      error_code error;
      auto& first = output_.front();
      auto n = socket_.write_some(
          asio::buffer(first.data() + written_, first.size() - written_), error);
      if (error == asio::error::would_block || error == asio::error::try_again)
        wait_for_room();
      else if (error)
        return end(error.message());
      written_ += n;
      if (written_ == first.size()) {
        unread_bytes_ -= first.size();
        output_.pop_front();
        written_ = 0;
      }
    }
    if (is_open_ && unread_bytes_ > server_->limits.unread_bytes_max)
      end("it does not read what it is sent");
    if (output_.empty() && !why_closing_.empty())
      end(why_closing_);
  }

  void wait_for_room() {
    is_writing_ = true;
    socket_.async_wait(tcp::socket::wait_write,
                       [self = shared_from_this()](const error_code& error) {
                         self->is_writing_ = false;
                         if (!error)
                           self->write();
                       });
  }

  void close_when_sent(const std::string& why) {
    if (!is_open_)
      return;
    why_closing_ = why.empty() ? "it was closed" : why;
    await_by(Clock::now() + close_timeout);
    take_given();
  }

  // -- deadlines --------------------------------------------------------------

  void await_by(Clock::time_point when) {
    await_nothing();
    deadline_ = when;
    server_->deadlines.emplace(when, this);
  }

  void await_nothing() {
    if (deadline_)
      server_->deadlines.erase({*deadline_, this});
    deadline_.reset();
  }

  std::shared_ptr<Impl> server_;
  tcp::socket socket_;
  SocketAddress here_;
  SocketAddress peer_;

  std::string input_;
  std::deque<std::string> output_;

  /// Of the first frame of the output.
  std::size_t written_ = 0;
  std::size_t unread_bytes_ = 0;
  std::optional<Clock::time_point> deadline_;
  bool is_open_ = true;
  bool is_waiting_ = false;
  bool is_writing_ = false;

  /// Empty: it is not closing.
  std::string why_closing_;

  /// Frames that the listener has not processed; for any thread.
  std::atomic<int> ahead_{0};

  std::mutex mutex_;

  /// What `send` was given; guarded by the mutex.
  std::vector<std::string> given_;
  bool flush_is_posted_ = false;
};

/// An attempt at a connection.
struct FrameServer::Impl::Attempt {
  explicit Attempt(asio::io_context& x) : resolver(x), socket(x), timer(x) {
  }

  void abandon() {
    error_code ignored;
    timer.cancel();
    resolver.cancel();
    socket.close(ignored);
  }

  tcp::resolver resolver;
  tcp::socket socket;
  asio::steady_timer timer;
};

void FrameServer::Impl::end_all() {
  error_code ignored;
  for (auto& acceptor : acceptors)
    acceptor.close(ignored);
  clock.cancel();
  pause.cancel();
  for (const auto& attempt : attempts)
    attempt->abandon();
  for (const auto& connection : connections)
    connection->abandon();
  attempts.clear();
  connections.clear();
  deadlines.clear();
  work.reset();
}

void FrameServer::Impl::stop() {
  if (!thread.joinable())
    return;
  asio::post(context, [this] { end_all(); });
  is_stopped = true;
  thread.join();
  // What was given meanwhile.
  context.restart();
  context.poll();
}

void FrameServer::Impl::add(tcp::socket socket) {
  if (connections.size() >= limits.connections_max)
    return refusals.warn("there are " + std::to_string(connections.size())
                         + " connections already");
  auto connection = std::make_shared<Connection>(shared_from_this(), std::move(socket));
  connections.insert(connection);
  listener.opened(connection);
  connection->begin();
}

void FrameServer::Impl::accept(tcp::acceptor& acceptor) {
  acceptor.async_accept(
      [this, &acceptor](const error_code& error, tcp::socket socket) {
        if (error == asio::error::operation_aborted || is_stopped)
          return;
        if (!error) {
          add(std::move(socket));
          return accept(acceptor);
        }
        // As when no descriptor is left: at once it would fail again.
        refusals.warn(error.message());
        pause.expires_after(accept_again_after);
        pause.async_wait([this, &acceptor](const error_code& e) {
          if (!e)
            accept(acceptor);
        });
      });
}

void FrameServer::Impl::check_later() {
  clock.expires_after(std::min(limits.frame_timeout, check_every_max));
  clock.async_wait([this](const error_code& error) {
    if (error)
      return;
    check();
    check_later();
  });
}

void FrameServer::Impl::check() {
  auto now = Clock::now();
  while (!deadlines.empty() && deadlines.begin()->first <= now)
    deadlines.begin()->second->overdue();
}

void FrameServer::Impl::connect(const SocketAddress& to,
                                std::chrono::milliseconds timeout,
                                const Connected& done) {
  auto attempt = std::make_shared<Attempt>(context);
  attempts.insert(attempt);
  attempt->timer.expires_after(timeout);
  attempt->timer.async_wait([attempt](const error_code& error) {
    if (!error)
      attempt->abandon();
  });
  auto finish = [self = shared_from_this(), attempt, to,
                 done](const error_code& error) {
    self->attempts.erase(attempt);
    attempt->timer.cancel();
    if (self->is_stopped)
      return;
    if (error)
      return done(network_error("cannot connect to " + to_string(to), error));
    auto connection
        = std::make_shared<Connection>(self, std::move(attempt->socket));
    self->connections.insert(connection);
    done(FrameConnectionPtr{connection});
    connection->begin();
  };
  attempt->resolver.async_resolve(
      to.host, std::to_string(to.port),
      [attempt, finish](const error_code& error, const auto& found) {
        if (error)
          return finish(error);
        asio::async_connect(
            attempt->socket, found,
            [finish](const error_code& e, const tcp::endpoint&) { finish(e); });
      });
}

// -- the server ---------------------------------------------------------------

FrameServer::FrameServer(FrameServerLimits limits, Listener listener)
    : impl_(std::make_shared<Impl>(limits, std::move(listener))) {
  impl_->run();
}

FrameServer::~FrameServer() {
  stop();
}

void FrameServer::stop() {
  impl_->stop();
}

Result<std::uint16_t> FrameServer::listen(const std::string& host,
                                          std::uint16_t port) {
  const auto what = "cannot listen at " + to_string(SocketAddress{host, port});
  error_code error;
  asio::io_context resolving;
  auto found = tcp::resolver{resolving}.resolve(
      host, std::to_string(port), tcp::resolver::passive, error);
  if (error || found.empty())
    return network_error(what, error);
  auto endpoint = found.begin()->endpoint();
  tcp::acceptor acceptor{impl_->context};
  acceptor.open(endpoint.protocol(), error);
  if (!error)
    acceptor.set_option(tcp::acceptor::reuse_address{true}, error);
  if (!error)
    acceptor.bind(endpoint, error);
  if (!error)
    acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error)
    return network_error(what, error);
  auto bound = acceptor.local_endpoint(error).port();
  asio::post(impl_->context,
             [impl = impl_, x = std::move(acceptor)]() mutable {
               impl->acceptors.push_back(std::move(x));
               impl->accept(impl->acceptors.back());
             });
  return bound;
}

void FrameServer::connect(const SocketAddress& to,
                          std::chrono::milliseconds timeout, Connected done) {
  asio::post(impl_->context, [impl = impl_, to, timeout, done = std::move(done)] {
    impl->connect(to, timeout, done);
  });
}

} // namespace stoker
