#include "scheduling/allocation/executor_allocation.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "tests/support/catch.hpp"

namespace stoker {

namespace {

using namespace std::chrono_literals;

AllocationSettings quick() {
  AllocationSettings result;
  result.enabled = true;
  result.backlog_timeout = 1s;
  result.idle_timeout = 10s;
  return result;
}

/// An application and its master, as far as they matter here.
class Application {
public:
  explicit Application(const AllocationSettings& settings = quick())
      : allocation(settings) {
    take(allocation.start(now));
  }

  void step(const ExecutorAllocationEvent& x) {
    take(allocation.step(now, x));
  }

  void follow(std::uint64_t epoch) {
    step(LeaderFollowed{{epoch}, true});
  }

  /// Lets time pass, with a wake-up wherever one was asked for.
  void pass(Duration time) {
    auto end = now + time;
    while (!wakes.empty() && *wakes.begin() <= end) {
      now = std::max(now, *wakes.begin());
      wakes.erase(wakes.begin());
      ++woken;
      step(AllocationWakeUp{});
    }
    now = end;
  }

  /// The master takes all that it was asked since the last time.
  void answer(bool accepted = true) {
    for (const auto& x : std::exchange(totals, {})) {
      if (accepted)
        known_total = x.request.total;
      step(TotalAnswered{x.request, accepted});
    }
    for (const auto& x : std::exchange(kills, {})) {
      for (auto exec_id : x.kills.exec_ids)
        ++killed[exec_id];
      step(KillsAnswered{x.kills, accepted});
    }
  }

  void submit(int stage, int tasks) {
    step(LoadChanged{{StageSubmitted{{StageId{stage}, 0}, tasks, {}}}});
  }

  /// The master starts one, and it registers.
  void start(int exec_id) {
    step(ExecutorGranted{exec_id, "h"});
    step(LoadChanged{{ExecutorJoined{exec_id}}});
  }

  /// Executor 0 has run a task and is to leave now.
  void have_one_idle_for_long() {
    follow(1);
    answer();
    submit(0, 1);
    pass(1s);
    answer();
    start(0);
    step(LoadChanged{{StageEnded{{StageId{0}, 0}}}});
    pass(10s);
    answer();
    REQUIRE(leaves.size() == 1);
  }

  void end(int exec_id) {
    step(GrantedExecutorEnded{exec_id, false});
    step(LoadChanged{{ExecutorLeft{exec_id}}});
  }

  [[nodiscard]] int target() const {
    return allocation.manager().status().target;
  }

  Instant now{Duration{1'000'000}};
  ExecutorAllocation allocation;
  std::vector<AskForTotal> totals;
  std::vector<AskToKill> kills;
  std::vector<AskIdleToLeave> leaves;
  std::multiset<Instant> wakes;

  /// What it asked for, in order: t for a total, k for a kill.
  std::string asked;
  int woken = 0;

