// Pages of drivers and workers, as programs of Spark's have them, on sockets of this machine.

#include "gateway/version_pages.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

std::string answer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
         "Content-Length: "
         + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Gives each connection the next answer, and the last one to all others. An empty
/// answer: it keeps silent.
class Page {
public:
  explicit Page(std::vector<std::string> answers)
      : answers_(std::move(answers)), thread_([this] { serve(); }) {
  }

  ~Page() {
    is_stopped_ = true;
    boost::system::error_code ignored;
    tcp::socket{context_}.connect(acceptor_.local_endpoint(), ignored);
    thread_.join();
  }

  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  [[nodiscard]] VersionPage address() const {
    return {{"127.0.0.1", acceptor_.local_endpoint().port()}, {}};
  }

  /// The first line of each request. For the time after the answers.
  std::vector<std::string> requests;

private:
  void serve() {
    std::vector<tcp::socket> silent;
    for (std::size_t i = 0;; ++i) {
      auto socket = acceptor_.accept();
      if (is_stopped_)
        return;
      std::string request;
      boost::system::error_code error;
      asio::read_until(socket, asio::dynamic_buffer(request), "\r\n\r\n",
                       error);
      requests.push_back(request.substr(0, request.find("\r\n")));
      const auto& next = answers_.at(std::min(i, answers_.size() - 1));
      if (next.empty())
        silent.push_back(std::move(socket));
      else
        asio::write(socket, asio::buffer(next), error);
    }
  }

  std::vector<std::string> answers_;
  std::atomic<bool> is_stopped_{false};
  asio::io_context context_;
  tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

/// What the page answers, or "none: " and why it does not.
std::string
ask(const VersionPage& page, std::chrono::milliseconds timeout = 10s,
    AskVersion (VersionPages::*how)() const = &VersionPages::ask_version) {
  VersionPages pages{timeout};
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::string> result;
  (pages.*how)()(page, [&](const Result<std::string>& x) {
    std::lock_guard lock{mutex};
    result = x ? *x : "none: " + x.error().message;
    changed.notify_one();
  });
  std::unique_lock lock{mutex};
  REQUIRE(changed.wait_for(lock, 30s, [&] { return result.has_value(); }));
  return *result;
}

} // namespace

TEST_CASE("a worker's page shows its version", "[gateway]") {
  auto [shown, read] = GENERATE(table<std::string, std::string>(
      {{R"(<img/><span class="version" style="margin-right: 15px;">4.1.4</span>)",
        "4.1.4"},
       {"<p>nothing</p>", "none: it does not show a version"},
       {R"(<span class="version")", "none: it does not show a version"},
       {R"(<span class="version">none)",
        "none: 'none' is no version of Spark: three numbers are needed, as in "
        "3.5.9"}}));
  Page page{{answer(shown)}};
  CHECK(ask(page.address(), 200ms, &VersionPages::ask_version_of_worker)
        == read);
  CHECK(page.requests.front() == "GET / HTTP/1.1");
}

TEST_CASE("a driver's page says its version", "[gateway]") {
  Page page{{answer(R"({"spark" : "3.5.9"})")}};
  CHECK(ask(page.address()) == "3.5.9");
  CHECK(page.requests
        == std::vector<std::string>{"GET /api/v1/version HTTP/1.1"});
}

TEST_CASE("a page that is not ready is asked again", "[gateway]") {
  Page page{{answer("Spark is starting up. Please wait a while until it's "
                    "ready."),
             "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
             "no HTTP", answer(R"({"spark": 4})"), answer("[]"),
             answer(R"({"spark": "new"})"), answer(R"({"spark": "4.1.4"})")}};
  CHECK(ask(page.address()) == "4.1.4");
  CHECK(page.requests.size() == 7);
}

TEST_CASE("a page without an answer is given up", "[gateway]") {
  Page page{{answer("{}")}};
  CHECK(ask(page.address(), 200ms) == "none: it does not say a version");
  Page silent{{""}};
  CHECK(ask(silent.address(), 100ms).starts_with("none: "));
  Page endless{{answer(std::string(100'000, ' '))}};
  CHECK(ask(endless.address(), 200ms) == "none: body limit exceeded");
  // Nobody listens at port 1, or will.
  CHECK(ask({{"127.0.0.1", 1}, {}}) == "none: Connection refused");
  Page closed{{"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"}};
  CHECK(ask(closed.address()) == "none: it does not let the master in");
  CHECK(ask({{"my-laptop", 1}, {}}, 100ms)
        == "none: 'my-laptop' is no address");
}

TEST_CASE("very many questions to pages wait for each other", "[gateway]") {
  constexpr int count = 1000;
  std::mutex mutex;
  std::condition_variable changed;
  int answers = 0;
  Page page{{answer(R"({"spark": "3.5.9"})")}};
  VersionPages pages{10s};
  auto ask_version = pages.ask_version();
  for (int i = 0; i < count; ++i)
    ask_version(page.address(), [&](const Result<std::string>& x) {
      std::lock_guard lock{mutex};
      if (x && *x == "3.5.9")
        ++answers;
      changed.notify_one();
    });
  std::unique_lock lock{mutex};
  CHECK(changed.wait_for(lock, 60s, [&] { return answers == count; }));
}

TEST_CASE("questions to pages end with who asks", "[gateway]") {
  Page silent{{""}};
  AskVersion ask_version;
  bool is_answered = false;
  {
    VersionPages pages{10s};
    ask_version = pages.ask_version();
    // More than may have a connection.
    for (int i = 0; i < 300; ++i)
      ask_version(silent.address(), [&](const auto&) { is_answered = true; });
  }
  ask_version(silent.address(), [&](const auto&) { is_answered = true; });
  CHECK_FALSE(is_answered);
}

TEST_CASE("only pages with a port and without TLS are asked", "[gateway]") {
  CHECK(page_port("http://ann-laptop:4040") == 4040);
  CHECK(page_port("http://[::1]:4041/") == 4041);
  CHECK(page_port("http://127.0.0.1:4040/proxy/app-1") == 4040);
  for (const auto* x : {"", "http://ann-laptop", "https://ann-laptop:4440",
                        "http://ann-laptop:0", "http://ann-laptop:x",
                        "http://ann-laptop:70000", "http://[::1]", "4040"}) {
    INFO(x);
    CHECK_FALSE(page_port(x));
  }
}

TEST_CASE("a page of another user is neither asked nor believed", "[gateway]") {
  Page page{{answer(R"({"spark": "3.5.9"})")}};
  constexpr uid_t nobody = 65534;
  auto address = page.address();
  address.owner = nobody;
  CHECK(ask(address) == "none: no process of its user listens there");
  CHECK(page.requests.empty());
  address.owner = ::geteuid();
  CHECK(ask(address) == "3.5.9");
}
