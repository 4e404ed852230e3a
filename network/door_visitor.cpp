#include "network/door_visitor.hpp"

#include <cerrno>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "network/door_streams.hpp"
#include "network/handshake_turn.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// The place of a connection that is let in, and its node's name among the peers. Leaves both
/// when it is destroyed.
struct LetIn {
  LetIn(std::shared_ptr<DoorListener> at, std::optional<Identity> who)
      : listener(std::move(at)), identity(std::move(who)) {
  }
  LetIn(const LetIn&) = delete;
  LetIn& operator=(const LetIn&) = delete;
  ~LetIn() {
    if (node)
      listener->peers().leave(*node);
    listener->leave_place(identity);
  }

  std::shared_ptr<DoorListener> listener;
  std::optional<Identity> identity;

  /// Once CAF has been told of it.
  std::optional<caf::node_id> node;

  /// Ends the connection when a certificate of its peer is revoked.
  Credentials::Watch watch;
};

template <class Stream>
class Visitor : public DoorVisitor,
                public std::enable_shared_from_this<Visitor<Stream>> {
public:
  Visitor(std::shared_ptr<DoorListener> listener, PlainStream socket,
          std::string from, std::string peer)
      : listener_(std::move(listener)), from_(std::move(from)),
        peer_(std::move(peer)), executor_(socket.get_executor()),
        socket_(std::move(socket)), timer_(executor_) {
  }

  void begin(Lobby::Ticket ticket) override {
    ticket_ = ticket;
    timer_.expires_after(listener_->config().limits.greeting_timeout);
    timer_.async_wait([weak = this->weak_from_this()](error_code error) {
      auto x = weak.lock();
      if (!error && x)
        x->close();
    });
    await_turn({listener_, &listener_->lobby()}, ticket, socket_,
               bound([](auto& x, error_code error, std::size_t) {
                 error ? x.close() : x.shake_hands();
               }));
  }

  void leave() override {
    post_to(executor_, [weak = this->weak_from_this()] {
      if (auto x = weak.lock())
        x->close();
    });
  }

private:
  auto self() {
    return this->shared_from_this();
  }

  /// A handler of Asio, which keeps this object. What it throws, such as for a lack of memory,
  /// costs this connection alone.
  template <class F>
  auto bound(F f) {
    return [x = self(), f](error_code error, std::size_t count = 0) {
      try {
        f(*x, error, count);
      } catch (const std::exception& e) {
        x->log(e.what());
        x->close();
      }
    };
  }

  void shake_hands() {
    if (!socket_.is_open())
      return;
    std::shared_ptr<Credentials::Context> context;
    if constexpr (is_encrypted<Stream>)
      context = listener_->credentials()->context();
    stream_.emplace(make_stream<Stream>(std::move(socket_), context.get()));
    if constexpr (is_encrypted<Stream>)
      stream_->async_handshake(
          asio::ssl::stream_base::server,
          bound([](auto& x, error_code error, std::size_t) {
            error ? x.fail(error) : x.hear();
          }));
    else
      hear();
  }

  void hear() {
    auto identity = identity_behind(*stream_);
    if (!identity)
      return refuse(identity.error().message);
    identity_ = *std::move(identity);
    // On one owner's machine a worker may have any name.
    if (identity_ && !listener_->credentials()->names_hosts())
      identity_->hosts.clear();
    read_greeting(*stream_, line_,
                  bound([](auto& x, error_code error, std::size_t count) {
                    error ? x.fail(error) : x.judge(count);
                  }));
  }

  void judge(std::size_t count) {
    auto greeting
        = parse_greeting(std::string_view{line_}.substr(0, count - 1));
    rest_.assign(line_.begin() + static_cast<std::ptrdiff_t>(count),
                 line_.end());
    if (!greeting)
      return refuse(greeting.error().message);
    if (auto good = check_greeting(*greeting, own_greeting(), "the master");
        !good)
      return refuse(good.error().message);
    if (auto taken = listener_->take_place(identity_); !taken)
      return refuse(taken.error().message);
    let_in_ = std::make_shared<LetIn>(listener_, identity_);
    // Before it is told that it is let in.
    local_ = make_local_pair();
    if (!local_) {
      auto why = errno;
      listener_->note_shortage(why);
      return tell_refusal("the master cannot take a connection: "
                          + shortage_reason(why));
    }
    line_ = to_line(own_greeting());
    asio::async_write(*stream_, asio::buffer(line_),
                      bound([](auto& x, error_code error, std::size_t) {
                        error ? x.close() : x.let_in();
                      }));
  }

  /// Goes on in a thread that carries bytes.
  void let_in() {
    prove();
    auto& context = listener_->next_for_traffic();
    std::vector<std::string> serials;
    if constexpr (is_encrypted<Stream>)
      serials = serial_numbers_of_peer(stream_->native_handle());
    auto stream = move_to(context, std::move(*stream_));
    // Before its peer's next bytes are read in the other thread.
    stream_.reset();
    Pump::Local local{context, asio::local::stream_protocol{},
                      local_->of_pump.release()};
    auto executor = local.get_executor();
    auto own = std::make_shared<std::weak_ptr<Pump>>();
    std::function<void()> leave = [own, executor] {
      post_to(executor, [own] {
        if (auto pump = own->lock())
          pump->close();
      });
    };
    PumpRules rules{BaspFilter{basp_rules(leave)},
                    listener_->budget().open(
                        identity_ ? to_string(*identity_) : peer_, leave),
                    listener_->config().limits.silence_max,
                    listener_->receiver(),
                    listener_->config().limits.ahead_max};
    auto here = std::exchange(let_in_, nullptr);
    auto pump = make_pump(std::move(stream), std::move(local), std::move(rules),
                          [here, from = from_](const std::string& why) {
                            if (!why.empty())
                              here->listener->warn("ended the connection from "
                                                   + from + ": " + why);
                          });
    post_to(executor, [pump, own, here, leave, serials, rest = std::move(rest_),
                       of_caf = std::make_shared<process::UniqueFd>(
                           std::move(local_->of_caf))] {
      *own = pump;
      if (const auto* credentials = here->listener->credentials())
        here->watch = credentials->end_when_revoked(serials, leave);
      here->listener->admit(std::move(*of_caf));
      pump->start(rest);
    });
  }

  BaspRules basp_rules(const std::function<void()>& leave) {
    const auto& limits = listener_->config().limits;
    BaspRules result;
    result.node = listener_->config().node;
    result.actor = listener_->receiver()->id();
    auto is_of_application = listener_->credentials() != nullptr
                             && listener_->credentials()->application();
    result.message_max = identity_ && identity_->role == Role::user
                             ? limits.user_message_max
                         : is_of_application ? limits.application_message_max
                                             : limits.message_max;
    result.introduce = [weak = std::weak_ptr{let_in_},
                        leave](const caf::node_id& node) -> Status {
      auto here = weak.lock();
      if (!here)
        return Error{Errc::not_alive, "it has left"};
      auto entered = here->listener->peers().enter(node, here->identity, leave);
      if (entered)
        here->node = node;
      return entered;
    };
    return result;
  }

  /// Says why, and closes.
  void refuse(const std::string& why) {
    log(why);
    tell_refusal(why);
  }

  void tell_refusal(const std::string& why) {
    line_ = refusal_line(why);
    asio::async_write(
        *stream_, asio::buffer(line_),
        bound([](auto& x, error_code, std::size_t) { x.close(); }));
  }

  /// A peer that only checks whether the port is open is worth no line, nor one that was
  /// killed while it came.
  void fail(error_code error) {
    if (error != asio::error::eof && error != asio::error::connection_reset
        && error != asio::error::broken_pipe
        && error != asio::ssl::error::stream_truncated)
      log(error.message() + verification_problem());
    close();
  }

  /// What is wrong with a certificate that TLS refused, such as that it is revoked.
  [[nodiscard]] std::string verification_problem() {
    if constexpr (is_encrypted<Stream>)
      return stoker::verification_problem(stream_->native_handle());
    else
      return {};
  }

  void log(const std::string& why) {
    // It was closed for being late, or since its place went to another one.
    if (ticket_)
      listener_->warn("refused a connection from " + from_ + ": " + why);
  }

  void prove() {
    timer_.cancel();
    if (auto ticket = std::exchange(ticket_, std::nullopt))
      listener_->lobby().prove(*ticket);
  }

  void close() {
    timer_.cancel();
    if (auto ticket = std::exchange(ticket_, std::nullopt))
      listener_->lobby().leave(*ticket);
    let_in_.reset();
    error_code ignored;
    if (stream_)
      stream_->lowest_layer().close(ignored);
    else
      socket_.close(ignored);
  }

  std::shared_ptr<DoorListener> listener_;
  std::string from_;
  std::string peer_;
  const asio::any_io_executor executor_;

  /// Until its turn has come; then `stream_`.
  PlainStream socket_;
  std::optional<Stream> stream_;
  asio::steady_timer timer_;
  std::optional<Lobby::Ticket> ticket_;
  std::optional<Identity> identity_;
  std::string line_;
  std::vector<char> rest_;
  std::shared_ptr<LetIn> let_in_;
  std::optional<LocalPair> local_;
};

} // namespace

std::shared_ptr<DoorVisitor>
make_door_visitor(std::shared_ptr<DoorListener> listener, PlainStream socket,
                  std::string from, std::string peer) {
  if (listener->credentials() != nullptr)
    return std::make_shared<Visitor<TlsStream>>(
        std::move(listener), std::move(socket), std::move(from),
        std::move(peer));
  return std::make_shared<Visitor<PlainStream>>(
      std::move(listener), std::move(socket), std::move(from), std::move(peer));
}

} // namespace stoker
