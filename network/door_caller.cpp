#include "network/door_caller.hpp"

#include <atomic>
#include <future>
#include <string>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/steady_timer.hpp>
#include <openssl/err.h>

#include "network/door_streams.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Done = std::function<void(Result<Door::Connection>)>;

/// Somebody who wants to be let in elsewhere.
template <class Stream>
class Caller : public std::enable_shared_from_this<Caller<Stream>> {
public:
  Caller(asio::io_context& context, std::shared_ptr<const DoorConfig> config,
         std::shared_ptr<LocalStreams> streams, MasterAddress to, Done done)
      : executor_(context.get_executor()), config_(std::move(config)),
        streams_(std::move(streams)), to_(std::move(to)),
        done_(std::move(done)),
        context_(is_encrypted<Stream> ? config_->credentials->context()
                                      : nullptr),
        stream_(make_stream<Stream>(PlainStream{context}, context_.get())),
        timer_(context) {
  }

  void begin(std::chrono::milliseconds timeout) {
    timer_.expires_after(timeout);
    timer_.async_wait([x = self()](error_code error) {
      if (!error)
        x->fail(Errc::not_alive, "no answer in time, while " + x->doing_);
    });
    lookup_ = HostLookup::start(
        config_->look_up, to_.host, to_.port,
        [x = self()](const Result<HostEndpoints>& found) {
          post_to(x->executor_, [x, found] {
            // It may have ended meanwhile.
            if (!x->done_)
              return;
            if (!found)
              return x->fail(found.error().code, found.error().message);
            x->connect(*found);
          });
        });
  }

  /// From any thread.
  void cancel() {
    post_to(executor_, [x = self()] {
      if (x->done_)
        x->fail(Errc::not_alive, "this process ends");
    });
  }

private:
  auto self() {
    return this->shared_from_this();
  }

  void connect(const HostEndpoints& all) {
    doing_ = "connecting";
    asio::async_connect(stream_.lowest_layer(), all,
                        [x = self()](error_code error, const tcp::endpoint&) {
                          if (error)
                            return x->fail(
                                error == asio::error::connection_refused
                                    ? Errc::no_listener
                                    : Errc::not_alive,
                                error.message());
                          x->shake_hands();
                        });
  }

  void shake_hands() {
    error_code ignored;
    stream_.lowest_layer().set_option(tcp::no_delay{true}, ignored);
    stream_.lowest_layer().set_option(asio::socket_base::keep_alive{true},
                                      ignored);
    if constexpr (is_encrypted<Stream>) {
      doing_ = "it was to prove itself";
      if (config_->credentials->names_hosts())
        stream_.set_verify_callback(asio::ssl::host_name_verification(to_.host),
                                    ignored);
      stream_.async_handshake(
          asio::ssl::stream_base::client, [x = self()](error_code error) {
            if (error)
              return x->fail(tls_failure(error), x->tls_reason(error));
            x->greet();
          });
    } else {
      greet();
    }
  }

  static Errc tls_failure(error_code error) {
    auto reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
    if (is_closed(error))
      return Errc::not_alive;
    auto is_untrusted = reason == SSL_R_CERTIFICATE_VERIFY_FAILED
                        || reason == SSL_R_TLSV1_ALERT_ACCESS_DENIED;
    return is_of_tls(error) && is_untrusted ? Errc::untrusted : Errc::refused;
  }

  /// It may be that it just ends.
  static bool is_closed(error_code error) {
    return error == asio::error::eof || error == asio::error::connection_reset
           || error == asio::ssl::error::stream_truncated;
  }

