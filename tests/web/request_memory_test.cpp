// The memory that an HTTP server takes for requests which are not complete.

#include <string>

#include "tests/gateway/socket_client.hpp"
#include "tests/support/contains.hpp"
#include "web/http_server.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr std::size_t small_body_max = 1000;

class SmallServer {
public:
  SmallServer() : server_(limits()) {
    auto opened = server_.listen(
        "127.0.0.1", 0, small_body_max,
        [](const HttpRequest& x, const HttpReplyPtr& reply) {
          reply->answer(http_json(std::to_string(x.body.size()) + " bytes"));
        });
    REQUIRE(opened);
    port_ = *opened;
  }

  /// Sends a request whose body lacks the rest.
  SocketClient begin(std::size_t size, std::size_t sent) const {
    SocketClient result{port_};
    result.send("POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                "Content-Length: "
                + std::to_string(size) + "\r\n\r\n" + std::string(sent, 'x'));
    return result;
  }

private:
  static HttpServerLimits limits() {
    HttpServerLimits result;
    result.unfinished_bytes_max = 2000;
    return result;
  }

  HttpServer server_;
  std::uint16_t port_ = 0;
};

} // namespace

TEST_CASE("a server gives up the largest unfinished request when they take too "
          "much memory",
          "[web]") {
  SmallServer server;
  auto large = server.begin(1000, 990);
  auto small = server.begin(700, 600);
  auto last = server.begin(600, 500);
  // Its own request may be the one that was too much.
  auto answer = large.receive(10'000);
  CHECK((answer.empty() || contains(answer, "503")));
  small.send(std::string(100, 'x'));
  CHECK(contains(small.receive(10'000), "700 bytes"));
  last.send(std::string(100, 'x'));
  CHECK(contains(last.receive(10'000), "600 bytes"));
}

TEST_CASE("a server frees the memory of a request when it is answered",
          "[web]") {
  SmallServer server;
  for (int i = 0; i < 5; ++i)
    CHECK(contains(server.begin(1000, 1000).receive(10'000), "1000 bytes"));
}
