// Owners of little state: what is held until a program is gone, the order of
// applications, and who is waited for after a takeover.

#include "scheduling/master/admission.hpp"
#include "scheduling/master/pending_releases.hpp"
#include "scheduling/master/recovery.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

PendingRelease release(const std::string& app, int id) {
  PendingRelease result;
  result.stored.app_id = AppId{app};
  result.stored.exec_id = id;
  result.stored.ending = true;
  return result;
}

} // namespace

TEST_CASE("what a program holds is given back once", "[owners]") {
  PendingReleases x;
  x.add(release("a", 1));
  CHECK(x.contains({AppId{"a"}, 1}));
  CHECK(x.take({AppId{"a"}, 1}));
  CHECK_FALSE(x.take({AppId{"a"}, 1}));
  CHECK_FALSE(x.contains({AppId{"a"}, 1}));
}

TEST_CASE("releases of an application are found in order, and no others",
          "[owners]") {
  PendingReleases x;
  for (auto id : {10, 2, 1})
    x.add(release("b", id));
  x.add(release("a", 7));
  x.add(release("c", 7));
  std::vector<int> found;
  for (const auto* y : x.of(AppId{"b"}))
    found.push_back(y->stored.exec_id);
  CHECK(found == std::vector<int>{1, 2, 10});
  CHECK(x.of(AppId{"d"}).empty());
}

TEST_CASE("each admitted application has the last position, once", "[owners]") {
  Admission x{std::nullopt};
  CHECK(x.tenants() == nullptr);
  auto first = x.admit(AppKey{5});
  auto second = x.admit(AppKey{2});
  CHECK(first < second);
  x.remove(first);
  CHECK(x.admitted() == std::set<QueuePosition>{second});
  SECTION("a position that is given back is not given again") {
    x.restore({9, AppKey{5}});
    CHECK(x.admit(AppKey{6}).position == 10);
  }
  SECTION("one of before is restored in its place") {
    x.restore(first);
    CHECK(*x.admitted().begin() == first);
    CHECK(x.admit(AppKey{6}).position == second.position + 1);
  }
}

TEST_CASE("a recovery ends when all have answered, or time is up", "[owners]") {
  Recovery x;
  CHECK(x.status() == RecoveryState::STANDBY);
  CHECK_FALSE(x.finish(Instant{100ms}));
  x.begin(LeaderEpoch{4});
  CHECK(x.epoch() == LeaderEpoch{4});
  x.wait_until(Instant{50ms});
  SECTION("nobody is waited for") {
    CHECK(x.finish(Instant{1ms}));
  }
  SECTION("all have answered") {
    x.await(WorkerKey{1});
    x.await(AppKey{1});
    CHECK_FALSE(x.finish(Instant{1ms}));
    x.answered(WorkerKey{1});
    CHECK_FALSE(x.finish(Instant{1ms}));
    x.answered(AppKey{1});
    CHECK(x.finish(Instant{1ms}));
  }
  SECTION("time is up") {
    x.await(WorkerKey{1});
    CHECK_FALSE(x.finish(Instant{49ms}));
    CHECK(x.finish(Instant{50ms}));
    CHECK_FALSE(x.awaits(WorkerKey{1}));
  }
  CHECK(x.status() == RecoveryState::ALIVE);
  CHECK_FALSE(x.awaits_anyone());
  CHECK_FALSE(x.finish(Instant{100ms}));
}
