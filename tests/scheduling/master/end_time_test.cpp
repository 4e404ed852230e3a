// When a program is taken to have ended, whenever the master hears of it.

#include "scheduling/master/end_time.hpp"

#include <initializer_list>
#include <limits>
#include <optional>

#include "scheduling/master/late_end.hpp"
#include "scheduling/master/snapshot.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

const AppId timed_app{"app-19700101000001-0001"};

struct Timed {
  Trace trace;

  Timed(std::initializer_list<const char*> lines) {
    follow(lines);
  }

  void follow(std::initializer_list<const char*> lines) {
    for (const auto* line : lines)
      (void)trace.run(line);
  }

  /// Of an executor of the first application.
  [[nodiscard]] std::optional<std::int64_t> ended_ms(int exec_id) const {
    auto state = snapshot(trace.cluster().state());
    for (const auto* apps : {&state.active_apps, &state.completed_apps})
      for (const auto& app : *apps)
        for (const auto& x : app.executors)
          if (app.id == timed_app && x.exec_id == exec_id)
            return x.ended_ms;
    return std::nullopt;
  }

  [[nodiscard]] const DriverInfo& driver() const {
    static MasterStateResponse state;
    state = snapshot(trace.cluster().state());
    return state.completed_drivers.at(0);
  }
};

} // namespace

