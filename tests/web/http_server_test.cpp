// An HTTP server, as those see it who keep to HTTP/1.1, and those who do not.

#include "web/http_server.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/gateway/socket_client.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr std::size_t body_max = 1000;

struct HttpFixture {
  HttpServerLimits limits;
  std::atomic<int> refusals{0};
  std::shared_ptr<HttpStream> endless = std::make_shared<HttpStream>();
  std::unique_ptr<HttpServer> server;
  std::uint16_t port = 0;
  std::chrono::steady_clock::time_point patience_end
      = std::chrono::steady_clock::now() + std::chrono::seconds{30};

  void start() {
    server = std::make_unique<HttpServer>(limits, [this] { ++refusals; });
    auto opened = server->listen(
        "127.0.0.1", 0, body_max,
        [this](const HttpRequest& x, const HttpReplyPtr& reply) {
          if (x.path == "/never")
            return;
          if (x.path == "/endless") {
            HttpResponse response;
            response.content_type = "text/event-stream";
            response.stream = endless;
            endless->write(std::make_shared<const std::string>(""));
            endless->write(std::make_shared<const std::string>("first "));
            return reply->answer(response);
          }
          if (x.path == "/long")
            return reply->answer(http_json(std::string(32'000'000, 'x')));
          if (x.path == "/encoding")
            return reply->answer(http_json(x.takes_gzip ? "gzip" : "plain"));
          reply->answer(http_json(x.method + ' ' + x.path + ' ' + x.body));
        });
    REQUIRE(opened);
    port = *opened;
  }

