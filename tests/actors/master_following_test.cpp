// Those who wait for a MASTER to commit something: each is answered, when it has happened,
// when the time is up, or when the master leads no more.

#include "actors/journal.hpp"
#include "actors/master.hpp"
#include "metrics/master_metrics.hpp"
#include "storage/memory_journal.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

struct FollowingFixture : DeterministicSystem {
  std::function<Status()> disk = [] { return Status{}; };
  std::shared_ptr<MemoryStore> store
      = std::make_shared<MemoryStore>([this] { return disk(); });
  std::shared_ptr<MasterMetrics> metrics = std::make_shared<MasterMetrics>();
  MasterActor master;

  FollowingFixture() {
    MasterServices services;
    services.metrics = metrics;
    services.journal = spawn(journal, JournalFactory{[store = store] {
                               return std::make_unique<MemoryJournal>(store);
                             }});
    ClusterConfig config;
    config.durable = true;
    master = spawn(stoker::master, config, services);
  }

  DriverId submit() {
    RequestSubmitDriver x;
    x.driver_description.name = "job";
    x.driver_description.command.arguments = {"job"};
    return ask<SubmitDriverResponse>(master, x)->driver_id.value();
  }

  Pending<EndsResponse> wait_for(const DriverId& id, std::int64_t wait_ms) {
    return request<EndsResponse>(master, RequestEnds{{}, {id}, wait_ms});
  }

  Pending<ChangePosition> wait_after(const ChangePosition& x) {
    return request<ChangePosition>(master, AwaitChange{x, 5000});
  }

  ChangePosition present() {
    return *ask<ChangePosition>(master, AwaitChange{});
  }

  [[nodiscard]] int failed_commits() const {
    for (const auto& x : metrics->collect())
      if (x.name == "stoker_failed_commits_total")
        return static_cast<int>(x.metric.at(0).counter.value);
    return -1;
  }
};

} // namespace

TEST_CASE_METHOD(FollowingFixture,
                 "who waits for the end of a driver is answered with it",
                 "[following]") {
  auto id = submit();
  auto wait = wait_for(id, 10'000);
  CHECK_FALSE(wait.answered());
  // Another one changes nothing of it.
  (void)submit();
  CHECK_FALSE(wait.answered());
  CHECK(ask<KillDriverResponse>(master, RequestKillDriver{id})->success);
  REQUIRE(wait.answered());
  auto end = wait.answer()->ends.at(0);
  CHECK(end.ended);
  CHECK(end.state == "KILLED");
}

TEST_CASE_METHOD(FollowingFixture,
                 "who has waited for long enough is told how things are",
                 "[following]") {
  auto id = submit();
  auto wait = wait_for(id, 3000);
  advance(2s);
  CHECK_FALSE(wait.answered());
  advance(2s);
  REQUIRE(wait.answered());
  CHECK_FALSE(wait.answer()->ends.at(0).ended);
  CHECK(wait.answer()->ends.at(0).state == "SUBMITTED");
  // Nobody may keep a question open for longer.
  auto endless = wait_for(id, 1'000'000'000);
  advance(std::chrono::milliseconds{longest_following_ms} + 2s);
  CHECK(endless.answered());
  CHECK(wait_for(id, 0).answered());
  CHECK(wait_for(DriverId{"driver-none"}, 5000).answered());
}

TEST_CASE_METHOD(FollowingFixture,
                 "who waits is answered when the time is up, and not up to a "
                 "second later",
                 "[following]") {
  auto id = submit();
  auto longest = wait_for(id, 9000);
  auto medium = wait_for(id, 1300);
  auto shortest = wait_for(id, 300);
  advance(200ms);
  CHECK_FALSE(shortest.answered());
  advance(200ms);
  CHECK(shortest.answered());
  advance(800ms);
  CHECK_FALSE(medium.answered());
  advance(200ms);
  CHECK(medium.answered());
  // Looks that were brought forward leave none behind that go on.
  for (int i = 0; i < 20; ++i) {
    CHECK_FALSE(longest.answered());
    (void)wait_for(id, 100);
    advance(200ms);
  }
  CHECK(pending_timers() < 15);
  advance(3800ms);
  CHECK(longest.answered());
}

TEST_CASE_METHOD(FollowingFixture,
                 "an end is told when it is stored, not before",
                 "[following]") {
  auto id = submit();
  auto wait = wait_for(id, 10'000);
  disk = [] { return Status{Error{Errc::failed, "full"}}; };
  auto kill = request<KillDriverResponse>(master, RequestKillDriver{id});
  CHECK_FALSE(kill.answer());
  advance(2s);
  // The master does not lead any more, or not yet again.
  REQUIRE(wait.answered());
  CHECK(failed_with(wait.answer(), Errc::not_alive));
}

TEST_CASE_METHOD(FollowingFixture,
                 "who waits for a change is answered when there is one",
                 "[following]") {
  auto before = present();
  auto wait = wait_after(before);
  CHECK_FALSE(wait.answered());
  (void)submit();
  REQUIRE(wait.answered());
  CHECK_FALSE(*wait.answer() == before);
  // What has changed meanwhile is not missed.
  CHECK(wait_after(before).answered());
  auto next = wait_after(present());
  CHECK_FALSE(next.answered());
  advance(6s);
  REQUIRE(next.answered());
  CHECK(*next.answer() == present());
}

TEST_CASE_METHOD(FollowingFixture, "one request is about so much and no more",
                 "[following]") {
  RequestEnds many;
  many.drivers.assign(ends_asked_max + 1, DriverId{"driver-1"});
  CHECK_FALSE(ask<EndsResponse>(master, many));
}

TEST_CASE_METHOD(FollowingFixture,
                 "a store that refuses all is counted as long as it does",
                 "[following]") {
  CHECK(failed_commits() == 0);
  disk = [] { return Status{Error{Errc::full, "full"}}; };
  RequestSubmitDriver x;
  x.driver_description.command.arguments = {"job"};
  CHECK_FALSE(ask<SubmitDriverResponse>(master, x));
  CHECK(failed_commits() == 1);
  for (int i = 0; i < 5; ++i)
    advance(2s);
  auto counted = failed_commits();
  CHECK(counted >= 5);
  disk = [] { return Status{}; };
  advance(2s);
  (void)submit();
  CHECK(failed_commits() == counted);
}
