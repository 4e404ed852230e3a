// What a FrameServer takes of peers that are not own, and whom it calls.

#include "gateway/frame_server.hpp"

#include <unistd.h>

#include <new>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "tests/gateway/frame_server_fixture.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

// -- peers that are not own ---------------------------------------------------

TEST_CASE_METHOD(FrameServerFixture,
                 "a server closes a refused peer before it reads",
                 "[gateway]") {
  recorder.trust = Error{Errc::not_allowed, "not you"};
  start();
  SocketClient client{port};
  CHECK(client.is_closed());
  std::lock_guard lock{recorder.mutex};
  CHECK(recorder.opened.empty());
  CHECK(recorder.frames.empty());
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a newcomer sends small frames, one at a time, until the "
                 "listener accepts it",
                 "[gateway]") {
  limits.newcomers.frame_bytes_max = 1000;
  recorder.trust = PeerTrust::newcomer;
  recorder.answers = false;
  start();
  SocketClient client{port};
  auto small = frame_of("small");
  client.send(small + small);
  auto connection = recorder.connection();
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 1; }));
  SECTION("a second frame waits for the first") {
    SocketClient other{port};
    other.send(small);
    REQUIRE(recorder.comes([this] { return recorder.frames.size() == 2; }));
    connection->processed();
    CHECK(recorder.comes([this] { return recorder.frames.size() == 3; }));
  }
  SECTION("a large frame ends it") {
    connection->processed();
    REQUIRE(recorder.comes([this] { return recorder.frames.size() == 2; }));
    client.send(frame_of(std::string(2000, 'x')));
    connection->processed();
    expect_closed("a frame has a length of 2008, which is not taken");
  }
  SECTION("an accepted peer sends large frames") {
    connection->accept();
    connection->processed();
    connection->processed();
    client.send(frame_of(std::string(2000, 'x')));
    CHECK(recorder.comes([this] { return recorder.frames.size() == 3; }));
  }
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a newcomer sends a large frame when the listener knows its "
                 "beginning",
                 "[gateway]") {
  limits.newcomers.frame_bytes_max = 1000;
  limits.newcomers.incomplete_bytes_max = 2000;
  recorder.trust = PeerTrust::newcomer;
  recorder.known_beginning = "I am";
  start();
  SocketClient known{port};
  auto large = frame_of("I am known" + std::string(5000, 'x'));
  known.send(large.substr(0, 3000));
  known.send(large.substr(3000));
  CHECK(recorder.comes([&] {
    return recorder.frames.size() == 1 && recorder.frames.front() == large;
  }));
  SocketClient unknown{port};
  unknown.send(frame_of("I was" + std::string(5000, 'x')).substr(0, 1500));
  expect_closed("a frame has a length of 5013, which is not taken");
  SocketClient silent{port};
  silent.send(large.substr(0, 999));
  silent.close();
  CHECK(recorder.comes([this] { return recorder.closed.size() == 2; }));
}

TEST_CASE_METHOD(FrameServerFixture, "newcomers have places of their own",
                 "[gateway]") {
  limits.newcomers.connections_each = 2;
  recorder.trust = PeerTrust::newcomer;
  start();
  SocketClient a{port};
  SocketClient b{port};
  REQUIRE(recorder.comes([this] { return recorder.opened.size() == 2; }));
  SocketClient c{port};
  CHECK(c.is_closed());
  // An accepted peer is no newcomer any more.
  auto connection = recorder.connection();
  connection->accept();
  connection->send("heard");
  CHECK(b.receive(5) == "heard");
  SocketClient d{port};
  CHECK(recorder.comes([this] { return recorder.opened.size() == 3; }));
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a peer that is not accepted may not stay silent",
                 "[gateway]") {
  limits.silence_max = 50ms;
  limits.frame_timeout = 20ms;
  start();
  SocketClient silent{port};
  silent.send(frame_of("here"));
  auto connection = recorder.connection();
  SECTION("without a word it is closed") {
    CHECK(silent.is_closed());
    expect_closed("it has been silent for too long");
  }
  SECTION("accepted, it stays") {
    connection->accept();
    SocketClient other{port};
    other.send(frame_of("other"));
    CHECK(other.is_closed());
    silent.send(frame_of("still here"));
    CHECK(recorder.comes([this] { return recorder.frames.size() == 3; }));
  }
}

