// The proxy of pages of programs, with pages on sockets of this machine.

#include "web/page_proxy.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/user_name.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/web/one_page_server.hpp"
#include "web/http_server.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// The user of this process, and of its pages.
std::string own_user() {
  return user_name(::geteuid());
}

ProxiedRequest request_to(std::uint16_t port) {
  ProxiedRequest result;
  result.to = {"127.0.0.1", port};
  result.owner = own_user();
  result.reader = own_user();
  result.path = "/jobs/";
  result.query = "id=3";
  result.prefix = "/proxy/app-1";
  return result;
}

std::future<HttpResponse> forward(PageProxy& proxy, ProxiedRequest x) {
  auto answered = std::make_shared<std::promise<HttpResponse>>();
  auto result = answered->get_future();
  proxy.forward(std::move(x),
                std::make_shared<HttpReply>([answered](HttpResponse y) {
                  answered->set_value(std::move(y));
                }));
  return result;
}

HttpResponse wait(std::future<HttpResponse> x) {
  REQUIRE(x.wait_for(30s) == std::future_status::ready);
  return x.get();
}

HttpResponse answer_of(const std::string& page_says,
                       ProxiedRequest x = request_to(0)) {
  OnePageServer page{page_says};
  PageProxy proxy;
  x.to.port = page.port();
  return wait(forward(proxy, std::move(x)));
}

std::string field(const HttpResponse& x, const std::string& name) {
  for (const auto& [key, value] : x.fields)
    if (key == name)
      return value;
  return {};
}

constexpr const char* page_answer
    = "HTTP/1.1 200 OK\r\nContent-Type: text/html;charset=utf-8\r\n"
      "Set-Cookie: stoker_session_8080=1\r\nContent-Length: 5\r\n\r\npage\n";

} // namespace

TEST_CASE("a page is passed on without cookies when a reader asks for it",
          "[web]") {
  OnePageServer page{page_answer};
  PageProxy proxy;
  auto answer = wait(forward(proxy, request_to(page.port())));
  CHECK(answer.status == 200);
  CHECK(*answer.body == "page\n");
  CHECK(answer.content_type == "text/html;charset=utf-8");
  CHECK(field(answer, "Set-Cookie").empty());
  const auto& asked = page.finish().front();
  CHECK(asked.starts_with("GET /jobs/?id=3 HTTP/1.1\r\n"));
  CHECK(contains(asked, "X-Forwarded-Context: /proxy/app-1\r\n"));
  CHECK(contains(asked, "Via: 1.1 stoker\r\n"));
  CHECK_FALSE(contains(asked, "Cookie"));
}

TEST_CASE("a page gets a form with its body", "[web]") {
  OnePageServer page{"HTTP/1.1 302 Found\r\nLocation: /jobs/\r\n"
                     "Content-Length: 0\r\n\r\n"};
  PageProxy proxy;
  auto x = request_to(page.port());
  x.method = "POST";
  x.body = "id=3";
  auto answer = wait(forward(proxy, std::move(x)));
  CHECK(answer.status == 302);
  CHECK(field(answer, "Location") == "/proxy/app-1/jobs/");
  const auto& asked = page.finish().front();
  CHECK(asked.starts_with("POST /jobs/?id=3 HTTP/1.1\r\n"));
  CHECK(contains(asked, "Content-Length: 4\r\n"));
}

TEST_CASE("a page that leads to another server is refused", "[web]") {
  CHECK(answer_of("HTTP/1.1 302 Found\r\nLocation: http://elsewhere/jobs/"
                  "\r\nContent-Length: 0\r\n\r\n")
            .status
        == 502);
}

TEST_CASE("a page that is not there is an error of the page", "[web]") {
  std::uint16_t port = 0;
  {
    OnePageServer page{page_answer};
    port = page.port();
  }
  PageProxy proxy;
  CHECK(wait(forward(proxy, request_to(port))).status == 502);
}

TEST_CASE("a page is not asked when another user's process serves it",
          "[web]") {
  OnePageServer page{page_answer};
  PageProxy proxy;
  auto x = request_to(page.port());
  x.owner = "ann";
  auto answer = wait(forward(proxy, std::move(x)));
  CHECK(answer.status == 403);
  CHECK(contains(answer.problem, "not one of user ann"));
  CHECK(page.finish().empty());
}

TEST_CASE("scripts of a page have no rights of a reader that is another user",
          "[web]") {
  auto x = request_to(0);
  CHECK(field(answer_of(page_answer, x), "Content-Security-Policy").empty());
  x.may_be_elsewhere = true;
  CHECK(field(answer_of(page_answer, x), "Content-Security-Policy")
            .starts_with("sandbox"));
  x.may_be_elsewhere = false;
  x.reader = "ops";
  auto policy = field(answer_of(page_answer, x), "Content-Security-Policy");
  CHECK(policy.starts_with("sandbox"));
  CHECK_FALSE(contains(policy, "allow-same-origin"));
}

