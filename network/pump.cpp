#include "network/pump.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "network/post_to.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::size_t buffer_bytes = std::size_t{64} * 1024;

/// Memory for a large message is not kept for the next one.
constexpr std::size_t kept_passing_max = 2 * buffer_bytes;

/// For so long a peer may read what was said last.
constexpr std::chrono::seconds last_words{2};

template <class Peer>
class StreamPump : public Pump,
                   public std::enable_shared_from_this<StreamPump<Peer>> {
public:
  StreamPump(Peer peer, Local local, PumpRules rules, Ended ended)
      : peer_(std::move(peer)), local_(std::move(local)),
        rules_(std::move(rules)), ended_(std::move(ended)),
        timer_(local_.get_executor()), silence_(local_.get_executor()),
        from_peer_(buffer_bytes), from_local_(buffer_bytes) {
  }

  void start(std::vector<char> rest) override {
    attempt([&] {
      watch();
      read_local();
      pass({rest.data(), rest.size()});
    });
  }

  void close() override {
    end({});
  }

private:
  auto self() {
    return this->shared_from_this();
  }

  /// Does something whose failure, such as a lack of memory, costs this connection alone.
  template <class F>
  void attempt(F what) {
    try {
      what();
    } catch (const std::exception& e) {
      end(std::string{"it failed: "} + e.what());
    }
  }

  /// Looks from time to time whether the peer is silent for too long, or does not
  /// read.
  void watch() {
    constexpr int looks = 4;
    silence_.expires_after(rules_.silence_max / looks);
    silence_.async_wait([x = self()](error_code error) {
      // Its time may have come before it was cancelled.
      if (error || !x->local_.is_open())
        return;
      if (x->for_too_long(x->reads_since_))
        return x->end("it was silent for too long");
      if (x->for_too_long(x->writes_since_))
        return x->end("it did not read for too long");
      x->watch();
    });
  }

  [[nodiscard]] bool
  for_too_long(const std::optional<Clock::time_point>& since) const {
    return since && Clock::now() - *since > rules_.silence_max;
  }

  void read_peer() {
    reads_since_ = Clock::now();
    peer_.async_read_some(
        asio::buffer(from_peer_),
        [x = self()](error_code error, std::size_t count) {
          x->reads_since_.reset();
          if (error)
            return x->end({});
          x->attempt([&] { x->pass({x->from_peer_.data(), count}); });
        });
  }

  void pass(std::span<const char> bytes) {
    passing_.clear();
    auto& filter = rules_.filter;
    if (!filter)
      passing_.assign(bytes.begin(), bytes.end());
    else if (auto good = filter->filter(bytes, passing_); !good)
      return end(good.error().message);
    if (!has_budget())
      return end("its unfinished messages take too much memory");
    if (passing_.empty() || !listens_)
      return read_peer();
    asio::async_write(local_, asio::buffer(passing_),
                      [x = self()](error_code error, std::size_t count) {
                        if (error)
                          x->listens_ = false;
                        x->unasked_ += count;
                        x->attempt([&] { x->passed(); });
                      });
  }

  void passed() {
    passing_.clear();
    if (passing_.capacity() > kept_passing_max)
      passing_.shrink_to_fit();
    if (!has_budget())
      return end("its unfinished messages take too much memory");
    read_on();
  }

  [[nodiscard]] bool has_budget() {
    return !rules_.budget
           || rules_.budget->hold(passing_.size() + rules_.filter->held());
  }

  /// More of the peer, unless whoever handles its messages is behind. Between a
  /// question and its answer as much is passed as fits, so that nobody waits for a
  /// receiver that keeps up.
  void read_on() {
    const auto& receiver = rules_.receiver;
    if (!receiver || !listens_ || unasked_ < rules_.ahead_max)
      return read_peer();
    if (asked_) {
      waits_ = true;
      return;
    }
    unasked_ = 0;
    asked_ = true;
    receiver->when_caught_up([weak = this->weak_from_this()] {
      if (auto x = weak.lock())
        post_to(x->local_.get_executor(), [x] { x->caught_up(); });
    });
    read_peer();
  }

  void caught_up() {
    asked_ = false;
    if (std::exchange(waits_, false) && local_.is_open())
      attempt([&] { read_on(); });
  }

  void read_local() {
    local_.async_read_some(asio::buffer(from_local_),
                           [x = self()](error_code error, std::size_t count) {
                             if (error)
                               return x->finish();
                             x->attempt([&] { x->say(count); });
                           });
  }

  void say(std::size_t count) {
    if (rules_.filter)
      rules_.filter->said({from_local_.data(), count});
    writes_since_ = Clock::now();
    asio::async_write(peer_, asio::buffer(from_local_, count),
                      [x = self()](error_code error, std::size_t) {
                        x->writes_since_.reset();
                        if (error)
                          return x->end({});
                        x->attempt([&] { x->read_local(); });
                      });
  }

  /// CAF is done. What it said last is under way: a connection that is closed
  /// before all is read would lose it.
  void finish() {
    if (!local_.is_open())
      return;
    listens_ = false;
    tell({});
    if (std::exchange(waits_, false))
      read_peer();
    error_code ignored;
    peer_.lowest_layer().shutdown(asio::socket_base::shutdown_send, ignored);
    timer_.expires_after(last_words);
    timer_.async_wait([x = self()](error_code error) {
      if (!error)
        x->end({});
    });
  }

  void end(const std::string& why) {
    timer_.cancel();
    silence_.cancel();
    error_code ignored;
    peer_.lowest_layer().close(ignored);
    local_.close(ignored);
    tell(why);
  }

  void tell(const std::string& why) {
    if (auto ended = std::exchange(ended_, {}))
      ended(why);
  }

  Peer peer_;
  Local local_;
  PumpRules rules_;
  Ended ended_;
  asio::steady_timer timer_;
  asio::steady_timer silence_;

  /// Unset while what the peer has said is passed on: then it need not say more.
  std::optional<Clock::time_point> reads_since_;

  /// Set while the peer has not taken what it was sent.
  std::optional<Clock::time_point> writes_since_;

  /// Whether CAF does.
  bool listens_ = true;

  /// What was passed since the receiver was asked last, in bytes; whether it has yet to
  /// answer; and whether no more is read of the peer before.
  std::size_t unasked_ = 0;
  bool asked_ = false;
  bool waits_ = false;

  std::vector<char> from_peer_;
  std::vector<char> passing_;
  std::vector<char> from_local_;
};

} // namespace

template <class Peer>
std::shared_ptr<Pump> make_pump(Peer peer, Pump::Local local, PumpRules rules,
                                Pump::Ended ended) {
  return std::make_shared<StreamPump<Peer>>(std::move(peer), std::move(local),
                                            std::move(rules), std::move(ended));
}

template std::shared_ptr<Pump> make_pump(PlainStream, Pump::Local, PumpRules,
                                         Pump::Ended);
template std::shared_ptr<Pump> make_pump(TlsStream, Pump::Local, PumpRules,
                                         Pump::Ended);

} // namespace stoker
