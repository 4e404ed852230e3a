// Frames over real sockets on loopback.

#include "gateway/frame_server.hpp"

#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "network/connection_owner.hpp"
#include "tests/gateway/frame_server_fixture.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

TEST_CASE("a server ends though its clock strikes at that moment",
          "[frame-server]") {
  FrameServerLimits limits;
  limits.frame_timeout = 1ms;
  for (int i = 0; i < 10; ++i) {
    FrameServer server{limits, {}};
    std::promise<void> begun;
    // It is busy when it is to end, and its clock strikes meanwhile.
    server.later(0ms)([&] {
      auto until = std::chrono::steady_clock::now() + 20ms;
      begun.set_value();
      while (std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
    });
    begun.get_future().wait();
  }
  SUCCEED("all of them have ended");
}

TEST_CASE_METHOD(FrameServerFixture,
                 "frames arrive whole and in order, however they are cut",
                 "[gateway]") {
  start();
  SocketClient client{port};
  auto bytes
      = frame_of("first") + frame_of("2") + frame_of(std::string(300'000, 'x'));
  for (std::size_t at = 0; at < 40; ++at)
    client.send(bytes.substr(at, 1));
  client.send(bytes.substr(40));
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 3; }));
  CHECK(recorder.frames[0] == frame_of("first"));
  CHECK(recorder.frames[1] == frame_of("2"));
  CHECK(recorder.frames[2] == frame_of(std::string(300'000, 'x')));
}

TEST_CASE_METHOD(FrameServerFixture,
                 "what is sent arrives, before the end that follows it",
                 "[gateway]") {
  start();
  SocketClient client{port};
  auto connection = recorder.connection();
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    auto frame = frame_of("frame " + std::to_string(i));
    expected += frame;
    connection->send(frame);
  }
  connection->close("enough");
  CHECK(client.receive(expected.size()) == expected);
  CHECK(client.is_closed());
  expect_closed("enough");
}

TEST_CASE_METHOD(FrameServerFixture,
                 "frames and files arrive in the order in which they are sent",
                 "[gateway]") {
  TemporaryDirectory directory;
  const std::string stored(300'000, 'f');
  auto path = directory.write("file", stored);
  start();
  SocketClient client{port};
  auto connection = recorder.connection();
  std::string expected;
  for (std::size_t i = 0; i < 1000; ++i) {
    // Some are larger than what the kernel takes at once.
    auto frame = frame_of(std::string(i % 100 == 99 ? 500'000 : i, 'x'));
    expected += frame;
    if (i % 7 != 0) {
      connection->send(frame);
      continue;
    }
    auto length = i % 14 == 0 ? i : std::size_t{0};
    connection->send_with_file(frame, {path, i, length});
    expected += stored.substr(i, length);
  }
  connection->close("enough");
  CHECK(client.receive(expected.size()) == expected);
  CHECK(client.is_closed());
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a length that cannot be ends the connection at once",
                 "[gateway]") {
  start();
  auto length
      = GENERATE(as<std::string>{}, std::string("\0\0\0\0\x80\0\0\0", 8),
                 std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8),
                 std::string("\0\0\0\0\0\0\0\x08", 8), "GET / HT");
  SocketClient client{port};
  client.send(length);
  CHECK(client.is_closed());
  REQUIRE(recorder.comes([this] { return !recorder.closed.empty(); }));
  CHECK(recorder.closed.front().find("which is not taken")
        != std::string::npos);
  CHECK(recorder.frames.empty());
}

TEST_CASE_METHOD(FrameServerFixture,
                 "who says nothing, or not all, is closed in time",
                 "[gateway]") {
  limits.frame_timeout = 10ms;
  start();
  SocketClient client{port};
  client.send(GENERATE("", "\0\0"));
  CHECK(client.is_closed());
  expect_closed("its frame did not come in time");
}

TEST_CASE_METHOD(FrameServerFixture, "a peer that has spoken may be silent",
                 "[gateway]") {
  limits.frame_timeout = 10ms;
  start();
  SocketClient silent{port};
  silent.send(frame_of("here"));
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 1; }));
  // The next one is closed by the clock that also looks at the first.
  SocketClient mute{port};
  CHECK(mute.is_closed());
  silent.send(frame_of("still here"));
  CHECK(recorder.comes([this] { return recorder.frames.size() == 2; }));
  CHECK(recorder.closed.size() == 1);
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a listener that is behind is not sent more than it takes",
                 "[gateway]") {
  limits.ahead_max = 4;
  recorder.answers = false;
  start();
  SocketClient client{port};
  auto frame = frame_of(std::string(1'000'000, 'x'));
  for (int i = 0; i < 4; ++i)
    client.send(frame);
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 4; }));
  // Fits into the sockets' buffers, or the client would stand.
  client.send(frame_of("later"));
  SocketClient other{port};
  other.send(frame_of("other"));
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 5; }));
  CHECK(recorder.frames.back() == frame_of("other"));
  FrameConnectionPtr first;
  {
    std::lock_guard lock{recorder.mutex};
    first = recorder.opened.front();
  }
  for (int i = 0; i < 4; ++i)
    first->processed();
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 6; }));
  CHECK(recorder.frames.back() == frame_of("later"));
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a peer that does not read is closed, and costs no more",
                 "[gateway]") {
  limits.unread_bytes_max = 1'000'000;
  start();
  SocketClient client{port};
  auto connection = recorder.connection();
  for (int i = 0; i < 100; ++i)
    connection->send(frame_of(std::string(1'000'000, 'x')));
  expect_closed("it does not read what it is sent");
}

