// Executors that say nothing: exactly at and beside the end of their time.

#include "scheduling/jobs/silent_executors.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using ExecIds = std::vector<int>;

const HeartbeatConfig every_10s{10s, 60s};

Instant heard_at(Duration x) {
  return Instant{x};
}

} // namespace

TEST_CASE("an executor is silent when its time is over, and not before") {
  SilentExecutors x;
  CHECK_FALSE(x.next(every_10s));
  x.expect(1, heard_at(0s));
  x.expect(2, heard_at(5s));
  CHECK(x.next(every_10s) == heard_at(60s));
  CHECK(x.take_silent(every_10s, heard_at(60s - 1ms)).empty());
  CHECK(x.take_silent(every_10s, heard_at(60s)) == ExecIds{1});
  CHECK(x.take_silent(every_10s, heard_at(60s)).empty());
  CHECK(x.take_silent(every_10s, heard_at(65s)) == ExecIds{2});
}

TEST_CASE("an executor that speaks has the whole time again") {
  SilentExecutors x;
  x.expect(1, heard_at(0s));
  x.hear(1, heard_at(59s));
  // Having registered again is nothing new.
  x.expect(1, heard_at(60s));
  CHECK(x.next(every_10s) == heard_at(119s));
  CHECK(x.take_silent(every_10s, heard_at(118s)).empty());
  CHECK(x.take_silent(every_10s, heard_at(119s)) == ExecIds{1});
}

TEST_CASE("several that spoke at once are silent at once") {
  SilentExecutors x;
  for (auto exec_id : {3, 1, 2})
    x.expect(exec_id, heard_at(1s));
  x.hear(2, heard_at(2s));
  CHECK(x.take_silent(every_10s, heard_at(61s)) == ExecIds{1, 3});
}

TEST_CASE(
    "that a silent executor is to be ended is due at once, and again until "
    "it has ended") {
  SilentExecutors x;
  x.expect(1, heard_at(0s));
  CHECK(x.take_due(every_10s, heard_at(60s)).empty());
  REQUIRE(x.take_silent(every_10s, heard_at(60s)) == ExecIds{1});
  CHECK(x.take_due(every_10s, heard_at(60s)) == ExecIds{1});
  CHECK(x.take_due(every_10s, heard_at(60s)).empty());
  CHECK(x.next(every_10s) == heard_at(70s));
  CHECK(x.take_due(every_10s, heard_at(70s)) == ExecIds{1});
  // It does not come back.
  x.hear(1, heard_at(71s));
  x.expect(1, heard_at(71s));
  CHECK(x.heard().empty());
  x.ended(1);
  CHECK_FALSE(x.next(every_10s));
  CHECK(x.take_due(every_10s, heard_at(100s)).empty());
}

TEST_CASE("executors that were lost otherwise are not missed") {
  SilentExecutors x;
  x.expect(1, heard_at(0s));
  x.expect(2, heard_at(0s));
  x.forget(1);
  x.ended(2);
  x.hear(1, heard_at(1s));
  CHECK_FALSE(x.next(every_10s));
  CHECK(x.take_silent(every_10s, heard_at(60s)).empty());
}

TEST_CASE("whoever looks late stood still itself, and loses nobody") {
  SilentExecutors x;
  x.expect(1, heard_at(0s));
  x.expect(2, heard_at(1s));
  SECTION("as late as a heartbeat may be") {
    CHECK(x.take_silent(every_10s, heard_at(70s - 1ms)) == ExecIds{1, 2});
  }
  SECTION("later") {
    CHECK(x.take_silent(every_10s, heard_at(70s)).empty());
    CHECK(x.next(every_10s) == heard_at(130s));
    x.hear(1, heard_at(80s));
    CHECK(x.take_silent(every_10s, heard_at(130s)) == ExecIds{2});
  }
}
