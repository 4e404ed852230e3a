#include "network/door_listener.hpp"

#include <algorithm>
#include <cerrno>
#include <future>
#include <utility>

#include "network/descriptor_shares.hpp"
#include "network/door_streams.hpp"
#include "network/open_acceptor.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// When the system has no descriptor left, some are closed soon.
constexpr std::chrono::milliseconds pause_after_failure{50};

/// Descriptors that are for something else.
constexpr std::size_t reserved_descriptors = 128;

/// Of one that is let in: its socket, and both ends of its local stream.
constexpr std::size_t descriptors_each = 3;

std::size_t places_of(const DoorLimits& limits) {
  if (limits.connections_max != 0)
    return limits.connections_max;
  auto others
      = reserved_descriptors + descriptors_for_pages() + limits.unproven_max;
  auto all = descriptors_max();
  return std::max<std::size_t>(
      16, all > others ? (all - others) / descriptors_each : 0);
}

/// How many there are, and how to have more where they follow from the descriptors.
std::string places_text(std::size_t places, const DoorLimits& limits) {
  auto result = std::to_string(places);
  if (limits.connections_max == 0)
    result += " with " + std::to_string(descriptors_max()) + " open files; "
              + more_descriptors_advice;
  return result;
}

/// Nodes may share a certificate, and executors are of one application.
bool is_person(const std::optional<Identity>& x) {
  return x && (x->role == Role::user || x->role == Role::operator_);
}

/// Somebody at the door, until it is let in or closed.
template <class Stream>
class Visitor : public std::enable_shared_from_this<Visitor<Stream>> {
public:
  Visitor(std::shared_ptr<DoorListener> listener, PlainStream socket)
      : listener_(std::move(listener)), from_(address_of(socket)),
        context_(is_encrypted<Stream> ? listener_->credentials()->context()
                                      : nullptr),
        stream_(make_stream<Stream>(std::move(socket), context_.get())),
        timer_(stream_.get_executor()) {
  }

  void begin() {
    unproven_ = listener_->add_unproven([weak = this->weak_from_this()] {
      if (auto x = weak.lock())
        post_to(x->stream_.get_executor(), [x] { x->close(); });
    });
    timer_.expires_after(listener_->config().limits.greeting_timeout);
    timer_.async_wait([weak = this->weak_from_this()](error_code error) {
      auto x = weak.lock();
      if (!error && x)
        x->close();
    });
    if constexpr (is_encrypted<Stream>)
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [x = self()](error_code error) {
                                if (error)
                                  return x->leave(error);
                                x->hear();
                              });
    else
      hear();
  }

private:
  auto self() {
    return this->shared_from_this();
  }

  static std::string address_of(const PlainStream& socket) {
    error_code error;
    auto peer = socket.remote_endpoint(error);
    return error ? "somebody who has left" : peer.address().to_string();
  }

  void hear() {
    auto identity = identity_behind(stream_);
    if (!identity)
      return refuse(identity.error().message);
    identity_ = *std::move(identity);
    read_greeting(stream_, line_,
                  [x = self()](error_code error, std::size_t count) {
                    if (error)
                      return x->leave(error);
                    x->judge(count);
                  });
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
    has_place_ = true;
    // Before it is told that it is let in.
    local_ = make_local_pair();
    if (!local_) {
      auto why = errno;
      listener_->note_shortage(why);
      return tell_refusal("the master cannot take a connection: "
                          + shortage_reason(why));
    }
    line_ = to_line(own_greeting());
    asio::async_write(stream_, asio::buffer(line_),
                      [x = self()](error_code error, std::size_t) {
                        if (error)
                          return x->close();
                        x->let_in();
                      });
  }

  void let_in() {
    prove();
    Pump::Local local{stream_.get_executor(), asio::local::stream_protocol{},
                      local_->of_pump.release()};
    // Whom CAF has been told of.
    auto known = std::make_shared<std::optional<caf::node_id>>();
    auto leaving = std::make_shared<std::weak_ptr<Pump>>();
    BaspRules rules;
    rules.node = listener_->config().node;
    rules.actor = listener_->receiver()->id();
    rules.introduce = [listener = listener_, identity = identity_, known,
                       leaving, executor = stream_.get_executor()](
                          const caf::node_id& node) -> Status {
      auto leave = [leaving, executor] {
        post_to(executor, [leaving] {
          if (auto pump = leaving->lock())
            pump->close();
        });
      };
      if (auto good = listener->peers().enter(node, identity, leave); !good)
        return good;
      *known = node;
      return {};
    };
    has_place_ = false;
    const auto& limits = listener_->config().limits;
    auto pump = make_pump(
        std::move(stream_), std::move(local),
        PumpRules{BaspFilter{std::move(rules)}, limits.silence_max,
                  listener_->receiver(), limits.ahead_max},
        [listener = listener_, from = from_, known,
         identity = identity_](const std::string& why) {
          if (*known)
            listener->peers().leave(**known);
          listener->leave_place(identity);
          if (!why.empty())
            listener->warn("ended the connection from " + from + ": " + why);
        });
    *leaving = pump;
    listener_->admit(std::move(local_->of_caf));
    pump->start(std::move(rest_));
  }

  /// Says why, and closes.
  void refuse(const std::string& why) {
    log(why);
    tell_refusal(why);
  }

  void tell_refusal(const std::string& why) {
    line_ = refusal_line(why);
    asio::async_write(stream_, asio::buffer(line_),
                      [x = self()](error_code, std::size_t) { x->close(); });
  }

  /// Who only looked whether the port is open is worth no line, nor one that was killed
  /// while it came.
  void leave(error_code error) {
    if (error != asio::error::eof && error != asio::error::connection_reset
        && error != asio::error::broken_pipe
        && error != asio::ssl::error::stream_truncated)
      log(error.message());
    close();
  }

  void log(const std::string& why) {
    // It was closed for being late, or one of too many.
    if (unproven_)
      listener_->warn("refused a connection from " + from_ + ": " + why);
  }

  /// It has proven who it is, or has left.
  void prove() {
    timer_.cancel();
    if (auto x = std::exchange(unproven_, std::nullopt))
      listener_->remove_unproven(*x);
  }

  void close() {
    prove();
    if (std::exchange(has_place_, false))
      listener_->leave_place(identity_);
    error_code ignored;
    stream_.lowest_layer().close(ignored);
  }

  std::shared_ptr<DoorListener> listener_;
  std::string from_;
  std::shared_ptr<Credentials::Context> context_;
  Stream stream_;
  asio::steady_timer timer_;
  std::optional<DoorListener::Unproven> unproven_;
  std::optional<Identity> identity_;
  std::string line_;
  std::vector<char> rest_;
  std::optional<LocalPair> local_;
  bool has_place_ = false;
};

} // namespace

