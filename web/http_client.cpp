#include "web/http_client.hpp"

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace stoker {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

using PlainCall = beast::tcp_stream;
using TlsCall = beast::ssl_stream<beast::tcp_stream>;

constexpr std::string_view plain_scheme = "http://";
constexpr std::string_view tls_scheme = "https://";
constexpr std::size_t answer_bytes_max = 1024 * 1024;

/// "node1:8080"
std::string host_field(const MasterAddress& x) {
  auto url = to_string(x);
  return url.substr(url.find("//") + 2);
}

/// One call, from its connection to its answer.
template <class Stream>
class Caller {
  static constexpr bool is_encrypted = std::is_same_v<Stream, TlsCall>;

public:
  explicit Caller(const HttpCall& call)
      : call_(call), stream_(make_stream(context_, call.tls.get())),
        resolver_(context_) {
    parser_.body_limit(answer_bytes_max);
    parser_.skip(!call.reads_body);
    request_.method_string(call.method);
    request_.target(call.target);
    request_.version(11);
    request_.set(http::field::host, host_field(call.to.place));
    request_.set(http::field::connection, "close");
    if (!call.content_type.empty())
      request_.set(http::field::content_type, call.content_type);
    request_.body() = call.body;
    request_.prepare_payload();
  }

  Result<HttpAnswer> run() {
    tcp_stream().expires_after(call_.patience);
    resolver_.async_resolve(
        call_.to.place.host, std::to_string(call_.to.place.port),
        [this](const error_code& error, const tcp::resolver::results_type& x) {
          error ? fail(Errc::not_alive, error) : connect(x);
        });
    context_.run();
    return std::move(result_);
  }

private:
  static Stream make_stream(asio::io_context& context,
                            [[maybe_unused]] asio::ssl::context* tls) {
    if constexpr (is_encrypted)
      return Stream{context, *tls};
    else
      return Stream{context};
  }

  beast::tcp_stream& tcp_stream() {
    return beast::get_lowest_layer(stream_);
  }

  void connect(const tcp::resolver::results_type& to) {
    tcp_stream().async_connect(
        to, [this](const error_code& error, const tcp::endpoint&) {
          if (error)
            return fail(Errc::not_alive, error);
          shake_hands();
        });
  }

  void shake_hands() {
    if constexpr (is_encrypted) {
      const auto& host = call_.to.place.host;
      error_code ignored;
      stream_.set_verify_callback(asio::ssl::host_name_verification(host),
                                  ignored);
      SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
      stream_.async_handshake(asio::ssl::stream_base::client,
                              [this](const error_code& error) {
                                error ? fail(Errc::not_alive, error) : send();
                              });
    } else {
      send();
    }
  }

  void send() {
    http::async_write(stream_, request_,
                      [this](const error_code& error, std::size_t) {
                        error ? fail(Errc::no_answer, error) : receive();
                      });
  }

  void receive() {
    http::async_read(stream_, buffer_, parser_,
                     [this](const error_code& error, std::size_t) {
                       if (error)
                         return fail(Errc::no_answer, error);
                       auto& x = parser_.get();
                       result_ = HttpAnswer{
                           x.result_int(),
                           std::string{x[http::field::content_type]},
                           std::move(x.body())};
                     });
  }

  void fail(Errc code, const error_code& error) {
    result_ = Error{code, to_string(call_.to) + ": " + reason_of(error)};
  }

  [[nodiscard]] std::string reason_of(const error_code& error) const {
    if (error == beast::error::timeout)
      return "no answer in time";
    auto reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
    if (error.category() == asio::error::get_ssl_category()) {
      if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED)
        return "its certificate is not for " + call_.to.place.host
               + ", or not signed by an authority that is trusted here";
      if (reason == SSL_R_WRONG_VERSION_NUMBER)
        return "it does not speak TLS: try http://";
    }
    if (error == http::error::end_of_stream)
      return "it closed the connection without an answer"
             + std::string{is_encrypted ? "" : ": try https://"};
    return error.message();
  }

  const HttpCall& call_;
  asio::io_context context_{1};
  Stream stream_;
  tcp::resolver resolver_;
  http::request<http::string_body> request_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  Result<HttpAnswer> result_ = Error{Errc::no_answer, "there was no answer"};
};

} // namespace

std::string to_string(const WebAddress& x) {
  return std::string{x.is_encrypted ? tls_scheme : plain_scheme}
         + host_field(x.place);
}

Result<WebAddress> parse_web_address(std::string_view text) {
  WebAddress result;
  result.is_encrypted = text.starts_with(tls_scheme);
  std::optional<MasterAddress> place;
  if (result.is_encrypted || text.starts_with(plain_scheme)) {
    auto rest = text.substr(text.find("//") + 2);
    if (rest.ends_with('/'))
      rest.remove_suffix(1);
    place = parse_host_port(rest, result.place.port);
  }
  if (!place)
    return invalid("'" + std::string{text}
                   + "' is not where pages are; write http://HOST:PORT or "
                     "https://HOST:PORT");
  result.place = *std::move(place);
  return result;
}

Result<HttpAnswer> call_http(const HttpCall& call) {
  return call.to.is_encrypted ? Caller<TlsCall>{call}.run()
                              : Caller<PlainCall>{call}.run();
}

} // namespace stoker
