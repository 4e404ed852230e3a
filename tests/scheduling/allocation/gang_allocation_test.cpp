// Barrier stages with dynamic allocation, which Spark refuses: executors are asked for at
// once and as a whole, and idle ones are given back while a stage waits.

#include <string>
#include <utility>
#include <variant>

#include "scheduling/allocation/allocation_manager.hpp"
#include "scheduling/allocation/executor_allocation.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

/// Answers yes to all that a manager asks for, and notes it.
class AgreeingCluster {
public:
  explicit AgreeingCluster(const AllocationSettings& settings)
      : manager_(settings) {
    take(manager_.start(now));
    log.clear();
  }

  void step(const AllocationEvent& x) {
    take(manager_.step(now, x));
  }

  void submit(int stage, int tasks, bool at_once) {
    step(StageSubmitted{{StageId{stage}, 0}, tasks, {}, at_once});
  }
  void begin(int stage, int task, int exec_id) {
    step(TaskBegan{{StageId{stage}, task, 0}, 0, exec_id, false});
  }

  /// Ticks when the manager says.
  void pass(Duration x) {
    auto end = now + x;
    while (manager_.next_due() && *manager_.next_due() <= end) {
      now = std::max(now, *manager_.next_due());
      step(AllocationTick{});
    }
    now = end;
  }

  [[nodiscard]] std::string said() {
    return std::exchange(log, {});
  }

  Instant now{1'000s};
  std::string log;

private:
  void take(const AllocationActions& actions) {
    for (const auto& x : actions) {
      log += log.empty() ? "" : ", ";
      if (const auto* total = std::get_if<WantTotal>(&x)) {
        log += "total " + std::to_string(total->total);
        if (total->gang > 1)
          log += " at once " + std::to_string(total->gang);
        take(manager_.step(now, WantTotalAnswered{total->number, true}));
      } else {
        const auto& end = std::get<EndIdle>(x);
        log += "end";
        for (auto id : end.exec_ids)
          log += " " + std::to_string(id);
        take(manager_.step(now, EndIdleAnswered{end.number, end.exec_ids}));
        for (auto id : end.exec_ids)
          take(manager_.step(now, ExecutorLeft{id}));
      }
    }
  }

  AllocationManager manager_;
};

AllocationSettings two_slots() {
  AllocationSettings result;
  result.executor_cores = 2;
  return result;
}

} // namespace

TEST_CASE("a barrier stage is asked for at once and as a whole",
          "[allocation][gang]") {
  AgreeingCluster x{two_slots()};
  x.submit(0, 7, true);
  x.pass(0ms);
  CHECK(x.said() == "total 4 at once 4");
  for (int i = 0; i < 4; ++i)
    x.step(ExecutorJoined{i});
  for (int task = 0; task < 7; ++task)
    x.begin(0, task, task / 2);
  x.pass(1s);
  // It runs: one that is lost is replaced as others are.
  CHECK(x.said() == "total 4");
  for (int task = 0; task < 7; ++task)
    x.step(TaskOver{{StageId{0}, task, 0}, TaskOutcome::succeeded});
  x.step(StageEnded{{StageId{0}, 0}});
  x.pass(200ms);
  CHECK(x.said() == "total 0");
  x.pass(60s);
  CHECK(x.said() == "end 0 1 2 3, total 0");
}

TEST_CASE("a barrier stage is asked for beside what runs",
          "[allocation][gang]") {
  AgreeingCluster x{two_slots()};
  x.submit(0, 3, false);
  x.pass(3s);
  x.step(ExecutorJoined{0});
  x.step(ExecutorJoined{1});
  for (int task = 0; task < 3; ++task)
    x.begin(0, task, task / 2);
  (void)x.said();
  x.submit(1, 4, true);
  x.pass(0ms);
  CHECK(x.said() == "total 4 at once 4");
  // Of several the largest counts: they can run one after the other.
  x.submit(2, 3, true);
  x.pass(0ms);
  CHECK(x.said() == "");
  // All of them would find use.
  x.pass(1s);
  CHECK(x.said() == "total 5 at once 4");
}

TEST_CASE(
    "a barrier stage of which tasks of the last attempt still end is asked "
    "for once",
    "[allocation][gang]") {
  AgreeingCluster x{two_slots()};
  x.submit(0, 4, true);
  x.pass(0ms);
  x.step(ExecutorJoined{0});
  x.step(ExecutorJoined{1});
  for (int task = 0; task < 4; ++task)
    x.begin(0, task, task / 2);
  x.pass(200ms);
  (void)x.said();
  x.step(TaskOver{{StageId{0}, 0, 0}, TaskOutcome::killed});
  x.step(StageEnded{{StageId{0}, 0}});
  x.step(StageSubmitted{{StageId{0}, 1}, 4, {}, true});
  x.pass(500ms);
  CHECK(x.said() == "total 2 at once 2");
}

TEST_CASE("what is idle while a barrier stage waits is given back in time, and "
          "the whole is still wanted",
          "[allocation][gang]") {
  auto settings = two_slots();
  settings.gang_hold_timeout = 10s;
  AgreeingCluster x{settings};
  x.submit(0, 1, false);
  x.submit(1, 8, true);
  x.pass(0ms);
  CHECK(x.said() == "total 4 at once 4");
  for (int i = 0; i < 3; ++i)
    x.step(ExecutorJoined{i});
  x.begin(0, 0, 0);
  x.pass(2s);
  CHECK(x.said() == "total 5 at once 5");
  x.pass(7s);
  CHECK(x.said() == "");
  // The one that is busy stays.
  x.pass(1s);
  CHECK(x.said() == "end 1 2, total 5 at once 5");
  x.pass(5min);
  CHECK(x.said() == "");
}

TEST_CASE("what may not be had is not asked for", "[allocation][gang]") {
  auto settings = two_slots();
  settings.max_executors = 3;
  AgreeingCluster x{settings};
  x.submit(0, 8, true);
  x.pass(1min);
  CHECK(x.said() == "total 3 at once 3");
}

TEST_CASE("a cluster that refuses a barrier stage is not asked without end",
          "[allocation][gang]") {
  AllocationManager manager{AllocationSettings{}};
  auto now = Instant{1'000s};
  (void)manager.start(now);
  (void)manager.step(now, WantTotalAnswered{1, true});
  (void)manager.step(now, StageSubmitted{{StageId{0}, 0}, 8, {}, true});
  auto asked = 0;
  for (auto end = now + 1s; manager.next_due() && *manager.next_due() <= end;) {
    now = *manager.next_due();
    for (const auto& x : manager.step(now, AllocationTick{}))
      if (const auto* total = std::get_if<WantTotal>(&x)) {
        ++asked;
        (void)manager.step(now, WantTotalAnswered{total->number, false});
      }
  }
  CHECK(asked == 11);
}

TEST_CASE("the master is told of a gang as long as there is one",
          "[allocation][gang]") {
  ExecutorRequests book{{}, 0};
  REQUIRE(book.leader_is(LeaderEpoch{1}));
  auto first = book.take_request();
  REQUIRE(first);
  CHECK_FALSE(first->gang);
  CHECK(book.request_total(4, {}, 4));
  CHECK(book.take_request()->gang == 4);
  CHECK_FALSE(book.request_total(4, {}, 1));
  CHECK(book.take_request()->gang == 1);
  CHECK_FALSE(book.take_request());
}