  /// What the master knows, and how often it was told to kill whom.
  int known_total = 0;
  std::map<int, int> killed;

private:
  void take(const ExecutorAllocationEffects& effects) {
    for (const auto& effect : effects) {
      if (const auto* total = std::get_if<AskForTotal>(&effect)) {
        totals.push_back(*total);
        asked += 't';
      } else if (const auto* kill = std::get_if<AskToKill>(&effect)) {
        kills.push_back(*kill);
        asked += 'k';
      } else if (const auto* leave = std::get_if<AskIdleToLeave>(&effect)) {
        leaves.push_back(*leave);
      } else if (const auto* wake = std::get_if<AllocationWakesAt>(&effect)) {
        wakes.insert(wake->when);
      }
    }
    auto wrong = allocation.requests().invariant_violation();
    INFO(wrong.value_or(""));
    REQUIRE(!wrong);
  }
};

} // namespace

TEST_CASE("an application asks for more executors step by step, and lets idle "
          "ones go") {
  Application x;
  x.follow(1);
  x.answer();
  x.submit(0, 8);
  x.pass(900ms);
  CHECK(x.totals.empty());
  std::vector<int> asked;
  for (int i = 0; i < 5; ++i) {
    x.pass(1s);
    x.answer();
    asked.push_back(x.known_total);
  }
  CHECK(asked == std::vector{1, 3, 7, 8, 8});

  for (int id = 0; id < 8; ++id)
    x.start(id);
  x.step(LoadChanged{{StageEnded{{StageId{0}, 0}}}});
  x.pass(10s);
  CHECK(x.known_total == 8);
  x.answer();
  CHECK(x.known_total == 0);
  REQUIRE(x.leaves.size() == 1);
  CHECK(x.leaves.front().exec_ids.size() == 8);

  // One has been given a task meanwhile.
  x.step(LeaveAnswered{x.leaves.front().number, {0, 1, 2, 3, 4, 5, 6}});
  x.answer();
  CHECK(x.killed.size() == 7);
  CHECK(x.allocation.requests().running() == 1);
  CHECK(x.allocation.requests().released() == 7);
  CHECK(x.allocation.manager().status().leaving == 7);
}

TEST_CASE("an application whose executors are as it wants them is not woken") {
  auto settings = quick();
  settings.min_executors = 1;
  Application x{settings};
  x.follow(1);
  x.answer();
  x.start(0);
  // Idle, and the last that stays.
  x.pass(1h);
  CHECK(x.woken <= 1);
  x.submit(0, 1);
  x.step(LoadChanged{{TaskBegan{{StageId{0}, 0, 0}, 0, 0, false}}});
  x.woken = 0;
  x.pass(1h);
  CHECK(x.woken <= 1);
}

TEST_CASE("executors are asked for when tasks have waited long enough, and not "
          "later") {
  Application x;
  x.follow(1);
  x.answer();
  x.pass(Duration{1'234});
  x.submit(0, 8);
  x.pass(Duration{999});
  CHECK(x.totals.empty());
  x.pass(Duration{1});
  REQUIRE(x.totals.size() == 1);
  x.pass(Duration{7});
  x.answer();
  x.pass(Duration{999});
  CHECK(x.totals.empty());
  x.pass(Duration{1});
  CHECK(x.totals.size() == 1);
}

TEST_CASE("a load that is gone for a moment gives up nothing") {
  Application x;
  x.follow(1);
  x.answer();
  x.submit(0, 1);
  x.pass(1s);
  x.answer();
  x.step(LoadChanged{{StageEnded{{StageId{0}, 0}}}});
  x.pass(99ms);
  x.submit(1, 1);
  x.pass(500ms);
  CHECK(x.totals.empty());
  x.step(LoadChanged{{StageEnded{{StageId{1}, 0}}}});
  x.pass(99ms);
  CHECK(x.totals.empty());
  x.pass(1ms);
  x.answer();
  CHECK(x.known_total == 0);
}

TEST_CASE("a total that the master refuses is not wanted any more, and wanted "
          "again") {
  Application x;
  x.follow(1);
  x.answer();
  x.submit(0, 2);
  x.pass(1s);
  REQUIRE(x.totals.size() == 1);
  x.answer(false);
  CHECK(x.target() == 0);
  // The master is not asked in a circle.
  CHECK(x.totals.empty());
  x.pass(100ms);
  x.answer();
  CHECK(x.target() == 1);
  CHECK(x.known_total == 1);
}

TEST_CASE("without a master the target stays, and the next one is told it at "
          "once") {
  Application x;
  x.follow(1);
  x.answer();
  x.submit(0, 8);
  x.pass(2s);
  x.answer();
  x.pass(1s);
  x.answer();
  CHECK(x.known_total == 3);
  x.step(LeaderLost{});
  x.pass(8s);
  CHECK(x.target() == 3);
  CHECK(x.totals.empty());

  x.known_total = 0;
  x.follow(2);
  x.answer();
  CHECK(x.known_total == 3);
  x.pass(100ms);
  x.answer();
  CHECK(x.known_total == 7);
}

TEST_CASE("what an old leader answers changes nothing for the new one") {
  Application x;
  x.follow(1);
  x.answer();
  x.submit(0, 8);
  x.pass(1s);
  REQUIRE(x.totals.size() == 1);
  auto old = x.totals.front().request;
  x.totals.clear();
  // It has not answered when another one leads.
  x.follow(2);
  REQUIRE(x.totals.size() == 1);
  CHECK(x.totals.front().request.total == 1);
  x.step(TotalAnswered{old, true});
  CHECK(x.allocation.manager().status().next_increment == 1);
  CHECK_FALSE(x.allocation.requests().is_acknowledged());
  x.answer();
  CHECK(x.allocation.requests().is_acknowledged());
  CHECK(x.target() == 1);
  CHECK(x.allocation.manager().status().next_increment == 2);
}

TEST_CASE("an executor that ends while it is to leave is counted once") {
  Application x;
  x.have_one_idle_for_long();
  x.end(0);
  x.step(LeaveAnswered{x.leaves.front().number, {0}});
  x.answer();
  x.end(0);
  const auto& requests = x.allocation.requests();
  CHECK(x.killed.empty());
  CHECK(requests.running() == 0);
  CHECK(requests.released() == 0);
  CHECK(requests.unexpected_ends() == 1);
  CHECK(x.allocation.manager().status().executors == 0);
  CHECK(x.allocation.manager().status().leaving == 0);
}

TEST_CASE(
    "a leader hears how many are wanted before it is to end any: it would "
    "replace them") {
  Application x;
  x.have_one_idle_for_long();
  x.step(LeaderLost{});
  x.step(LeaveAnswered{x.leaves.front().number, {0}});
  x.asked.clear();
  x.follow(2);
  CHECK(x.asked == "tk");
  REQUIRE(x.totals.size() == 1);
  CHECK(x.totals.front().request.total == 0);
}

TEST_CASE("what a new leader does not name is over") {
  Application x;
  x.follow(1);
  x.answer();
  x.submit(0, 2);
  x.pass(1s);
  x.answer();
  x.pass(1s);
  x.answer();
  x.start(0);
  x.start(1);
  x.step(LeaderLost{});
  x.follow(2);
  x.step(ExecutorGranted{1, "h"});
  x.answer();
  CHECK(x.allocation.requests().running() == 1);
}

TEST_CASE("whatever happens, the master comes to know the target") {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random{seed};
    auto below = [&](int n) { return static_cast<int>(random() % n); };
    Application x;
    std::uint64_t epoch = 1;
    x.follow(epoch);
    std::set<int> present;
    auto follow = [&] {
      x.follow(epoch);
      for (auto exec_id : present)
        x.step(ExecutorGranted{exec_id, "h"});
    };
    int next_exec = 0;
    int next_stage = 0;
    for (int i = 0; i < 200; ++i) {
      switch (below(10)) {
      case 0:
        x.submit(next_stage++, 1 + below(10));
        break;
      case 1:
        if (next_stage > 0)
          x.step(LoadChanged{{StageEnded{{StageId{below(next_stage)}, 0}}}});
        break;
      case 2:
        x.step(LeaderLost{});
        x.totals.clear();
        x.kills.clear();
        break;
      case 3:
        epoch += static_cast<unsigned>(below(2));
        follow();
        break;
      case 4:
        x.answer(below(3) > 0);
        break;
      case 5:
        if (static_cast<int>(present.size()) < x.known_total) {
          present.insert(next_exec);
          x.start(next_exec++);
        }
        break;
      case 6:
        if (!present.empty()) {
          auto exec_id = *present.begin();
          present.erase(present.begin());
          x.end(exec_id);
        }
        break;
      case 7:
        for (const auto& leave : std::exchange(x.leaves, {}))
          x.step(LeaveAnswered{leave.number, leave.exec_ids});
        break;
      default:
        x.pass(Duration{1 + below(3'000)});
      }
    }
    ++epoch;
    follow();
    for (int i = 0; i < 5; ++i) {
      x.answer();
      for (const auto& leave : std::exchange(x.leaves, {}))
        x.step(LeaveAnswered{leave.number, leave.exec_ids});
    }
    INFO("seed " << seed);
    CHECK(x.known_total == x.target());
    CHECK(x.allocation.requests().wanted() == x.target());
    CHECK(x.allocation.requests().is_acknowledged());
    CHECK(x.allocation.requests().running() + x.allocation.requests().released()
          == static_cast<int>(present.size()));
  }
}

} // namespace stoker
