#include "web/http_connection.hpp"

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <openssl/ssl.h>

#include "network/identity.hpp"
#include "network/revoked_certificates.hpp"
#include "web/http_peer.hpp"
#include "web/http_refusal.hpp"
#include "web/http_server.hpp"
#include "web/http_without_tls.hpp"
#include "web/read_body.hpp"
#include "web/read_unwanted.hpp"
#include "web/request_of.hpp"
#include "web/tls_turn.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;

/// So much of a refused request is read and dropped, so that its peer gets the answer.
constexpr std::size_t unwanted_bytes_max = 64 * 1024;

/// Of HTTP, as Beast writes it: 1.1.
constexpr unsigned first_with_chunks = 11;

using Clock = std::chrono::steady_clock;

using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

template <class Stream>
class Connection : public HttpConnection,
                   public std::enable_shared_from_this<Connection<Stream>> {
  static constexpr bool is_encrypted = std::is_same_v<Stream, TlsStream>;

  /// This function as a handler of Asio, which keeps the connection.
  auto bound(void (Connection::*f)(const error_code&)) {
    return [x = self(), f](const error_code& error, std::size_t = 0) {
      if (x->is_open_)
        (x.get()->*f)(error);
    };
  }

public:
  Connection(std::shared_ptr<HttpConnectionOwner> owner, tcp::socket socket,
             std::shared_ptr<const HttpService> service, bool is_trusted)
      : owner_(std::move(owner)), service_(std::move(service)),
        context_(is_encrypted ? service_->credentials->context() : nullptr),
        socket_(std::move(socket)), here_(own_address(socket_)),
        peer_(peer_address(socket_)), is_known_(is_trusted),
        buffer_(owner_->limits().bytes_ahead_max()) {
    error_code ignored;
    socket_.set_option(tcp::no_delay{true}, ignored);
    if constexpr (is_encrypted)
      turn_.emplace(owner_->lobby(), socket_, owner_->later());
    else
      stream_.emplace(std::move(socket_));
  }

  void begin(const std::string& peer,
             std::unique_ptr<FrameBudget::Share> memory) override {
    memory_ = std::move(memory);
    waits_since_ = Clock::now();
    if constexpr (is_encrypted)
      turn_->await(peer, owner_->limits().handshake_timeout,
                   bound(&Connection::shake_hands));
    else
      begin_request();
  }

  void abandon() override {
    is_open_ = false;
    if (turn_)
      turn_->end(false);
    if (endless_)
      endless_->close();
    error_code ignored;
    socket_.close(ignored);
    if (!stream_)
      return;
    tcp_stream().socket().close(ignored);
    tcp_stream().cancel();
  }

  [[nodiscard]] std::optional<Dispensable> dispensable() const override {
    if (waits_since_)
      return Dispensable{is_known_, *waits_since_};
    if (writes_since_
        && Clock::now() - *writes_since_ >= owner_->limits().unread_patience)
      return Dispensable{is_known_, *writes_since_};
    return std::nullopt;
  }

private:
  using Response = http::response<http::span_body<const char>>;

  std::shared_ptr<Connection> self() {
    return this->shared_from_this();
  }

  beast::tcp_stream& tcp_stream() {
    return beast::get_lowest_layer(*stream_);
  }

  /// The server's own; nullptr if nothing is encrypted.
  X509* own_certificate() {
    if constexpr (is_encrypted)
      return SSL_get_certificate(stream_->native_handle());
    else
      return nullptr;
  }

  void shake_hands(const error_code& error) {
    if (error)
      return close();
    if constexpr (is_encrypted) {
      stream_.emplace(std::move(socket_), *context_);
      error_code ignored;
      // A peer without a certificate may have a session.
      stream_->set_verify_mode(asio::ssl::verify_peer, ignored);
      tcp_stream().expires_after(owner_->limits().handshake_timeout);
      stream_->async_handshake(asio::ssl::stream_base::server,
                               bound(&Connection::hands_shaken));
    }
  }

  void hands_shaken(const error_code& error) {
    if (speaks_without_tls(error))
      return refuse_plain();
    if (error)
      return close();
    if constexpr (is_encrypted) {
      certificate_ = person_behind(stream_->native_handle());
      serials_ = serial_numbers_of_peer(stream_->native_handle());
      watch_ = service_->credentials->end_when_revoked(
          serials_, owner_->closing(this->weak_from_this()));
    }
    is_known_ = is_known_ || certificate_;
    turn_->end(is_known_);
    begin_request();
  }

  /// Who has taken the address for one of http:// is told so in the way that he understands.
  void refuse_plain() {
    tcp_stream().expires_after(owner_->limits().response_timeout);
    asio::async_write(tcp_stream(), asio::buffer(answer_without_tls()),
                      [x = self()](const error_code& error, std::size_t) {
                        if (x->is_open_)
                          error ? x->close() : x->read_unwanted();
                      });
  }

  void begin_request() {
    waits_since_ = Clock::now();
    writes_since_.reset();
    parser_.emplace();
    parser_->header_limit(owner_->limits().header_bytes_max);
    parser_->body_limit(service_->body_bytes_max);
    tcp_stream().expires_after(owner_->limits().request_timeout);
    read_header();
  }

  /// Empty lines in front of a request are none of it (RFC 9112, section 2.2).
  void read_header() {
    while (ahead().starts_with("\r\n"))
      buffer_.consume(2);
    if (!ahead().empty() && ahead() != "\r")
      return http::async_read_header(*stream_, buffer_, *parser_,
                                     bound(&Connection::header_read));
    constexpr std::size_t read_at_once = 4096;
    stream_->async_read_some(
        buffer_.prepare(read_at_once),
        [x = self()](const error_code& error, std::size_t n) {
          if (!x->is_open_)
            return;
          if (error)
            return x->close();
          x->buffer_.commit(n);
          x->read_header();
        });
  }

  /// What is read, and not yet taken.
  [[nodiscard]] std::string_view ahead() const {
    auto x = buffer_.data();
    return {static_cast<const char*>(x.data()), x.size()};
  }

  void header_read(const error_code& error) {
    if (error)
      return refuse(error);
    if (auto no = refusal_of(parser_->get(), own_certificate())) {
      must_close_ = true;
      return write(*std::move(no));
    }
    if (parser_->get().version() < first_with_chunks
        || !beast::iequals(parser_->get()[http::field::expect], "100-continue"))
      return read_body();
    go_on_ = {http::status::continue_, parser_->get().version()};
    http::async_write(*stream_, go_on_, bound(&Connection::told_to_go_on));
  }

  void told_to_go_on(const error_code& error) {
    error ? close() : read_body();
  }

  void read_body() {
    async_read_body(*stream_, buffer_, *parser_, *memory_,
                    bound(&Connection::request_read));
  }

  void request_read(const error_code& error) {
    if (error)
      return refuse(error);
    waits_since_.reset();
    std::ignore = memory_->hold(0);
    // The master may take its time.
    tcp_stream().expires_never();
    auto request = request_of(parser_->get());
    request.here = here_;
    request.peer = peer_;
    request.is_encrypted = is_encrypted;
    request.certificate = certificate_;
    request.serials = serials_;
    service_->handler(request,
                      std::make_shared<HttpReply>([c = self()](HttpResponse x) {
                        c->owner_->post([c, x = std::move(x)]() mutable {
                          if (c->is_open_)
                            c->write(std::move(x));
                        });
                      }));
  }

  void refuse(const error_code& error) {
    auto answer = refusal_of(error);
    if (!answer)
      return close();
    must_close_ = true;
    write(*std::move(answer));
  }

  /// The fields that do not depend on what follows them.
  template <class Message>
  void begin_response(Message& response, const HttpResponse& x) {
    auto version = parser_->get().version();
    response.version(version < 10 ? 11 : version);
    response.result(x.status);
    if (!x.reason.empty())
      response.reason(x.reason);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : x.fields)
      response.set(name, value);
  }

  /// Whoever reads nothing of it has his place for nothing.
  void begin_writing(const HttpResponse& x) {
    is_known_ = is_known_ || x.is_to_known;
    waits_since_.reset();
    writes_since_ = Clock::now();
  }

  void write(HttpResponse x) {
    if (x.stream)
      return write_endless(std::move(x));
    begin_writing(x);
    const auto& request = parser_->get();
    body_ = std::move(x.body);
    auto& response = response_.emplace();
    begin_response(response, x);
    if (body_)
      response.set(http::field::content_type, x.content_type);
    response.content_length(body_ ? body_->size() : 0);
    response.keep_alive(!must_close_ && request.keep_alive());
    if (body_ && request.method() != http::verb::head)
      response.body() = {body_->data(), body_->size()};
    tcp_stream().expires_after(owner_->limits().response_timeout);
    http::async_write(*stream_, response, bound(&Connection::written));
  }

  void written(const error_code& error) {
    if (error)
      return close();
    if (must_close_)
      return take_off_unwanted();
    if (!response_->keep_alive())
      return end();
    body_.reset();
    begin_request();
  }

  void write_endless(HttpResponse x) {
    begin_writing(x);
    endless_ = std::move(x.stream);
    must_close_ = true;
    begin_response(endless_header_, x);
    endless_header_.set(http::field::content_type, x.content_type);
    endless_header_.keep_alive(false);
    // Who reads can tell an end from a connection that broke; HTTP/1.0 cannot.
    endless_header_.chunked(parser_->get().version() >= first_with_chunks);
    endless_serializer_.emplace(endless_header_);
    tcp_stream().expires_after(owner_->limits().response_timeout);
    http::async_write_header(*stream_, *endless_serializer_,
                             bound(&Connection::endless_begun));
  }

  void endless_begun(const error_code& error) {
    if (error || parser_->get().method() == http::verb::head)
      return close();
    writes_since_.reset();
    parser_.reset();
    tcp_stream().expires_never();
    read_unwanted_of_endless();
    endless_->attach([c = self()](HttpStream::Piece x) {
      c->owner_->post([c, x = std::move(x)] {
        if (!c->is_open_)
          return;
        c->pieces_.push_back(x);
        if (c->pieces_.size() == 1)
          c->write_piece();
      });
    });
  }

  void write_piece() {
    if (!pieces_.front())
      return end_endless();
    writes_since_ = Clock::now();
    tcp_stream().expires_after(owner_->limits().response_timeout);
    auto x = asio::buffer(*pieces_.front());
    auto sent = bound(&Connection::piece_sent);
    if (endless_header_.chunked())
      asio::async_write(*stream_, http::make_chunk(x), std::move(sent));
    else
      asio::async_write(*stream_, x, std::move(sent));
  }

  void end_endless() {
    if (endless_->is_cut_off())
      return close();
    if (!endless_header_.chunked())
      return end();
    tcp_stream().expires_after(owner_->limits().response_timeout);
    asio::async_write(*stream_, http::make_chunk_last(),
                      bound(&Connection::endless_ended));
  }

  void endless_ended(const error_code& error) {
    error ? close() : end();
  }

  void piece_sent(const error_code& error) {
    if (error)
      return close();
    endless_->sent(pieces_.front()->size());
    pieces_.pop_front();
    writes_since_.reset();
    if (!pieces_.empty())
      write_piece();
  }

  /// Learns that the reader has gone: he has nothing more to say.
  void read_unwanted_of_endless() {
    stream_->async_read_some(buffer_.prepare(1), bound(&Connection::unwanted));
  }

  void unwanted(const error_code&) {
    close();
  }

  void take_off_unwanted() {
    waits_since_ = Clock::now();
    if constexpr (is_encrypted)
      say_end([](Connection& x) { x.read_unwanted(); });
    else
      read_unwanted();
  }

  /// Whatever it is, encrypted or not.
  void read_unwanted() {
    error_code ignored;
    tcp_stream().socket().shutdown(tcp::socket::shutdown_send, ignored);
    buffer_.clear();
    async_read_unwanted(tcp_stream(), buffer_, unwanted_bytes_max,
                        bound(&Connection::unwanted));
  }

  /// Closes it when all is said.
  void end() {
    waits_since_ = Clock::now();
    if constexpr (is_encrypted)
      say_end([](Connection& x) { x.close(); });
    else
      close();
  }

  /// Tells the peer by TLS that nothing follows: else somebody might have cut it off.
  template <class Then>
  void say_end(Then then) {
    tcp_stream().expires_after(owner_->limits().handshake_timeout);
    stream_->async_shutdown([x = self(), then](const error_code&) {
      if (x->is_open_)
        then(*x);
    });
  }

  void close() {
    auto x = self();
    abandon();
    owner_->closed(x);
  }

  std::shared_ptr<HttpConnectionOwner> owner_;
  std::shared_ptr<const HttpService> service_;

  std::shared_ptr<Credentials::Context>
      context_; // nullptr if nothing is encrypted

  /// Until the handshake begins, which takes memory; then `stream_`.
  tcp::socket socket_;
  std::optional<Stream> stream_;
  SocketAddress here_;
  SocketAddress peer_;
  std::optional<Identity> certificate_;
  std::vector<std::string> serials_;
  Credentials::Watch watch_;

  bool is_known_; // Its peer has proven its identity.
  std::optional<TlsTurn> turn_;

  /// Since when for a request, or for its peer to close it. Unset: it is answered.
  std::optional<Clock::time_point> waits_since_;

  /// Since when what was given last is sent. Unset: nothing is.
  std::optional<Clock::time_point> writes_since_;
  beast::flat_buffer buffer_;
  std::unique_ptr<FrameBudget::Share> memory_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::empty_body> go_on_;
  std::optional<Response> response_;

  /// A response whose body goes on, and what of it is not yet sent.
  std::shared_ptr<HttpStream> endless_;
  http::response<http::empty_body> endless_header_;
  std::optional<http::response_serializer<http::empty_body>>
      endless_serializer_;
  std::deque<HttpStream::Piece> pieces_;

  /// That of the response, for as long as it is written.
  std::shared_ptr<const std::string> body_;
  bool must_close_ = false; // More of the request may follow, and is not read.
  bool is_open_ = true;
};

} // namespace

std::shared_ptr<HttpConnection>
make_http_connection(std::shared_ptr<HttpConnectionOwner> owner,
                     boost::asio::ip::tcp::socket socket,
                     std::shared_ptr<const HttpService> service,
                     bool is_trusted) {
  if (service->credentials)
    return std::make_shared<Connection<TlsStream>>(
        std::move(owner), std::move(socket), std::move(service), is_trusted);
  return std::make_shared<Connection<PlainStream>>(
      std::move(owner), std::move(socket), std::move(service), is_trusted);
}

} // namespace stoker
