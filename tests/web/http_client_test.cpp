// What a client makes of answers: web/http_client.hpp.

#include "web/http_client.hpp"

#include <string>
#include <thread>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Answers one call with the same bytes, whatever is asked, and waits until it is left.
class OneCallServer {
public:
  explicit OneCallServer(std::string answer) : answer_(std::move(answer)) {
    thread_ = std::thread{[this] { serve(); }};
  }
  ~OneCallServer() {
    thread_.join();
  }
  OneCallServer(const OneCallServer&) = delete;
  OneCallServer& operator=(const OneCallServer&) = delete;

  [[nodiscard]] HttpCall call() const {
    HttpCall result;
    result.to.place = {"127.0.0.1", acceptor_.local_endpoint().port()};
    return result;
  }

private:
  void serve() {
    auto socket = acceptor_.accept();
    boost::system::error_code left;
    std::string text;
    asio::read_until(socket, asio::dynamic_buffer(text), "\r\n\r\n", left);
    asio::write(socket, asio::buffer(answer_), left);
    asio::read(socket, asio::dynamic_buffer(text), left);
  }

  asio::io_context context_;
  tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
  const std::string answer_;
  std::thread thread_;
};

/// Its body does not come.
const std::string long_answer = "HTTP/1.1 202 Accepted\r\n"
                                "Content-Length: 2000000\r\n\r\nthe first";

} // namespace

TEST_CASE("an answer that is too long is an error for who reads it", "[web]") {
  OneCallServer server{long_answer};
  CHECK(call_http(server.call()).code() == Errc::no_answer);
}

TEST_CASE("who wants the status alone has it, however much would follow",
          "[web]") {
  OneCallServer server{long_answer};
  auto call = server.call();
  call.reads_body = false;
  auto answer = call_http(call);
  REQUIRE(answer);
  CHECK(answer->status == 202);
  CHECK(answer->body.empty());
}

TEST_CASE("the fields of an answer have a limit for who wants the status alone",
          "[web]") {
  OneCallServer server{"HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x')
                       + "\r\n\r\n"};
  auto call = server.call();
  call.reads_body = false;
  CHECK(call_http(call).code() == Errc::no_answer);
}
