#pragma once

#include "gateway/frame_server.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace stoker::test {

using namespace std::chrono_literals;

inline std::string frame_of(const std::string& content) {
  std::string result;
  auto length = content.size() + 8;
  for (int shift = 56; shift >= 0; shift -= 8)
    result += static_cast<char>(length >> static_cast<unsigned>(shift) & 0xFFU);
  return result + content;
}

/// Hears what a server tells, and waits for it.
struct FrameRecorder {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<FrameConnectionPtr> opened;
  std::vector<std::string> frames;
  std::vector<std::string> closed;
  bool answers = true;
  std::size_t processed = 0;

  /// What peers that come are.
  std::optional<Result<PeerTrust>> trust;

  /// Frames of newcomers that begin so may be large.
  std::optional<std::string> known_beginning;

  FrameServer::Listener listener() {
    return {[this](const FrameConnectionPtr& x) {
              note([&] { opened.push_back(x); });
            },
            [this](const FrameConnectionPtr& x, std::string_view frame) {
              note([&] { frames.emplace_back(frame); });
              if (answers)
                x->processed();
            },
            [this](const FrameConnectionPtr&, const std::string& why) {
              note([&] { closed.push_back(why); });
            },
            [this](const FrameConnection&) {
              return trust.value_or(Result<PeerTrust>{PeerTrust::own});
            },
            {},
            [this](const FrameConnection&, std::string_view begin) {
              return known_beginning
                     && begin.substr(8).starts_with(*known_beginning);
            }};
  }

  template <class F>
  void note(F what) {
    std::lock_guard lock{mutex};
    what();
    changed.notify_all();
  }

  template <class F>
  bool comes(F condition) {
    std::unique_lock lock{mutex};
    return changed.wait_for(lock, 10s, condition);
  }

  FrameConnectionPtr connection() {
    REQUIRE(comes([this] { return !opened.empty(); }));
    std::lock_guard lock{mutex};
    return opened.back();
  }
};

/// For calls: whoever listens is right.
inline Status any_owner(std::optional<uid_t>) {
  return {};
}

struct FrameServerFixture {
  FrameRecorder recorder;
  FrameServerLimits limits;
  std::optional<FrameServer> server;
  std::uint16_t port = 0;

  void start() {
    server.emplace(limits, recorder.listener());
    auto bound = server->listen("127.0.0.1", 0);
    REQUIRE(bound);
    port = *bound;
  }

  void expect_closed(const std::string& why) {
    REQUIRE(recorder.comes([this] { return !recorder.closed.empty(); }));
    CHECK(recorder.closed.front() == why);
  }
};

} // namespace stoker::test
