// Executors that start and fail at once, such as where they cannot reach their driver: one
// of them is RUNNING nearly always.

#include <string>

#include "scheduling/master/snapshot.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// An application with one or two executors on one worker.
struct CrashLoop {
  Trace trace;
  int second = 0;

  /// From one event to the next, in seconds.
  int pace = 1;
  int next = 2;

  explicit CrashLoop(int max_retries, int executors = 2) {
    run("config worker_backoff=0 stable_after=60000 max_executor_retries="
        + std::to_string(max_retries));
    run("elect");
    run("worker w1 2 cores 2 GB");
    run("app a 1 core 512 MB max " + std::to_string(executors));
    for (int i = 0; i < executors; ++i)
      tell(i, "running");
  }

  void run(const std::string& line) {
    auto effects = trace.run(line);
    INFO(line << '\n' << effects);
    REQUIRE(effects.find("BROKEN") == std::string::npos);
  }

  void tell(int executor, const std::string& what) {
    second += pace;
    run("at " + std::to_string(second) + "s executor app-1/"
        + std::to_string(executor) + ' ' + what);
  }

  /// Lets the older one of the two executors fail, and the next one start.
  void fail_older(int times) {
    for (int i = 0; i < times; ++i) {
      tell(next - 2, "exited 1");
      if (is_there())
        tell(next, "running");
      ++next;
    }
  }

  /// Lets the younger one fail, while executor 0 runs.
  void fail_younger(int times) {
    for (int i = 0; i < times; ++i)
      tell(next++ - 1, "exited 1");
  }

  [[nodiscard]] bool is_there() const {
    return !snapshot(trace.cluster().state()).active_apps.empty();
  }
};

} // namespace

TEST_CASE("explain tells of failures in a row before they end an application",
          "[scheduling]") {
  CrashLoop loop{10};
  loop.fail_older(3);
  auto explained = loop.trace.run("explain app-1");
  INFO(explained);
  CHECK(explained.find("- 3 failures of its executors in a row; it ends with "
                       "10 if none runs then")
        != std::string::npos);
}

TEST_CASE("executors that fail after their timeout end their application with "
          "the tenth",
          "[scheduling]") {
  CrashLoop loop{10, 1};
  loop.pace = 120;
  for (int i = 0; i < 10; ++i) {
    CHECK(loop.is_there());
    if (i > 0)
      loop.tell(i, "running");
    loop.tell(i, "exited 1");
  }
  CHECK_FALSE(loop.is_there());
}

TEST_CASE(
    "an application ends when 20 young executors failed one after another",
    "[scheduling]") {
  auto [max_retries, failures]
      = GENERATE(table<int, int>({{10, 22}, {2, 22}, {15, 32}}));
  CAPTURE(max_retries, failures);
  CrashLoop loop{max_retries};
  loop.fail_older(failures - 1);
  CHECK(loop.is_there());
  loop.fail_older(1);
  CHECK_FALSE(loop.is_there());
}

TEST_CASE("an application stays when an executor is older than its failures",
          "[scheduling]") {
  CrashLoop loop{10};
  loop.fail_younger(40);
  CHECK(loop.is_there());
}

TEST_CASE(
    "an application stays when an executor has run longer than its failures",
    "[scheduling]") {
  CrashLoop loop{2};
  // Executor 2 is one second older each time that the other one fails.
  loop.tell(0, "exited 1");
  loop.tell(2, "running");
  loop.next = 3;
  loop.tell(1, "exited 1");
  for (int i = 0; i < 40; ++i) {
    loop.tell(loop.next, "running");
    loop.tell(loop.next++, "exited 1");
  }
  CHECK(loop.is_there());
}

TEST_CASE("an application ends when its executors fail after the same minutes",
          "[scheduling]") {
  // The next but one to end has run for three events.
  auto [pace, ends] = GENERATE(
      table<int, bool>({{20, true}, {40, true}, {99, true}, {101, false}}));
  CAPTURE(pace);
  CrashLoop loop{10};
  loop.pace = pace;
  loop.fail_older(40);
  CHECK(loop.is_there() != ends);
}

TEST_CASE("an application stays when failing executors may not end it",
          "[scheduling]") {
  CrashLoop loop{-1};
  loop.fail_older(60);
  CHECK(loop.is_there());
}
