#include "web/http_connection.hpp"

#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "network/address.hpp"
#include "web/http_server.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;

/// What was sent to whom does not listen is taken off, so that he reads the answer
/// before he learns that the connection is closed; but not more than this.
constexpr std::size_t unwanted_bytes_max = 64 * 1024;

SocketAddress address_of(const tcp::endpoint& x) {
  return {x.address().to_string(), x.port()};
}

/// The host that a field Host names, without its port: "[::1]:80" -> "::1".
std::string_view host_of(std::string_view field) {
  if (field.starts_with('['))
    return field.substr(1, field.find(']') - 1);
  return field.substr(0, field.find(':'));
}

bool changes_nothing(http::verb x) {
  return x == http::verb::get || x == http::verb::head;
}

/// Why a request is not for this server.
std::optional<HttpResponse> refusal(const http::request<http::string_body>& x) {
  auto host = x[http::field::host];
  if (x.version() >= 11 && x.count(http::field::host) != 1)
    return http_problem(400, "a request has one field Host");
  if (!host.empty() && !is_loopback(host_of({host.data(), host.size()})))
    return http_problem(421,
                        "this server is known as 127.0.0.1 and localhost, and "
                        "by no other name");
  if (!changes_nothing(x.method()) && x.count(http::field::origin) != 0)
    return http_problem(403, "pages in browsers may not change anything here");
  return std::nullopt;
}

/// What is answered to what is no request, or too large a one. Nothing: nobody is there.
std::optional<HttpResponse> answer_to(const error_code& error) {
  if (error == http::error::end_of_stream
      || error.category() != error_code{http::error::end_of_stream}.category())
    return std::nullopt;
  if (error == http::error::header_limit)
    return http_problem(431, "the fields of the request are too long");
  if (error == http::error::body_limit)
    return http_problem(413, "the body of the request is too long");
  return http_problem(400, "this is no HTTP/1.1 request: " + error.message());
}

