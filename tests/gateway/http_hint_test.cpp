// HTTP clients that come to the port of Spark's programs.

#include "gateway/http_hint.hpp"

#include <string>
#include <vector>

#include "tests/gateway/frame_server_fixture.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

const std::string submission_url = "http://127.0.0.1:6066";
const std::string page_url = "http://127.0.0.1:8080";

std::string hint(const std::string& request, bool is_near = true,
                 const std::string& to = submission_url) {
  return http_hint(request, to, page_url, "4.1.4", is_near);
}

struct HttpHintFixture : FrameServerFixture {
  void start_with_hint() {
    auto listener = recorder.listener();
    listener.answer_http = [](const FrameConnection&, std::string_view x) {
      return hint(std::string{x});
    };
    server.emplace(limits, std::move(listener));
    auto bound = server->listen("127.0.0.1", 0);
    REQUIRE(bound);
    port = *bound;
  }
};

constexpr const char* status_request
    = "GET /v1/submissions/status/driver-1 HTTP/1.1\r\nHost: a\r\n\r\n";

} // namespace

TEST_CASE("a question for a submission is led to the right port", "[gateway]") {
  auto answer = hint(status_request);
  CHECK(answer.starts_with("HTTP/1.1 307 "));
  CHECK(contains(answer, "\r\nLocation: " + submission_url
                             + "/v1/submissions/status/driver-1\r\n"));
  CHECK(contains(answer, "\r\nConnection: close\r\n"));
  CHECK(contains(answer, R"("action":"ErrorResponse")"));
  CHECK(contains(answer, R"("serverSparkVersion":"4.1.4")"));
}

TEST_CASE("a new submission is not answered, so that Spark submits it again",
          "[gateway]") {
  CHECK(hint("POST /v1/submissions/create HTTP/1.1\r\n").empty());
}

TEST_CASE("a client that cannot be led on is told the right port",
          "[gateway]") {
  auto order = hint("POST /v1/submissions/kill/driver-1 HTTP/1.1\r\n");
  CHECK(order.starts_with("HTTP/1.1 404 "));
  CHECK(contains(order, "submissions over HTTP are at " + submission_url));
  auto from_elsewhere = hint(status_request, false);
  CHECK(from_elsewhere.starts_with("HTTP/1.1 404 "));
  CHECK(contains(from_elsewhere, "for programs of the master's machine"));
  auto without = hint(status_request, true, {});
  CHECK(without.starts_with("HTTP/1.1 404 "));
  CHECK(contains(without, "--rest-port"));
  auto browser = hint("GET / HTTP/1.1\r\n");
  CHECK(browser.starts_with("HTTP/1.1 400 "));
  CHECK(contains(browser, "pages at " + page_url));
}

TEST_CASE("a target that is no plain text is in no answer", "[gateway]") {
  const std::vector<std::string> targets{"/v1/\x01", "/v1/\"",
                                         std::string(600, 'a')};
  for (const auto& target : targets) {
    auto answer = hint("GET " + target + " HTTP/1.1");
    CHECK(answer.starts_with("HTTP/1.1 400 "));
    CHECK_FALSE(contains(answer, target));
  }
}

TEST_CASE_METHOD(HttpHintFixture, "a client of HTTP is answered and closed",
                 "[gateway]") {
  start_with_hint();
  SocketClient client{port};
  SECTION("when its request comes at once") {
    client.send(status_request);
  }
  SECTION("when its request comes byte by byte") {
    for (char c : std::string{status_request})
      client.send({c});
  }
  CHECK(client.receive(100'000).starts_with("HTTP/1.1 307 "));
  expect_closed("it speaks HTTP");
}

TEST_CASE_METHOD(HttpHintFixture,
                 "a line of HTTP that does not end is not waited for",
                 "[gateway]") {
  start_with_hint();
  SocketClient client{port};
  client.send("GET /" + std::string(http_line_max, 'a'));
  CHECK(client.receive(100'000).starts_with("HTTP/1.1 400 "));
  expect_closed("it speaks HTTP");
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a client of HTTP is closed when nothing answers it",
                 "[gateway]") {
  start();
  SocketClient client{port};
  client.send(status_request);
  CHECK(client.is_closed());
  CHECK(recorder.frames.empty());
}
