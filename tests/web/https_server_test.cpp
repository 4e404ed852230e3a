// An HTTP server over TLS, with certificates of a cluster, and its client.

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <openssl/ssl.h>

#include "network/certificates.hpp"
#include "network/x509.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/gateway/socket_of_nobody.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"
#include "web/http_client.hpp"
#include "web/http_server.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

namespace asio = boost::asio;

struct HttpsFixture {
  TemporaryDirectory directory;
  HttpServerLimits limits;
  std::unique_ptr<HttpServer> server;
  std::uint16_t port = 0;

  HttpsFixture() {
    REQUIRE(
        make_certificates(directory.path("ours"), {{"localhost", Role::node},
                                                   {"node1", Role::node},
                                                   {"ann", Role::user}}));
    REQUIRE(make_certificates(directory.path("others"), {{"eve", Role::user}}));
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return directory.path(name);
  }

  [[nodiscard]] std::shared_ptr<Credentials>
  credentials(const std::string& name,
              const std::string& authority = "ours") const {
    auto loaded
        = Credentials::load({file(name + ".pem"), file(name + "-key.pem"),
                             file(authority + "/ca.pem")});
    REQUIRE(loaded);
    return *loaded;
  }

  void start(const std::string& name = "ours/localhost") {
    start_with(credentials(name));
  }