TEST_CASE("an end is not before the beginning, nor after now", "[scheduling]") {
  struct Case {
    Instant now;
    Instant began;
    std::optional<std::int64_t> ago_ms;
    Instant ended;
  };
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  Instant epoch;
  for (const auto& x : std::initializer_list<Case>{
           {epoch + 10s, epoch + 1s, std::nullopt, epoch + 10s},
           {epoch + 10s, epoch + 1s, 0, epoch + 10s},
           {epoch + 10s, epoch + 1s, 6'500, epoch + 3'500ms},
           {epoch + 10s, epoch + 1s, 9'000, epoch + 1s},
           {epoch + 10s, epoch + 1s, 9'001, epoch + 1s},
           {epoch + 10s, epoch + 1s, most, epoch + 1s},
           {epoch + 10s, epoch + 1s, -1, epoch + 10s},
           {epoch + 10s, epoch + 1s, least, epoch + 10s},
           // The clock of an earlier leader was ahead.
           {epoch + 10s, epoch + 11s, std::nullopt, epoch + 10s},
           {epoch + 10s, epoch + 11s, 500, epoch + 10s}}) {
    INFO("ago " << x.ago_ms.value_or(-2));
    CHECK(end_time(x.now, x.began, x.ago_ms) == x.ended);
  }
}

TEST_CASE("an executor that ended during an outage ended then",
          "[scheduling]") {
  Timed x{
      "config durable=true",    "at 0s elect",
      "worker w1 2 cores 2 GB", "at 1s app job 1 core 512 MB max 2 instances 2",
      "at 10s restart",         "at 10s worker w1 2 cores 2 GB busy"};
  SECTION("reported late") {
    x.follow({"at 10s executor app-1/0 exited ago 6500ms 0"});
    CHECK(x.ended_ms(0) == 3'500);
    // Repeated, because the answer was lost.
    x.follow({"at 15s executor app-1/0 exited ago 11500ms 0"});
    CHECK(x.ended_ms(0) == 3'500);
    x.follow({"at 20s executor app-1/0 exited 0"});
    CHECK(x.ended_ms(0) == 3'500);
  }
  SECTION("longer ago than it was started") {
    x.follow({"at 10s executor app-1/0 exited ago 60s 0"});
    CHECK(x.ended_ms(0) == 1'000);
  }
  SECTION("before the master heard that it ran") {
    x.follow({"at 10s executor app-1/0 running",
              "at 11s executor app-1/0 exited ago 5s 0"});
    CHECK(x.ended_ms(0) == 10'000);
  }
  SECTION("another leader knows the same") {
    x.follow({"at 10s executor app-1/0 exited ago 6500ms 0", "at 12s restart"});
    CHECK(x.ended_ms(0) == 3'500);
  }
}

TEST_CASE("an executor that was lost, and has ended well, ended when it did",
          "[scheduling]") {
  Timed x{
      "config durable=true",    "at 0s elect",
      "worker w1 2 cores 2 GB", "at 1s app job 1 core 512 MB max 1 instances 2",
      "at 2s lost w1",          "at 15s tick"};
  REQUIRE(x.ended_ms(0) == 15'000);
  x.follow({"at 30s worker w1 2 cores 2 GB busy",
            "at 30s executor app-1/0 exited ago 20s 0"});
  CHECK(x.ended_ms(0) == 10'000);
}

TEST_CASE("an executor that was told to end ended when it did",
          "[scheduling]") {
  for (const auto* app : {"at 1s app job 1 core 512 MB max 1 instances 1",
                          "at 1s app job 1 core 512 MB max 1"}) {
    INFO(app);
    Timed x{"config durable=true", "at 0s elect", "worker w1 2 cores 2 GB", app,
            "at 3s kill app-1"};
    CHECK(x.ended_ms(0) == 3'000);
    x.follow({"at 9s executor app-1/0 killed ago 2s"});
    CHECK(x.ended_ms(0) == 7'000);
    x.follow({"at 10s restart"});
    CHECK(x.ended_ms(0) == 7'000);
  }
}

TEST_CASE("what its worker says of an end is believed once", "[scheduling]") {
  StoredExecutor x;
  x.state = ExecutorState::KILLED;
  x.launched = from_ms(1'000);
  x.ended = from_ms(3'000);
  LateEnd{from_ms(9'000), 2'000, ResourceUse{1, 2, 3}}.apply_to(x);
  CHECK(x.ended == from_ms(7'000));
  CHECK(x.use == ResourceUse{1, 2, 3});
  LateEnd{from_ms(12'000), 2'000, ResourceUse{1, 2, 3}}.apply_to(x);
  CHECK(x.ended == from_ms(7'000));
  // It ended by itself: that was its worker's word.
  x.state = ExecutorState::EXITED;
  x.use.reset();
  LateEnd{from_ms(12'000), 2'000, {}}.apply_to(x);
  CHECK(x.ended == from_ms(7'000));
}

TEST_CASE("what failed soon has not run well because nobody heard of it",
          "[scheduling]") {
  auto failures = [](const char* end) {
    Timed x{"config durable=true stable_after=60000",
            "at 0s elect",
            "worker w1 2 cores 2 GB",
            "at 1s app job 1 core 512 MB max 1",
            "at 2s executor app-1/0 exited 1",
            "at 2s executor app-1/1 running",
            end};
    const auto& state = x.trace.cluster().state();
    auto key = state.applications.find(timed_app);
    REQUIRE(key);
    return state.applications.at(*key).stored.failures_in_a_row;
  };
  CHECK(failures("at 300s executor app-1/1 exited ago 297s 1") == 2);
  CHECK(failures("at 300s executor app-1/1 exited 1") == 1);
}

TEST_CASE("a driver that ended during an outage ended then", "[scheduling]") {
  Timed x{"config durable=true", "at 0s elect", "worker w1 2 cores 2 GB",
          "at 1s submit d 1 core 512 MB", "at 1s driver driver-1 running"};
  SECTION("reported late, and again") {
    x.follow({"at 10s restart", "at 10s worker w1 2 cores 2 GB busy",
              "at 10s driver driver-1 finished ago 6500ms"});
    CHECK(x.driver().ended_ms == 3'500);
    x.follow({"at 20s driver driver-1 finished ago 16s",
              "at 30s driver driver-1 finished"});
    CHECK(x.driver().ended_ms == 3'500);
  }
  SECTION("longer ago than it was started") {
    x.follow({"at 10s driver driver-1 failed ago 60s 1"});
    CHECK(x.driver().ended_ms == 1'000);
  }
  SECTION("its worker stopped") {
    x.follow({"at 10s driver driver-1 killed ago 4s"});
    CHECK(x.driver().ended_ms == 6'000);
  }
}