  /// All that is answered until the server closes the connection.
  std::string talk(const std::string& request) const {
    SocketClient client{port};
    client.send(request);
    return client.receive(100'000);
  }
};

std::string get(const std::string& path, const std::string& fields = {}) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

constexpr const char* last = "Connection: close\r\n";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE_METHOD(HttpFixture, "requests are answered one after the other",
                 "[web]") {
  start();
  auto answers = talk(get("/a?q=1") + get("/b")
                      + "POST /c HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        "Content-Length: 3\r\n\r\nxyz"
                      + get("/d", last));
  auto a = answers.find("GET /a ");
  auto b = answers.find("GET /b ");
  auto c = answers.find("POST /c xyz");
  auto d = answers.find("GET /d ");
  CHECK(a < b);
  CHECK(b < c);
  CHECK(c < d);
  CHECK(d != std::string::npos);
  CHECK(answers.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(has(answers, "Content-Type: application/json;charset=utf-8\r\n"));
  CHECK(has(answers, "X-Content-Type-Options: nosniff\r\n"));
}

TEST_CASE_METHOD(HttpFixture, "a request may name the server as to a proxy",
                 "[web]") {
  start();
  CHECK(has(talk(get("http://localhost:80/a?q=1", last)), "GET /a "));
  CHECK(has(talk(get("http://localhost", last)), "GET / "));
  CHECK(talk(get("http://evil.example/a", last)).starts_with("HTTP/1.1 421 "));
}

TEST_CASE_METHOD(HttpFixture, "a body that is encoded otherwise is refused",
                 "[web]") {
  start();
  auto answer = talk("POST /a HTTP/1.1\r\nHost: localhost\r\n"
                     "Transfer-Encoding: gzip\r\n\r\n");
  CHECK(answer.starts_with("HTTP/1.1 501 "));
  CHECK(has(answer, "Connection: close"));
  const std::string post = "POST /a HTTP/1.1\r\nHost: localhost\r\n";
  for (const auto* coding :
       {"gzip, chunked", "chunked, gzip", "identity", "chunked, chunked"})
    CHECK(talk(post + "Transfer-Encoding: " + coding + "\r\n\r\n0\r\n\r\n")
              .starts_with("HTTP/1.1 501 "));
  for (const auto* coding : {"gzip", "identity"}) {
    answer = talk(post + "Content-Encoding: " + coding
                  + "\r\nContent-Length: 2\r\n\r\nab");
    CHECK(answer.starts_with("HTTP/1.1 415 "));
    CHECK(has(answer, "Connection: close"));
  }
  CHECK(has(talk(post + last
                 + "Transfer-Encoding: Chunked\r\n\r\n"
                   "2\r\nab\r\n0\r\n\r\n"),
            "POST /a ab"));
}

TEST_CASE_METHOD(HttpFixture, "a request says which encodings it takes",
                 "[web]") {
  start();
  auto answers = talk(get("/encoding", "Accept-Encoding: br, gzip\r\n")
                      + get("/encoding", last));
  CHECK(answers.find("gzip") < answers.find("plain"));
  CHECK(answers.ends_with("plain"));
}

TEST_CASE_METHOD(HttpFixture, "HEAD has the fields of GET and no body",
                 "[web]") {
  start();
  auto answer = talk("HEAD /a HTTP/1.1\r\nHost: localhost\r\n"
                     "Connection: close\r\n\r\n");
  CHECK(has(answer, "Content-Length: 8\r\n"));
  CHECK(answer.ends_with("\r\n\r\n"));
}

TEST_CASE_METHOD(HttpFixture,
                 "who is silent for long is closed, and who is slow", "[web]") {
  limits.request_timeout = std::chrono::milliseconds{50};
  start();
  SocketClient silent{port};
  CHECK(silent.is_closed());
  SocketClient slow{port};
  slow.send("GET / HT");
  CHECK(slow.is_closed());
}

TEST_CASE_METHOD(HttpFixture, "what is too long is refused", "[web]") {
  limits.header_bytes_max = 1000;
  start();
  auto answer = talk(get("/" + std::string(2000, 'x')));
  CHECK(answer.starts_with("HTTP/1.1 431 "));
  CHECK(has(answer, "application/problem+json"));
  CHECK(has(answer, "Connection: close"));
  answer = talk(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n");
  CHECK(answer.starts_with("HTTP/1.1 413 Content Too Large\r\n"));
  CHECK(has(answer, R"("title":"Content Too Large")"));
  // Nobody knows how long it will be.
  answer = talk("POST / HTTP/1.1\r\nHost: localhost\r\n"
                "Transfer-Encoding: chunked\r\n\r\n"
                "400\r\n"
                + std::string(1024, 'x') + "\r\n0\r\n\r\n");
  CHECK(answer.starts_with("HTTP/1.1 413 "));
}

TEST_CASE_METHOD(HttpFixture, "what is no request is refused", "[web]") {
  start();
  CHECK(talk("\x16\x03\x01 hello\r\n\r\n").starts_with("HTTP/1.1 400 "));
  CHECK(talk("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
  CHECK(talk(get("/", "Host: localhost\r\n")).starts_with("HTTP/1.1 400 "));
}

TEST_CASE_METHOD(HttpFixture,
                 "empty lines in front of a request are none of it", "[web]") {
  start();
  CHECK(
      has(talk("\r\n\r\n" + get("/a") + "\r\n" + get("/b", last)), "GET /b "));
  // The parts of one come when they like.
  SocketClient client{port};
  const auto request = get("/a", last);
  for (const auto& part :
       {std::string{"\r"}, std::string{"\n\r"}, std::string{"\n"},
        request.substr(0, 1), request.substr(1)})
    client.send(part);
  CHECK(has(client.receive(100'000), "GET /a "));
  CHECK(talk("\r" + get("/", last)).starts_with("HTTP/1.1 400 "));
}

TEST_CASE_METHOD(HttpFixture,
                 "who speaks HTTP/1.0 sends no chunks, and waits "
                 "for nothing",
                 "[web]") {
  start();
  auto answer = talk("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"
                     "Connection: keep-alive\r\n\r\n"
                     "2\r\nab\r\n0\r\n\r\n"
                     + get("/b", last));
  CHECK(has(answer.substr(0, 13), " 400 "));
  CHECK_FALSE(has(answer, "GET /b"));
  answer = talk("POST /a HTTP/1.0\r\nExpect: 100-continue\r\n"
                "Content-Length: 2\r\n\r\nab");
  CHECK(has(answer, "POST /a ab"));
  CHECK_FALSE(has(answer, "100 Continue"));
}

TEST_CASE_METHOD(HttpFixture, "what stands beside chunks has limits, too",
                 "[web]") {
  start();
  const std::string head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n";
  std::string many_fields;
  for (int i = 0; i < 13'000; ++i)
    many_fields += "X: b\r\n";
  for (const auto& rest :
       {"0\r\nX: " + std::string(70'000, 'a') + "\r\n\r\n",
        "0\r\n" + many_fields + "\r\n",
        "2;" + std::string(80'000, 'a') + "\r\nab\r\n0\r\n\r\n"})
    CHECK(talk(head + rest).starts_with("HTTP/1.1 431 "));
  // Fields behind a body are read as far as others are.
  CHECK(talk(head + "2;a=b\r\nab\r\n0\r\nX: y\r\n\r\n"
             + "GET / HTTP/1.1\r\n"
               "Host: 127.0.0.1\r\nConnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 200 "));
}

TEST_CASE_METHOD(HttpFixture, "pages of others can change and read nothing",
                 "[web]") {
  start();
  auto named = talk("GET / HTTP/1.1\r\nHost: evil.example:8080\r\n\r\n");
  CHECK(named.starts_with("HTTP/1.1 421 "));
  auto page = talk("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                   "Origin: http://evil.example\r\nContent-Length: 0\r\n\r\n");
  CHECK(page.starts_with("HTTP/1.1 403 "));
  auto from = [&](const std::string& origin) {
    return talk("POST / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port)
                + "\r\nOrigin: " + origin
                + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  };
  auto own = "http://127.0.0.1:" + std::to_string(port);
  CHECK(from(own).starts_with("HTTP/1.1 200 "));
  for (const auto& other :
       {"https" + own.substr(4), own + "0", std::string{"http://127.0.0.1"},
        std::string{"null"}, std::string{}})
    CHECK(from(other).starts_with("HTTP/1.1 403 "));
  // A browser says so, even where it does not say which.
  for (const auto* site : {"cross-site", "same-site"})
    CHECK(talk("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: "
               + std::string{site} + "\r\nContent-Length: 0\r\n\r\n")
              .starts_with("HTTP/1.1 403 "));
  CHECK(talk(get("/", std::string{"Origin: http://a\r\n"} + last))
            .starts_with("HTTP/1.1 200 "));
  CHECK(talk("GET / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 200 "));
}

TEST_CASE_METHOD(HttpFixture, "a server is called by its name and a port",
                 "[web]") {
  start();
  auto ask = [&](const std::string& host, const std::string& target = "/") {
    return talk("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + last
                + "\r\n")
        .substr(9, 3);
  };
  for (const auto* host :
       {"localhost", "LOCALHOST", "LocalHost:8080", "127.0.0.1:80", "[::1]",
        "[::1]:8080", "localhost:", ""})
    CHECK(ask(host) == "200");
  for (const auto* host :
       {"127.0.0.1:80@evil.example", "localhost:80:80", "localhost:x",
        "[::1]evil.example", "[::1]:80@evil.example", "[::1", "localhost:-1"}) {
    CHECK(ask(host) == "400");
    CHECK(ask("localhost", std::string{"http://"} + host + '/') != "200");
  }
  for (const auto* host :
       {"evil.example", "user@localhost", ":80", "localhost.evil.example"})
    CHECK(ask(host) == "421");
  for (const auto* host : {"localhost:80/", "localhost:80#"})
    CHECK(ask(host) == "400");
  // Links are made of the field, whatever the target says.
  CHECK(ask("evil.example", "http://localhost/") == "421");
}

TEST_CASE_METHOD(HttpFixture,
                 "who waits to be asked for a body is asked for it", "[web]") {
  start();
  SocketClient client{port};
  client.send("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
              "Expect: 100-continue\r\nConnection: close\r\n\r\n");
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK(client.receive(go_on.size()) == go_on);
  client.send("ab");
  CHECK(has(client.receive(100'000), "POST /x ab"));
}

TEST_CASE_METHOD(HttpFixture, "a handler that forgets a request answers it",
                 "[web]") {
  start();
  CHECK(talk(get("/never", last)).starts_with("HTTP/1.1 503 "));
}

TEST_CASE_METHOD(HttpFixture,
                 "there are only so many connections, and more are counted",
                 "[web]") {
  limits.connections_max = 2;
  start();
  SocketClient first{port};
  SocketClient second{port};
  for (auto* reader : {&first, &second}) {
    reader->send(get("/endless"));
    CHECK_FALSE(reader->receive(10).empty());
  }
  for (auto closed : {1, 2}) {
    SocketClient third{port};
    CHECK(third.is_closed());
    CHECK(refusals == closed);
  }
}

TEST_CASE_METHOD(HttpFixture, "who is silent keeps nobody out without TLS",
                 "[web]") {
  limits.connections_max = 2;
  start();
  SocketClient silent{port};
  SocketClient slow{port};
  slow.send("GET / HT");
  CHECK(talk(get("/", last)).starts_with("HTTP/1.1 200 "));
  CHECK(silent.is_closed());
  CHECK(talk(get("/", last)).starts_with("HTTP/1.1 200 "));
}

TEST_CASE_METHOD(HttpFixture, "who reads no answer keeps nobody out", "[web]") {
  limits.connections_max = 2;
  limits.unread_patience = std::chrono::milliseconds{0};
  start();
  SocketClient first{port};
  SocketClient second{port};
  for (auto* silent : {&first, &second}) {
    silent->send(get("/long") + get("/long"));
    CHECK(silent->receive(10).size() == 10);
  }
  CHECK(talk(get("/", last)).starts_with("HTTP/1.1 200 "));
  // Who takes longer may be reading.
  limits.unread_patience = std::chrono::hours{1};
  start();
  SocketClient third{port};
  SocketClient fourth{port};
  for (auto* slow : {&third, &fourth}) {
    slow->send(get("/long"));
    CHECK(slow->receive(10).size() == 10);
  }
  SocketClient fifth{port};
  CHECK(fifth.is_closed());
  CHECK(third.receive(32'000'000).size() == 32'000'000);
}

TEST_CASE_METHOD(HttpFixture, "who was refused and stays keeps nobody out",
                 "[web]") {
  limits.connections_max = 1;
  start();
  SocketClient refused{port};
  refused.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  CHECK(has(refused.receive(13), " 421 "));
  while (!has(talk(get("/", last)), " 200 "))
    REQUIRE(std::chrono::steady_clock::now() < patience_end);
}

TEST_CASE_METHOD(HttpFixture, "nobody has more places than are for one",
                 "[web]") {
  limits.connections_max = 10;
  limits.connections_each_max = 2;
  start();
  SocketClient reader{port};
  reader.send(get("/endless"));
  CHECK_FALSE(reader.receive(10).empty());
  // His own that is silent makes room for another one of his.
  SocketClient silent{port};
  CHECK(talk(get("/", last)).starts_with("HTTP/1.1 200 "));
  CHECK(silent.is_closed());
  CHECK(refusals == 0);
  SocketClient second{port};
  second.send(get("/endless"));
  CHECK_FALSE(second.receive(10).empty());
  SocketClient third{port};
  CHECK(third.is_closed());
  // As soon as one has gone there is room again.
  second.close();
  while (talk(get("/", last)).empty())
    REQUIRE(std::chrono::steady_clock::now() < patience_end);
}

TEST_CASE("what is not encrypted is for this machine alone", "[web]") {
  HttpServer server;
  auto handler = [](const HttpRequest&, const HttpReplyPtr&) {};
  auto elsewhere = server.listen("0.0.0.0", 0, 0, handler);
  REQUIRE(elsewhere.code() == Errc::invalid_request);
  CHECK(has(elsewhere.error().message, "stoker certs"));
  auto first = server.listen("localhost", 0, 0, handler);
  REQUIRE(first);
  CHECK(server.listen("127.0.0.1", *first, 0, handler).code() == Errc::in_use);
  server.stop();
  server.stop();
}

TEST_CASE_METHOD(HttpFixture, "an answer that comes too late disturbs nobody",
                 "[web]") {
  std::mutex mutex;
  std::deque<HttpReplyPtr> replies;
  server = std::make_unique<HttpServer>(limits);
  auto opened = server->listen(
      "127.0.0.1", 0, 0, [&](const HttpRequest&, const HttpReplyPtr& reply) {
        std::lock_guard lock{mutex};
        replies.push_back(reply);
      });
  REQUIRE(opened);
  SocketClient client{*opened};
  client.send(get("/"));
  while (true) {
    std::lock_guard lock{mutex};
    if (!replies.empty())
      break;
  }
  server.reset();
  CHECK(client.is_closed());
  replies.front()->answer(http_json("late"));
}

TEST_CASE_METHOD(HttpFixture, "a body without an end comes piece by piece",
                 "[web]") {
  start();
  SocketClient client{port};
  client.send(get("/endless"));
  std::string answer;
  while (!has(answer, "first ")) {
    auto more = client.receive(1);
    REQUIRE_FALSE(more.empty());
    answer += more;
  }
  CHECK(has(answer, "Content-Type: text/event-stream\r\n"));
  CHECK(has(answer, "Connection: close\r\n"));
  CHECK_FALSE(has(answer, "Content-Length"));
  CHECK(has(answer, "Transfer-Encoding: chunked\r\n"));
  CHECK(has(answer, "\r\n\r\n6\r\nfirst "));
  endless->write(std::make_shared<const std::string>("second"));
  CHECK(client.receive(13) == "\r\n6\r\nsecond\r\n");
  CHECK_FALSE(endless->is_closed());
}

TEST_CASE_METHOD(HttpFixture, "an end differs from what is cut off", "[web]") {
  start();
  auto is_cut_off = false;
  SECTION("an end") {
    endless->finish();
  }
  SECTION("cut off") {
    endless->cut_off();
    is_cut_off = true;
  }
  auto answer = talk(get("/endless"));
  CHECK(has(answer, "\r\n0\r\n\r\n") != is_cut_off);
}

TEST_CASE_METHOD(HttpFixture, "who speaks HTTP/1.0 is sent no chunks",
                 "[web]") {
  start();
  endless->finish();
  auto answer = talk("GET /endless HTTP/1.0\r\n\r\n");
  CHECK_FALSE(has(answer, "chunked"));
}

TEST_CASE_METHOD(HttpFixture, "a body ends when its reader goes", "[web]") {
  start();
  {
    SocketClient client{port};
    client.send(get("/endless"));
    CHECK_FALSE(client.receive(1).empty());
  }
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!endless->is_closed() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  CHECK(endless->is_closed());
  endless->write(std::make_shared<const std::string>("nobody reads this"));
}

TEST_CASE_METHOD(HttpFixture, "a server that stops ends what has no end",
                 "[web]") {
  start();
  SocketClient client{port};
  client.send(get("/endless"));
  CHECK_FALSE(client.receive(1).empty());
  server->stop();
  CHECK(endless->is_closed());
}