class Connection : public HttpConnection,
                   public std::enable_shared_from_this<Connection> {
  /// This function as a handler of Asio, which keeps the connection.
  auto bound(void (Connection::*f)(const error_code&)) {
    return
        [self = shared_from_this(), f](const error_code& error, std::size_t) {
          if (self->is_open_)
            (self.get()->*f)(error);
        };
  }

public:
  Connection(std::shared_ptr<HttpConnectionOwner> owner, tcp::socket socket,
             std::shared_ptr<const HttpService> service)
      : owner_(std::move(owner)), service_(std::move(service)),
        stream_(std::move(socket)) {
    error_code ignored;
    here_ = address_of(stream_.socket().local_endpoint(ignored));
    peer_ = address_of(stream_.socket().remote_endpoint(ignored));
    stream_.socket().set_option(tcp::no_delay{true}, ignored);
  }

  void begin() override {
    parser_.emplace();
    parser_->header_limit(owner_->limits().header_bytes_max);
    parser_->body_limit(service_->body_bytes_max);
    stream_.expires_after(owner_->limits().request_timeout);
    http::async_read_header(stream_, buffer_, *parser_,
                            bound(&Connection::header_read));
  }

  void abandon() override {
    is_open_ = false;
    if (endless_)
      endless_->close();
    error_code ignored;
    stream_.socket().close(ignored);
    stream_.cancel();
  }

private:
  using Response = http::response<http::span_body<const char>>;

  void header_read(const error_code& error) {
    if (error)
      return refuse(error);
    if (auto no = refusal(parser_->get())) {
      must_close_ = true;
      return write(*std::move(no));
    }
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue"))
      return read_body();
    go_on_ = {http::status::continue_, parser_->get().version()};
    http::async_write(stream_, go_on_, bound(&Connection::told_to_go_on));
  }

  void told_to_go_on(const error_code& error) {
    error ? close() : read_body();
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     bound(&Connection::request_read));
  }

  void request_read(const error_code& error) {
    if (error)
      return refuse(error);
    // The master may take its time.
    stream_.expires_never();
    auto& message = parser_->get();
    HttpRequest request;
    request.method = std::string{message.method_string()};
    auto target = message.target();
    auto mark = target.find('?');
    request.path = std::string{target.substr(0, mark)};
    if (mark < target.size())
      request.query = std::string{target.substr(mark + 1)};
    request.body = std::move(message.body());
    request.accept = std::string{message[http::field::accept]};
    request.last_event_id = std::string{message["Last-Event-ID"]};
    request.here = here_;
    request.peer = peer_;
    service_->handler(request, std::make_shared<HttpReply>(
                                   [self = shared_from_this()](HttpResponse x) {
                                     self->owner_->post(
                                         [self, x = std::move(x)]() mutable {
                                           if (self->is_open_)
                                             self->write(std::move(x));
                                         });
                                   }));
  }

  void refuse(const error_code& error) {
    auto answer = answer_to(error);
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

  void write(HttpResponse x) {
    if (x.stream)
      return write_endless(std::move(x));
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
    stream_.expires_after(owner_->limits().response_timeout);
    http::async_write(stream_, response, bound(&Connection::written));
  }

  void written(const error_code& error) {
    if (error)
      return close();
    if (must_close_)
      return take_off_unwanted();
    if (!response_->keep_alive())
      return close();
    body_.reset();
    begin();
  }

  void write_endless(HttpResponse x) {
    endless_ = std::move(x.stream);
    must_close_ = true;
    begin_response(endless_header_, x);
    endless_header_.set(http::field::content_type, x.content_type);
    endless_header_.keep_alive(false);
    endless_serializer_.emplace(endless_header_);
    stream_.expires_after(owner_->limits().response_timeout);
    http::async_write_header(stream_, *endless_serializer_,
                             bound(&Connection::endless_begun));
  }

  void endless_begun(const error_code& error) {
    if (error || parser_->get().method() == http::verb::head)
      return close();
    parser_.reset();
    stream_.expires_never();
    read_unwanted_of_endless();
    endless_->attach([self = shared_from_this()](HttpStream::Piece x) {
      self->owner_->post([self, x = std::move(x)] {
        if (!self->is_open_)
          return;
        self->pieces_.push_back(x);
        if (self->pieces_.size() == 1)
          self->write_piece();
      });
    });
  }

  void write_piece() {
    if (!pieces_.front())
      return close();
    stream_.expires_after(owner_->limits().response_timeout);
    const auto& x = *pieces_.front();
    asio::async_write(stream_, asio::buffer(x), bound(&Connection::piece_sent));
  }

  void piece_sent(const error_code& error) {
    if (error)
      return close();
    endless_->sent(pieces_.front()->size());
    pieces_.pop_front();
    if (!pieces_.empty())
      write_piece();
  }

  /// Learns that the reader has gone: he has nothing more to say.
  void read_unwanted_of_endless() {
    stream_.async_read_some(buffer_.prepare(1), bound(&Connection::unwanted));
  }

  void unwanted(const error_code&) {
    close();
  }

  void take_off_unwanted() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    buffer_.clear();
    unwanted_bytes_ = 0;
    read_unwanted();
  }

  void read_unwanted() {
    stream_.async_read_some(
        buffer_.prepare(4096),
        [self = shared_from_this()](const error_code& error, std::size_t n) {
          if (!self->is_open_)
            return;
          self->unwanted_bytes_ += n;
          if (error || self->unwanted_bytes_ > unwanted_bytes_max)
            return self->close();
          self->read_unwanted();
        });
  }

  void close() {
    auto self = shared_from_this();
    abandon();
    owner_->closed(self);
  }

  std::shared_ptr<HttpConnectionOwner> owner_;
  std::shared_ptr<const HttpService> service_;
  beast::tcp_stream stream_;
  SocketAddress here_;
  SocketAddress peer_;
  beast::flat_buffer buffer_;
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
  std::size_t unwanted_bytes_ = 0;

  /// There may be more of the request, which nobody reads.
  bool must_close_ = false;
  bool is_open_ = true;
};

} // namespace

std::shared_ptr<HttpConnection>
make_http_connection(std::shared_ptr<HttpConnectionOwner> owner,
                     boost::asio::ip::tcp::socket socket,
                     std::shared_ptr<const HttpService> service) {
  return std::make_shared<Connection>(std::move(owner), std::move(socket),
                                      std::move(service));
}

} // namespace stoker
