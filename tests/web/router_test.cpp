// Which handler answers which request.

#include "web/router.hpp"

#include <optional>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

struct RouterFixture {
  Router router;

  void add(const std::string& method, const std::string& path) {
    router.add(method, path,
               [method, path](const HttpRequest&, const HttpReplyPtr& reply) {
                 reply->answer(http_json(method + ' ' + path));
               });
  }

  std::optional<HttpResponse> response;

  std::string ask(const std::string& method, const std::string& path) {
    response.reset();
    HttpRequest request;
    request.method = method;
    request.path = path;
    router(request, std::make_shared<HttpReply>(
                        [this](HttpResponse x) { response = std::move(x); }));
    REQUIRE(response);
    return response->status == 200 ? *response->body
                                   : std::to_string(response->status);
  }
};

} // namespace

TEST_CASE_METHOD(RouterFixture, "the longest path that fits counts", "[web]") {
  add("GET", "/json");
  add("GET", "/json/*");
  add("GET", "/json/deep/*");
  CHECK(ask("GET", "/json") == "GET /json");
  CHECK(ask("GET", "/json/") == "GET /json/*");
  CHECK(ask("GET", "/json/workers") == "GET /json/*");
  CHECK(ask("GET", "/json/deep") == "GET /json/*");
  CHECK(ask("GET", "/json/deep/er/x") == "GET /json/deep/*");
  CHECK(ask("GET", "/jsonx") == "404");
  CHECK(ask("GET", "/") == "404");
  CHECK(ask("GET", "") == "404");
  CHECK(ask("GET", "*") == "404");
}

TEST_CASE_METHOD(RouterFixture,
                 "who asks in the wrong way is told the right one", "[web]") {
  add("GET", "/x");
  add("POST", "/x");
  CHECK(ask("HEAD", "/x") == "GET /x");
  CHECK(ask("DELETE", "/x") == "405");
  CHECK(response->fields
        == std::vector<std::pair<std::string, std::string>>{
            {"Allow", "GET, HEAD, POST"}});
  CHECK(response->content_type == "application/problem+json");
  CHECK(response->body->find(R"("status":405)") != std::string::npos);
}

TEST_CASE_METHOD(RouterFixture, "a handler may say itself what it takes",
                 "[web]") {
  add("*", "/api/*");
  add("POST", "/api/x");
  for (const auto* method : {"GET", "HEAD", "POST", "DELETE", "BREW"})
    CHECK(ask(method, "/api/y") == "* /api/*");
  CHECK(ask("GET", "/api/x") == "405");
}

TEST_CASE_METHOD(RouterFixture, "what fits nowhere has a handler of its own",
                 "[web]") {
  add("GET", "/x");
  router.set_fallback([](const HttpRequest&, const HttpReplyPtr& reply) {
    reply->answer(http_json("other"));
  });
  CHECK(ask("GET", "/y") == "other");
  CHECK(ask("GET", "/x") == "GET /x");
}

TEST_CASE("who is never answered learns so", "[web]") {
  std::optional<HttpResponse> response;
  auto send = [&](HttpResponse x) { response = std::move(x); };
  std::make_shared<HttpReply>(send).reset();
  REQUIRE(response);
  CHECK(response->status == 503);
  auto reply = std::make_shared<HttpReply>(send);
  reply->answer(http_json("1"));
  reply->answer(http_json("2"));
  reply.reset();
  CHECK(*response->body == "1");
}