  [[nodiscard]] std::string tls_reason(error_code error) {
    auto reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
    if (is_closed(error) || reason == SSL_R_WRONG_VERSION_NUMBER)
      return reason == SSL_R_WRONG_VERSION_NUMBER
                 ? "it does not speak TLS: it was started with --insecure, or "
                   "is no Stoker master"
                 : "it closed the connection: it ends or begins just now, was "
                   "started with --insecure, or is no Stoker master";
    if (config_->credentials->application())
      return "it does not know the secret of application "
             + config_->credentials->application()->value;
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && has_bad_certificate())
      return "its certificate is refused"
             + verification_problem(stream_.native_handle());
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED
        || reason == SSL_R_TLSV1_ALERT_ACCESS_DENIED)
      return config_->credentials->names_hosts()
                 ? "its certificate is not for " + to_.host
                       + ", or not signed by the authority of --tls-ca"
                 : "it is not this user's: pass --tls-cert, --tls-key and "
                   "--tls-ca for another one's cluster";
    return "no TLS connection: " + error.message();
  }

  /// Whether its certificate is for this cluster, but does not count now.
  [[nodiscard]] bool has_bad_certificate() {
    if constexpr (is_encrypted<Stream>)
      switch (SSL_get_verify_result(stream_.native_handle())) {
      case X509_V_ERR_CERT_NOT_YET_VALID:
      case X509_V_ERR_CERT_HAS_EXPIRED:
      case X509_V_ERR_CERT_REVOKED:
        return true;
      default:
        break;
      }
    return false;
  }

  void greet() {
    doing_ = "waiting for its greeting";
    line_ = to_line(own_greeting());
    asio::async_write(stream_, asio::buffer(line_),
                      [x = self()](error_code error, std::size_t) {
                        if (error)
                          return x->fail(Errc::not_alive, error.message());
                        x->hear();
                      });
  }

  void hear() {
    line_.clear();
    read_greeting(
        stream_, line_, [x = self()](error_code error, std::size_t count) {
          if (error)
            return x->fail(is_of_tls(error) ? Errc::untrusted : Errc::not_alive,
                           x->greeting_reason(error));
          x->judge(count);
        });
  }

  static bool is_of_tls(error_code error) {
    return error.category() == asio::error::get_ssl_category();
  }

  /// With TLS 1.3 a server that does not like our certificate says so after the
  /// handshake.
  [[nodiscard]] std::string greeting_reason(error_code error) const {
    if (!is_of_tls(error))
      return "it closed the connection: it ends or begins just now, was not "
             "started with --insecure, or is no Stoker master";
    auto reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
    auto result = "it refused our certificate: " + error.message();
    // OpenSSL says so of a certificate that is not valid yet by the other clock.
    if (reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE)
      result += "; if the clock of its machine is behind, set it";
    return result;
  }

  void judge(std::size_t count) {
    auto greeting
        = parse_greeting(std::string_view{line_}.substr(0, count - 1));
    if (!greeting)
      return fail(greeting.error().code, greeting.error().message);
    if (auto good = check_greeting(own_greeting(), *greeting, "the master");
        !good)
      return fail(good.error().code, good.error().message);
    auto identity = identity_behind(stream_);
    if (!identity)
      return fail(Errc::not_alive, identity.error().message);
    // Of an application both sides are the same: the handshake has shown that.
    if (*identity && (*identity)->role != Role::node
        && !config_->credentials->application())
      return fail(Errc::untrusted,
                  to_string(**identity) + " is no node of the cluster");
    be_let_in(
        {line_.begin() + static_cast<std::ptrdiff_t>(count), line_.end()});
  }

  void be_let_in(std::vector<char> rest) {
    auto pair = make_local_pair();
    if (!pair)
      return fail(Errc::io, "no descriptor is left");
    auto done = std::exchange(done_, {});
    timer_.cancel();
    if (!done)
      return;
    auto executor = stream_.get_executor();
    Pump::Local local{executor, asio::local::stream_protocol{},
                      pair->of_pump.release()};
    auto has_ended = std::make_shared<std::atomic<bool>>(false);
    auto watch = std::make_shared<Credentials::Watch>();
    std::vector<std::string> serials;
    if constexpr (is_encrypted<Stream>)
      serials = serial_numbers_of_peer(stream_.native_handle());
    auto pump = make_pump(
        std::move(stream_), std::move(local),
        PumpRules{std::nullopt, nullptr, config_->limits.silence_max, nullptr,
                  0},
        [has_ended, watch](const std::string&) { *has_ended = true; });
    if (config_->credentials)
      *watch = config_->credentials->end_when_revoked(
          std::move(serials), [weak = std::weak_ptr{pump}, executor] {
            post_to(executor, [weak] {
              if (auto x = weak.lock())
                x->close();
            });
          });
    pump->start(std::move(rest));
    auto close = [weak = std::weak_ptr{pump}, executor] {
      std::promise<void> closed;
      auto end = closed.get_future();
      post_to(executor, [weak, closed = std::move(closed)]() mutable {
        if (auto x = weak.lock())
          x->close();
        closed.set_value();
      });
      end.wait();
    };
    done(Door::Connection{streams_->offer(std::move(pair->of_caf)), close,
                          [has_ended] { return has_ended->load(); }});
  }

  void fail(Errc code, const std::string& why) {
    timer_.cancel();
    if (lookup_)
      lookup_->abandon();
    error_code ignored;
    stream_.lowest_layer().close(ignored);
    if (auto done = std::exchange(done_, {}))
      done(Error{code, why});
  }

  const asio::any_io_executor executor_;
  std::shared_ptr<const DoorConfig> config_;
  std::shared_ptr<LocalStreams> streams_;
  MasterAddress to_;
  Done done_;
  std::shared_ptr<HostLookup> lookup_;
  std::shared_ptr<Credentials::Context> context_;
  Stream stream_;
  asio::steady_timer timer_;
  std::string doing_ = "looking its name up";
  std::string line_;
};

template <class Stream>
std::function<void()>
call(DoorThreads& threads, std::shared_ptr<const DoorConfig> config,
     std::shared_ptr<LocalStreams> streams, const MasterAddress& to,
     std::chrono::milliseconds timeout, Done done) {
  auto& context = threads.next();
  auto caller = std::make_shared<Caller<Stream>>(
      context, std::move(config), std::move(streams), to, std::move(done));
  asio::post(context, [caller, timeout] { caller->begin(timeout); });
  return [weak = std::weak_ptr{caller}] {
    if (auto x = weak.lock())
      x->cancel();
  };
}

} // namespace

std::function<void()> call_door(DoorThreads& threads,
                                std::shared_ptr<const DoorConfig> config,
                                std::shared_ptr<LocalStreams> streams,
                                const MasterAddress& to,
                                std::chrono::milliseconds timeout, Done done) {
  if (config->credentials)
    return call<TlsStream>(threads, std::move(config), std::move(streams), to,
                           timeout, std::move(done));
  return call<PlainStream>(threads, std::move(config), std::move(streams), to,
                           timeout, std::move(done));
}

} // namespace stoker