TEST_CASE("a page on another machine is not asked when that is not allowed",
          "[web]") {
  // An address for documentation (RFC 5737): a connection to it would not end in time.
  PageProxyLimits limits;
  limits.timeout = 10min;
  PageProxy proxy{limits};
  auto x = request_to(80);
  x.to.host = "192.0.2.1";
  CHECK(wait(forward(proxy, std::move(x))).status == 403);
}

TEST_CASE("a page is found at a mapped address of this machine", "[web]") {
  auto x = request_to(0);
  x.to.host = "::ffff:127.0.0.1";
  CHECK(answer_of(page_answer, x).status == 200);
}

TEST_CASE("an answer before the request is refused", "[web]") {
  auto answer
      = answer_of("HTTP/1.1 100 Continue\r\n\r\n" + std::string{page_answer});
  CHECK(answer.status == 502);
}

TEST_CASE("an answer of a page is kept by no browser", "[web]") {
  auto answer = answer_of("HTTP/1.1 200 OK\r\nCache-Control: public\r\n"
                          "Content-Length: 0\r\n\r\n");
  CHECK(field(answer, "Cache-Control").empty());
}

TEST_CASE("answers that are not read hold their requests' places", "[web]") {
  OnePageServer page{page_answer};
  PageProxyLimits limits;
  limits.requests_each_max = 1;
  PageProxy proxy{limits};
  auto unread = wait(forward(proxy, request_to(page.port())));
  CHECK(wait(forward(proxy, request_to(page.port()))).status == 503);
  auto other = request_to(page.port());
  other.reader = "ops";
  CHECK(wait(forward(proxy, other)).status == 200);
  unread.body.reset();
  CHECK(wait(forward(proxy, request_to(page.port()))).status == 200);
}

TEST_CASE("lookups that hang hold no more requests than there may be",
          "[web]") {
  std::promise<void> ends;
  auto ended = ends.get_future().share();
  PageProxyLimits limits;
  limits.lookups_each_max = 1;
  limits.timeout = 200ms;
  PageProxy proxy{limits, [ended](const std::string&, std::uint16_t) {
                    ended.wait();
                    return Result<HostEndpoints>{HostEndpoints{}};
                  }};
  auto x = request_to(80);
  x.to.host = "node1.example";
  CHECK(wait(forward(proxy, x)).status == 504);
  CHECK(wait(forward(proxy, x)).status == 503);
  auto other = x;
  other.reader = "ops";
  CHECK(wait(forward(proxy, other)).status == 504);
  // Addresses are not looked up.
  OnePageServer page{page_answer};
  CHECK(wait(forward(proxy, request_to(page.port()))).status == 200);
  ends.set_value();
}

TEST_CASE("an answer of a page that is too long is refused", "[web]") {
  auto answer = answer_of("HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n");
  CHECK(answer.status == 502);
  CHECK(contains(answer.problem, "too long"));
}

TEST_CASE("a page that is no HTTP server is an error of the page", "[web]") {
  CHECK(answer_of("no HTTP\r\n\r\n").status == 502);
}

TEST_CASE("silent pages hold no more requests than there may be", "[web]") {
  OnePageServer page{""};
  PageProxyLimits limits;
  limits.requests_each_max = 2;
  limits.timeout = 500ms;
  PageProxy proxy{limits};
  std::vector<std::future<HttpResponse>> answers;
  answers.reserve(3);
  for (int i = 0; i < 3; ++i)
    answers.push_back(forward(proxy, request_to(page.port())));
  CHECK(wait(std::move(answers[2])).status == 503);
  CHECK(wait(std::move(answers[0])).status == 504);
  CHECK(wait(std::move(answers[1])).status == 504);
  // There is room again.
  CHECK(wait(forward(proxy, request_to(page.port()))).status == 504);
}

TEST_CASE("reserved addresses are not asked for pages", "[web]") {
  PageProxy proxy;
  auto x = request_to(80);
  x.may_be_elsewhere = true;
  x.to.host = GENERATE("169.254.169.254", "fe80::1", "::ffff:169.254.1.1");
  CHECK(wait(forward(proxy, std::move(x))).status == 403);
}

TEST_CASE("a server of this system refuses what is passed on to it", "[web]") {
  // Its kernel would say that the reader is the user of this process.
  auto was_asked = std::make_shared<std::atomic<bool>>(false);
  HttpServer server;
  auto port = server.listen("127.0.0.1", 0, 1024,
                            [was_asked](const HttpRequest&, auto reply) {
                              *was_asked = true;
                              reply->answer(http_json("{}"));
                            });
  REQUIRE(port);
  PageProxy proxy;
  CHECK(wait(forward(proxy, request_to(*port))).status == 508);
  CHECK_FALSE(*was_asked);
}