  void start_with(const std::shared_ptr<Credentials>& own) {
    server = std::make_unique<HttpServer>(limits);
    auto opened = server->listen(
        "127.0.0.1", 0, 1000,
        [](const HttpRequest& x, const HttpReplyPtr& reply) {
          if (x.path == "/long")
            return reply->answer(http_json(std::string(800'000, 'x')));
          reply->answer(http_json(
              (x.certificate ? to_string(*x.certificate) : "nobody")
              + (x.is_encrypted ? " over TLS at " : " at ") + x.host));
        },
        own);
    REQUIRE(opened);
    port = *opened;
  }

  [[nodiscard]] Result<HttpAnswer> call(const std::string& who,
                                        const std::string& host = "localhost",
                                        const std::string& target = "/") const {
    HttpCall result;
    result.to = {true, {host, port}};
    result.target = target;
    result.tls = credentials(who)->context();
    return call_http(result);
  }

  /// What a client without a certificate is answered until the end of the connection, and
  /// whether that is told by TLS.
  std::string talk(const std::string& request) const {
    asio::ssl::context tls{asio::ssl::context::tls_client};
    tls.load_verify_file(file("ours/ca.pem"));
    tls.set_verify_mode(asio::ssl::verify_peer);
    asio::io_context context;
    asio::ssl::stream<asio::ip::tcp::socket> stream{context, tls};
    stream.lowest_layer().connect({asio::ip::make_address("127.0.0.1"), port});
    stream.handshake(asio::ssl::stream_base::client);
    asio::write(stream, asio::buffer(request));
    std::string result;
    boost::system::error_code error;
    asio::read(stream, asio::dynamic_buffer(result), error);
    CHECK(error == asio::error::eof);
    return result;
  }
};

/// The one line of a problem document.
std::string detail_of(const std::string& body) {
  boost::json::error_code error;
  auto text = boost::json::parse(body, error);
  INFO(body);
  REQUIRE_FALSE(error);
  return std::string{text.at("detail").as_string()};
}

std::string get_of(const std::string& host) {
  return "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
}

} // namespace

TEST_CASE_METHOD(HttpsFixture,
                 "who speaks HTTP without TLS is told to speak HTTPS",
                 "[web]") {
  start();
  asio::io_context context;
  asio::ip::tcp::socket socket{context};
  socket.connect({asio::ip::make_address("127.0.0.1"), port});
  asio::write(socket, asio::buffer(get_of("localhost")));
  std::string answer;
  boost::system::error_code error;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  CHECK(error == asio::error::eof);
  CHECK(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"));
  CHECK(contains(answer, "Content-Type: application/problem+json\r\n"));
  auto body = answer.substr(answer.find("\r\n\r\n") + 4);
  CHECK(contains(answer,
                 "Content-Length: " + std::to_string(body.size()) + "\r\n"));
  CHECK(detail_of(body)
        == "this port is for HTTPS: begin the address with https");
}

TEST_CASE_METHOD(HttpsFixture, "who shows a certificate is known by it",
                 "[web]") {
  start();
  auto answer = call("ours/ann");
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer);
  CHECK(answer->status == 200);
  CHECK(answer->body
        == "user ann over TLS at localhost:" + std::to_string(port));
  answer = call("ours/node1", "127.0.0.1");
  REQUIRE(answer);
  CHECK(contains(answer->body, "node node1 over TLS at 127.0.0.1"));
}

TEST_CASE_METHOD(HttpsFixture, "who shows none is nobody", "[web]") {
  start();
  auto answer = talk(get_of("localhost"));
  CHECK(answer.starts_with("HTTP/1.1 200 "));
  CHECK(answer.ends_with("nobody over TLS at localhost"));
}

TEST_CASE_METHOD(
    HttpsFixture,
    "a server closes connections of certificates that are revoked, "
    "and takes no more of them",
    "[web]") {
  auto revoke = [&](const std::string& text) {
    std::ofstream{file("revoked")} << text;
  };
  revoke("");
  auto own = Credentials::load({file("ours/localhost.pem"),
                                file("ours/localhost-key.pem"),
                                file("ours/ca.pem"), true, file("revoked")});
  REQUIRE(own);
  start_with(*own);
  auto tls = credentials("ours/ann")->context();
  asio::io_context context;
  asio::ssl::stream<asio::ip::tcp::socket> stream{context, *tls};
  stream.lowest_layer().connect({asio::ip::make_address("127.0.0.1"), port});
  stream.handshake(asio::ssl::stream_base::client);
  asio::write(stream, asio::buffer(std::string{
                          "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"}));
  std::string answer;
  boost::system::error_code error;
  asio::read_until(stream, asio::dynamic_buffer(answer), "user ann", error);
  REQUIRE_FALSE(error);
  auto serial = x509::read_certificate(file("ours/ann.pem"));
  REQUIRE(serial);
  revoke(serial->serial);
  REQUIRE((*own)->reload());
  answer.clear();
  asio::read(stream, asio::dynamic_buffer(answer), error);
  CHECK(error);
  CHECK_FALSE(call("ours/ann"));
  CHECK(call("ours/node1"));
}

TEST_CASE_METHOD(HttpsFixture, "a long answer arrives whole", "[web]") {
  start();
  auto answer = call("ours/ann", "localhost", "/long");
  REQUIRE(answer);
  CHECK(answer->body == std::string(800'000, 'x'));
}

TEST_CASE_METHOD(HttpsFixture, "another authority's certificate is of no use",
                 "[web]") {
  start();
  HttpCall wrong;
  wrong.to = {true, {"localhost", port}};
  wrong.tls = credentials("ours/ann")->context();
  wrong.tls->use_certificate_chain_file(file("others/eve.pem"));
  wrong.tls->use_private_key_file(file("others/eve-key.pem"),
                                  asio::ssl::context::pem);
  CHECK_FALSE(call_http(wrong));
  // Nor does his program take the server for one that he knows.
  wrong.tls = credentials("others/eve", "others")->context();
  auto answer = call_http(wrong);
  REQUIRE(answer.code() == Errc::not_alive);
  CHECK(contains(answer.error().message, "not signed by an authority"));
}

TEST_CASE_METHOD(HttpsFixture, "a server has the names of its certificate",
                 "[web]") {
  start("ours/node1");
  CHECK(talk(get_of("node1")).starts_with("HTTP/1.1 200 "));
  CHECK(talk(get_of("node1:8080")).starts_with("HTTP/1.1 200 "));
  CHECK(call("ours/ann").code() == Errc::not_alive);
  for (const auto* host : {"evil.example", "10.0.0.1", "node1.evil.example"}) {
    CHECK(talk(get_of(host) + "GET ").starts_with("HTTP/1.1 421 "));
  }
}

TEST_CASE_METHOD(HttpsFixture, "without TLS nobody is told more than that",
                 "[web]") {
  start();
  SocketClient client{port};
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto said = client.receive(1000);
  CHECK(said.starts_with("HTTP/1.1 400 "));
  CHECK(contains(said, "this port is for HTTPS"));
  HttpCall plain;
  plain.to = {false, {"127.0.0.1", port}};
  auto answer = call_http(plain);
  REQUIRE(answer);
  CHECK(answer->status == 400);
  CHECK(detail_of(answer->body)
        == "this port is for HTTPS: begin the address with https");
}

TEST_CASE_METHOD(HttpsFixture, "who does not begin TLS is closed", "[web]") {
  limits.handshake_timeout = std::chrono::milliseconds{50};
  start();
  SocketClient silent{port};
  CHECK(silent.is_closed());
}

TEST_CASE_METHOD(HttpsFixture, "the silent keep nobody out", "[web]") {
  limits.connections_max = 2;
  start();
  SocketClient first{port};
  SocketClient second{port};
  auto answer = call("ours/ann");
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer);
  CHECK(contains(answer->body, "user ann"));
  CHECK(first.is_closed());
}

namespace {

/// The first message of a client that begins TLS.
std::string client_hello() {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{
      SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<SSL, decltype(&SSL_free)> connection{SSL_new(context.get()),
                                                       SSL_free};
  auto* out = BIO_new(BIO_s_mem());
  SSL_set_bio(connection.get(), BIO_new(BIO_s_mem()), out);
  SSL_connect(connection.get());
  char* bytes = nullptr;
  auto size = BIO_get_mem_data(out, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

} // namespace

TEST_CASE_METHOD(HttpsFixture,
                 "a server lets handshakes of a stranger wait while its own "
                 "user has turns",
                 "[web]") {
  if (::geteuid() != 0) {
    skip("only root can be two users");
    return;
  }
  limits.handshakes.turns_each_max = 1;
  limits.handshakes.turn_time = std::chrono::hours{1};
  start();
  // It has no certificate, so its turn lasts although it succeeds.
  asio::ssl::context tls{asio::ssl::context::tls_client};
  asio::io_context context;
  asio::ssl::stream<asio::ip::tcp::socket> first{context, tls};
  first.next_layer().assign(asio::ip::tcp::v4(), socket_of_nobody().release());
  first.next_layer().connect({asio::ip::make_address("127.0.0.1"), port});
  first.handshake(asio::ssl::stream_base::client);
  SocketClient second{port, socket_of_nobody()};
  second.send(client_hello());
  for (int i = 0; i < 2; ++i) {
    auto answer = call("ours/ann");
    INFO((answer ? "" : answer.error().message));
    CHECK(answer);
  }
  CHECK(second.is_silent());
}

TEST_CASE("where nothing listens, a client says so", "[web]") {
  std::uint16_t port = 0;
  {
    HttpServer server;
    auto opened = server.listen("127.0.0.1", 0, 0,
                                [](const HttpRequest&, const HttpReplyPtr&) {});
    REQUIRE(opened);
    port = *opened;
  }
  HttpCall call;
  call.to.place.port = port;
  auto answer = call_http(call);
  REQUIRE(answer.code() == Errc::not_alive);
  CHECK(contains(answer.error().message,
                 "http://127.0.0.1:" + std::to_string(port)
                     + ": Connection refused"));
}

TEST_CASE("where pages are is written as browsers have it", "[web]") {
  auto good
      = [](const char* text, const WebAddress& expected, const char* written) {
          INFO(text);
          auto parsed = parse_web_address(text);
          REQUIRE(parsed);
          CHECK(*parsed == expected);
          CHECK(to_string(*parsed) == written);
        };
  good("http://127.0.0.1:81", {false, {"127.0.0.1", 81}},
       "http://127.0.0.1:81");
  good("https://node1/", {true, {"node1", 8080}}, "https://node1:8080");
  good("http://[::1]:9", {false, {"::1", 9}}, "http://[::1]:9");
  for (const auto* text :
       {"", "127.0.0.1", "ftp://a", "http://", "http://a/b", "http://a:0",
        "http://a:99999", "http://a b", "http://a@b", "http:/a", "https//a"})
    CHECK(parse_web_address(text).code() == Errc::invalid_request);
}