TEST_CASE_METHOD(FrameServerFixture, "incomplete frames have a limit together",
                 "[gateway]") {
  limits.incomplete_bytes_max = 1'000'000;
  start();
  std::vector<SocketClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(port);
    clients.back().send(frame_of(std::string(600'000, 'x')).substr(0, 500'000));
  }
  expect_closed("there is too much that is incomplete");
  // What the closed one had does not count any more.
  SocketClient other{port};
  other.send(frame_of("other"));
  CHECK(recorder.comes([this] { return recorder.frames.size() == 1; }));
}

TEST_CASE_METHOD(FrameServerFixture,
                 "connections have a limit, and room comes back", "[gateway]") {
  limits.connections_max = 2;
  start();
  SocketClient a{port};
  SocketClient b{port};
  REQUIRE(recorder.comes([this] { return recorder.opened.size() == 2; }));
  SocketClient c{port};
  CHECK(c.is_closed());
  a.close();
  expect_closed("it was closed by the peer");
  SocketClient d{port};
  d.send(frame_of("d"));
  CHECK(recorder.comes([this] { return recorder.frames.size() == 1; }));
}

TEST_CASE_METHOD(FrameServerFixture, "a connection can be opened from here",
                 "[gateway]") {
  start();
  FrameRecorder far;
  FrameServer caller{limits, far.listener()};
  std::optional<Result<FrameConnectionPtr>> connected;
  caller.connect({"127.0.0.1", port}, 10s, any_owner,
                 [&](Result<FrameConnectionPtr> x) {
                   far.note([&] { connected = std::move(x); });
                 });
  REQUIRE(far.comes([&] { return connected.has_value(); }));
  REQUIRE(*connected);
  (**connected)->send(frame_of("hello"));
  REQUIRE(recorder.comes([this] { return recorder.frames.size() == 1; }));
  recorder.connection()->send(frame_of("welcome"));
  REQUIRE(far.comes([&] { return far.frames.size() == 1; }));
  CHECK(far.opened.empty());
}

TEST_CASE_METHOD(FrameServerFixture, "who cannot be reached is told so",
                 "[gateway]") {
  start();
  auto unused = port;
  server.emplace(limits, recorder.listener());
  std::optional<Result<FrameConnectionPtr>> connected;
  server->connect({"127.0.0.1", unused}, 10s, any_owner,
                  [&](Result<FrameConnectionPtr> x) {
                    recorder.note([&] { connected = std::move(x); });
                  });
  REQUIRE(recorder.comes([&] { return connected.has_value(); }));
  CHECK(connected->code() == Errc::failed);
}

TEST_CASE_METHOD(FrameServerFixture, "a port that is taken is an error",
                 "[gateway]") {
  start();
  FrameServer other{limits, recorder.listener()};
  auto bound = other.listen("127.0.0.1", port);
  REQUIRE_FALSE(bound);
  CHECK(bound.error().message
        == "cannot listen at 127.0.0.1:" + std::to_string(port)
               + ": Address already in use");
}

TEST_CASE_METHOD(FrameServerFixture, "a connection outlives its server",
                 "[gateway]") {
  start();
  SocketClient client{port};
  auto connection = recorder.connection();
  server.reset();
  CHECK(client.is_closed());
  connection->send(frame_of("into the void"));
  connection->processed();
  connection->close("late");
}

TEST_CASE_METHOD(FrameServerFixture,
                 "a server does things later, while it is there", "[gateway]") {
  start();
  auto later = server->later(1ms);
  later([this] { recorder.note([this] { ++recorder.processed; }); });
  CHECK(recorder.comes([this] { return recorder.processed == 1; }));
  // What nobody waits for any more.
  auto in_an_hour = server->later(1h);
  in_an_hour([this] { ++recorder.processed; });
  server.reset();
  later([this] { ++recorder.processed; });
  in_an_hour([this] { ++recorder.processed; });
  CHECK(recorder.processed == 1);
}

TEST_CASE_METHOD(FrameServerFixture,
                 "the kernel tells whose a connection over loopback is",
                 "[gateway]") {
  start();
  SocketClient client{port};
  auto connection = recorder.connection();
  CHECK(owner_of_peer(connection->here(), connection->peer()) == ::getuid());
  client.close();
  expect_closed("it was closed by the peer");
  // What is left of it counts as root's for the kernel.
  CHECK_FALSE(owner_of_peer(connection->here(), connection->peer()));
}
