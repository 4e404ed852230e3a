// Pages of programs, on sockets of this machine, and what goes on of them.

#include "web/page_proxy.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/web/one_page_server.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

Status anybody(std::optional<uid_t>) {
  return {};
}

ProxiedRequest request_to(std::uint16_t port) {
  ProxiedRequest result;
  result.to = {"127.0.0.1", port};
  result.check = anybody;
  result.target = "/jobs/?id=3";
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
  CHECK_FALSE(contains(asked, "Cookie"));
}

TEST_CASE("a form goes on to its page with its body", "[web]") {
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

TEST_CASE("a page leads on below the proxy, and nowhere else", "[web]") {
  auto led_to = [](const std::string& location, const std::string& front) {
    OnePageServer page{"HTTP/1.1 302 Found\r\nLocation: " + location
                       + "\r\nContent-Length: 0\r\n\r\n"};
    PageProxy proxy;
    auto x = request_to(page.port());
    x.front = front;
    return wait(forward(proxy, std::move(x)));
  };
  CHECK(field(led_to("/proxy/app-1/jobs/", ""), "Location")
        == "/proxy/app-1/jobs/");
  CHECK(field(led_to("/jobs/", "https://node1/stoker"), "Location")
        == "https://node1/stoker/proxy/app-1/jobs/");
  for (const auto* elsewhere :
       {"http://elsewhere/jobs/", "//elsewhere/", "http://127.0.0.1/jobs/"}) {
    INFO(elsewhere);
    CHECK(led_to(elsewhere, "").status == 502);
  }
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

TEST_CASE("a page is not read when its process must not be spoken to",
          "[web]") {
  OnePageServer page{page_answer};
  PageProxy proxy;
  auto x = request_to(page.port());
  std::optional<uid_t> asked_for;
  x.check = [&](std::optional<uid_t> owner) -> Status {
    asked_for = owner;
    return Error{Errc::not_allowed, "another user"};
  };
  auto answer = wait(forward(proxy, std::move(x)));
  CHECK(answer.status == 403);
  CHECK(contains(answer.problem, "another user"));
  CHECK(asked_for == ::geteuid());
  CHECK(page.finish().front().empty());
}

TEST_CASE("an answer of a page that is too long is refused", "[web]") {
  auto answer = answer_of("HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n");
  CHECK(answer.status == 502);
  CHECK(contains(answer.problem, "too long"));
}

TEST_CASE("a page that is no HTTP server is an error of the page", "[web]") {
  CHECK(answer_of("no HTTP\r\n\r\n").status == 502);
}

TEST_CASE("pages that are silent hold no more requests than there may be",
          "[web]") {
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

TEST_CASE("addresses of a link are not asked for pages", "[web]") {
  PageProxy proxy;
  auto x = request_to(80);
  x.to.host = GENERATE("169.254.169.254", "fe80::1", "::ffff:169.254.1.1");
  auto answer = wait(forward(proxy, std::move(x)));
  CHECK(answer.status == 403);
}