TEST_CASE_METHOD(FrameServerFixture,
                 "too much that is incomplete ends the peer that has most",
                 "[gateway]") {
  limits.incomplete_bytes_max = 1'000'000;
  start();
  SocketClient most{port};
  most.send(frame_of(std::string(900'000, 'x')).substr(0, 800'000));
  SocketClient less{port};
  auto frame = frame_of(std::string(400'000, 'y'));
  less.send(frame.substr(0, 300'000));
  CHECK(most.is_closed());
  less.send(frame.substr(300'000));
  CHECK(recorder.comes([&] {
    return recorder.frames.size() == 1 && recorder.frames.front() == frame;
  }));
}

TEST_CASE_METHOD(FrameServerFixture,
                 "too much that is not read ends the peer that has most",
                 "[gateway]") {
  // The sockets' buffers take some megabytes of each.
  limits.unread_bytes_max = 40'000'000;
  limits.unread_bytes_of_all_max = 20'000'000;
  start();
  auto send = [this](int millions) {
    auto connection = recorder.connection();
    for (int i = 0; i < millions; ++i)
      connection->send(std::string(1'000'000, 'x'));
  };
  SocketClient most{port};
  send(30);
  SocketClient less{port};
  REQUIRE(recorder.comes([this] { return recorder.opened.size() == 2; }));
  send(20);
  expect_closed("there is too much that is not read");
  CHECK(less.receive(20'000'000) == std::string(20'000'000, 'x'));
  std::lock_guard lock{recorder.mutex};
  CHECK(recorder.closed.size() == 1);
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a server allows a newcomer fewer unread bytes than an "
                 "accepted peer",
                 "[gateway]") {
  limits.newcomers.unread_bytes_max = 1'000'000;
  limits.unread_bytes_max = 40'000'000;
  limits.unread_bytes_of_all_max = 200'000'000;
  recorder.trust = PeerTrust::newcomer;
  start();
  SocketClient client{port};
  auto connection = recorder.connection();
  const std::string answer(20'000'000, 'x');
  SECTION("a newcomer is closed") {
    connection->send(answer);
    expect_closed("there is too much that is not read");
  }
  SECTION("an accepted peer reads all of it") {
    connection->accept();
    connection->send(answer);
    CHECK(client.receive(answer.size()) == answer);
  }
}

TEST_CASE_METHOD(FrameServerFixture,
                 "frames that wait for the listener have a limit",
                 "[gateway]") {
  limits.queued_bytes_max = 1'000'000;
  recorder.answers = false;
  start();
  SocketClient first{port};
  auto large = frame_of(std::string(1'000'000, 'x'));
  first.send(large);
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 1; }));
  SocketClient second{port};
  second.send(frame_of("waits"));
  REQUIRE(recorder.comes([this] { return recorder.opened.size() == 2; }));
  {
    std::lock_guard lock{recorder.mutex};
    CHECK(recorder.frames.size() == 1);
    recorder.opened.front()->processed();
  }
  CHECK(recorder.comes([this] {
    return recorder.frames.size() == 2
           && recorder.frames.back() == frame_of("waits");
  }));
}

TEST_CASE_METHOD(FrameServerFixture,
                 "frames of a peer that has gone cost no room", "[gateway]") {
  limits.queued_bytes_max = 1'000'000;
  recorder.answers = false;
  start();
  SocketClient first{port};
  first.send(frame_of(std::string(1'000'000, 'x')));
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 1; }));
  recorder.connection()->close("enough");
  expect_closed("enough");
  recorder.note([this] { recorder.opened.clear(); });
  SocketClient second{port};
  second.send(frame_of("second"));
  CHECK(recorder.comes([this] { return recorder.frames.size() == 2; }));
}

TEST_CASE("a server survives a listener that runs out of memory",
          "[frame-server]") {
  FrameRecorder recorder;
  auto listener = recorder.listener();
  auto receive = listener.received;
  listener.received = [&](const auto& x, std::string_view frame) {
    if (frame == frame_of("large"))
      throw std::bad_alloc{};
    receive(x, frame);
  };
  listener.opened = [&, opened = listener.opened](const auto& x) {
    opened(x);
    if (recorder.opened.size() == 2)
      throw std::bad_alloc{};
  };
  FrameServer server{{}, listener};
  auto port = server.listen("127.0.0.1", 0);
  REQUIRE(port);
  SocketClient first{*port};
  first.send(frame_of("large"));
  CHECK(first.is_closed());
  SocketClient second{*port};
  CHECK(second.is_closed());
  SocketClient third{*port};
  third.send(frame_of("third"));
  CHECK(recorder.comes([&] { return recorder.frames.size() == 1; }));
}

// -- peers that are called ----------------------------------------------------

TEST_CASE_METHOD(FrameServerFixture,
                 "a server does not call a process of another user",
                 "[gateway]") {
  start();
  FrameRecorder far;
  FrameServer caller{limits, far.listener()};
  std::optional<Result<FrameConnectionPtr>> connected;
  std::optional<uid_t> asked;
  caller.connect(
      {"127.0.0.1", port}, 10s,
      [&](std::optional<uid_t> owner) -> Status {
        asked = owner;
        return Error{Errc::not_allowed, "it is another user's"};
      },
      [&](Result<FrameConnectionPtr> x) {
        far.note([&] { connected = std::move(x); });
      });
  REQUIRE(far.comes([&] { return connected.has_value(); }));
  CHECK(connected->code() == Errc::not_allowed);
  CHECK(asked == ::getuid());
  std::lock_guard lock{recorder.mutex};
  CHECK(recorder.opened.empty());
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a server reads nothing of a peer that another user has "
                 "accepted",
                 "[gateway]") {
  if (::geteuid() != 0) {
    skip("only root can be two users");
    return;
  }
  // Root listens, and no process accepts: as if the port had changed hands meanwhile.
  boost::asio::io_context context;
  boost::asio::ip::tcp::acceptor acceptor{
      context, {boost::asio::ip::address_v4::loopback(), 0}};
  FrameServer caller{limits, recorder.listener()};
  std::optional<Result<FrameConnectionPtr>> connected;
  caller.connect(
      {"127.0.0.1", acceptor.local_endpoint().port()}, 10s,
      [](std::optional<uid_t> owner) {
        return owner == 0 ? Status{}
                          : Status{Error{Errc::not_allowed, "not root"}};
      },
      [&](Result<FrameConnectionPtr> x) {
        recorder.note([&] { connected = std::move(x); });
      });
  REQUIRE(recorder.comes([&] { return connected.has_value(); }));
  REQUIRE(*connected);
  TemporaryDirectory own;
  std::optional<boost::asio::ip::tcp::socket> accepted;
  {
    Unprivileged nobody{own.path(".")};
    accepted = acceptor.accept();
  }
  boost::asio::write(*accepted, boost::asio::buffer(frame_of("believe me")));
  expect_closed("not root");
  CHECK(recorder.frames.empty());
}