DoorListener::DoorListener(DoorThreads& threads,
                           std::shared_ptr<const DoorConfig> config,
                           std::shared_ptr<LocalStreams> streams,
                           std::shared_ptr<PeerDirectory> peers,
                           const caf::strong_actor_ptr& actor,
                           std::shared_ptr<Credentials> credentials,
                           std::function<void()> on_refusal)
    : threads_(threads), config_(std::move(config)),
      streams_(std::move(streams)), peers_(std::move(peers)),
      receiver_(std::make_shared<Receiver>(actor)),
      credentials_(std::move(credentials)), places_(places_of(config_->limits)),
      context_(threads.next()),
      acceptor_(std::make_unique<tcp::acceptor>(context_)),
      pause_(std::make_unique<asio::steady_timer>(context_)),
      on_refusal_(std::move(on_refusal)) {
}

Result<std::uint16_t> DoorListener::open(const std::string& host,
                                         std::uint16_t port) {
  auto opened = open_acceptor(context_, host, port);
  if (!opened)
    return Error{opened.code(),
                 opened.error().message
                     + "; choose another with --host and --port"};
  *acceptor_ = std::move(*opened);
  error_code error;
  port_ = acceptor_->local_endpoint(error).port();
  if (auto good = streams_->open(port_); !good)
    return std::move(good).error();
  asio::post(context_, [x = shared_from_this()] { x->accept(); });
  return port_;
}

void DoorListener::close() {
  std::promise<void> closed;
  asio::post(context_, [&] {
    acceptor_.reset();
    pause_.reset();
    // What was under way is told of that first.
    asio::post(context_, [&] { closed.set_value(); });
  });
  closed.get_future().wait();
  receiver_->close();
}

void DoorListener::accept() {
  acceptor_->async_accept(
      threads_.next(),
      [x = shared_from_this()](error_code error, PlainStream socket) {
        if (!x->acceptor_)
          return;
        if (error) {
          x->note_shortage(error.value());
          return x->accept_later();
        }
        x->welcome(std::move(socket));
        x->accept();
      });
}

void DoorListener::accept_later() {
  pause_->expires_after(pause_after_failure);
  pause_->async_wait([x = shared_from_this()](error_code error) {
    if (!error && x->acceptor_)
      x->accept();
  });
}

void DoorListener::welcome(PlainStream socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay{true}, ignored);
  socket.set_option(asio::socket_base::keep_alive{true}, ignored);
  auto executor = socket.get_executor();
  post_to(executor, [x = shared_from_this(),
                     shared = std::make_shared<PlainStream>(
                         std::move(socket))]() mutable {
    if (x->credentials_)
      std::make_shared<Visitor<TlsStream>>(x, std::move(*shared))->begin();
    else
      std::make_shared<Visitor<PlainStream>>(x, std::move(*shared))->begin();
  });
}

DoorListener::Unproven DoorListener::add_unproven(std::function<void()> close) {
  std::lock_guard guard{mutex_};
  if (unproven_.size() >= config_->limits.unproven_max) {
    // It removes itself; until then the next one is the oldest.
    unproven_.front()();
    unproven_.splice(unproven_.end(), unproven_, unproven_.begin());
  }
  return unproven_.insert(unproven_.end(), std::move(close));
}

void DoorListener::remove_unproven(Unproven x) {
  std::lock_guard guard{mutex_};
  unproven_.erase(x);
}

void DoorListener::warn(const std::string& what) {
  refusals_.warn(what);
  if (on_refusal_)
    on_refusal_();
}

Status DoorListener::take_place(const std::optional<Identity>& who) {
  std::lock_guard guard{mutex_};
  if (let_in_ >= places_)
    return Error{Errc::not_alive,
                 "the master has as many connections as it may: "
                     + places_text(places_, config_->limits)};
  if (is_person(who)) {
    auto& own = of_people_[to_string(*who)];
    if (own >= std::max<std::size_t>(places_ / 2, 1))
      return Error{Errc::not_alive,
                   to_string(*who) + " has " + std::to_string(own)
                       + " connections, and may have no more: "
                         "half of the master's "
                       + places_text(places_, config_->limits)};
    ++own;
  }
  ++let_in_;
  return {};
}

void DoorListener::leave_place(const std::optional<Identity>& who) {
  std::lock_guard guard{mutex_};
  --let_in_;
  if (!is_person(who))
    return;
  auto own = of_people_.find(to_string(*who));
  if (--own->second == 0)
    of_people_.erase(own);
}

} // namespace stoker
