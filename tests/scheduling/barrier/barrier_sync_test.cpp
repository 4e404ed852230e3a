#include "scheduling/barrier/barrier_sync.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "scheduling/common/random.hpp"
#include "tests/support/catch.hpp"

namespace stoker {

namespace {

using namespace std::chrono_literals;

/// The tasks of a stage, and what they have been answered.
class Gang {
public:
  explicit Gang(int tasks, Duration timeout = 1s)
      : sync({tasks, timeout, 100, "stage 3 (attempt 0)"}) {
  }

  void call(int task, std::int32_t epoch,
            BarrierCall what = BarrierCall::BARRIER,
            const std::string& message = {}) {
    take(sync.arrive(now, {task, epoch, what, message}));
  }

  void end(int task) {
    take(sync.task_ended(task));
  }

  void pass(Duration time) {
    now += time;
    take(sync.look(now));
  }

  /// Who was told to go on since the last time.
  std::set<int> passed() {
    std::set<int> result;
    for (const auto& x : std::exchange(answers, {}))
      if (x.messages)
        result.insert(x.task);
    return result;
  }

  /// What those who wait were told, all the same; with who they are.
  std::pair<std::set<int>, std::string> failed() {
    std::pair<std::set<int>, std::string> result;
    for (const auto& x : std::exchange(answers, {})) {
      CHECK_FALSE(x.messages);
      CHECK((result.second.empty() || result.second == x.error));
      result.first.insert(x.task);
      result.second = x.error;
    }
    return result;
  }

  Instant now{1h};
  BarrierSync sync;
  BarrierAnswers answers;

private:
  void take(const BarrierAnswers& more) {
    answers.insert(answers.end(), more.begin(), more.end());
  }
};

using Failed = std::pair<std::set<int>, std::string>;

} // namespace

TEST_CASE("nobody passes a barrier before all have come", "[barrier]") {
  Gang gang{4};
  for (std::int32_t epoch = 0; epoch < 2; ++epoch) {
    for (int task : {2, 0, 3})
      gang.call(task, epoch);
    CHECK(gang.answers.empty());
    CHECK(gang.sync.waiting() == 3);
    gang.call(1, epoch);
    CHECK(gang.passed() == std::set{0, 1, 2, 3});
    CHECK(gang.sync.epoch() == epoch + 1);
    CHECK_FALSE(gang.sync.due());
  }
}

TEST_CASE("all get what all have said, in the order of tasks", "[barrier]") {
  Gang gang{3};
  gang.call(2, 0, BarrierCall::ALL_GATHER, "two");
  gang.call(0, 0, BarrierCall::ALL_GATHER, "zero");
  gang.call(1, 0, BarrierCall::ALL_GATHER, "");
  REQUIRE(gang.answers.size() == 3);
  for (const auto& x : gang.answers)
    CHECK(*x.messages == std::vector<std::string>{"zero", "", "two"});
}

TEST_CASE("a call that is repeated changes nothing, or is answered again",
          "[barrier]") {
  Gang gang{2};
  gang.call(0, 0);
  gang.call(0, 0);
  CHECK(gang.answers.empty());
  gang.call(1, 0);
  CHECK(gang.passed() == std::set{0, 1});
  // Its answer was lost, while the other one waits at the next barrier.
  gang.call(0, 1);
  gang.call(1, 0);
  CHECK(gang.passed() == std::set{1});
  CHECK(gang.sync.waiting() == 1);
  gang.call(1, 1);
  CHECK(gang.passed() == std::set{0, 1});
  gang.call(1, 0);
  CHECK(gang.failed()
        == Failed{{1},
                  "its call number 1 comes when all are at number 3 of stage 3 "
                  "(attempt 0)"});
  gang.call(0, 5);
  CHECK(gang.failed().first == std::set{0});
  CHECK(gang.sync.error().empty());
}

TEST_CASE("a task that never comes fails those who wait, by name",
          "[barrier]") {
  Gang gang{4};
  SECTION("it is late") {
    gang.call(1, 0);
    gang.pass(999ms);
    gang.call(3, 0);
    CHECK(gang.answers.empty());
    gang.pass(1ms);
    CHECK(gang.failed()
          == Failed{{1, 3},
                    "tasks 0 and 2 did not come within 1 s to where tasks 1 "
                    "and 3 wait: barrier number 1 of stage 3 (attempt 0)"});
    gang.call(0, 0);
    CHECK(gang.failed().first == std::set{0});
  }
  SECTION("it ends before it is its turn") {
    gang.end(2);
    CHECK(gang.answers.empty());
    gang.call(0, 0);
    CHECK(gang.failed()
          == Failed{{0},
                    "task 2 has ended, and task 0 waits: barrier number 1 of "
                    "stage 3 (attempt 0)"});
  }
  SECTION("it ends while others wait") {
    gang.call(0, 0);
    gang.call(1, 0);
    gang.end(2);
    CHECK(gang.failed().first == std::set{0, 1});
  }
  SECTION("it makes one call less than the others") {
    for (int task = 0; task < 4; ++task)
      gang.call(task, 0);
    CHECK(gang.passed().size() == 4);
    gang.end(0);
    gang.call(1, 1);
    CHECK(gang.failed()
          == Failed{{1},
                    "task 0 has ended, and task 1 waits: barrier number 2 of "
                    "stage 3 (attempt 0)"});
  }
  CHECK_FALSE(gang.sync.error().empty());
  CHECK_FALSE(gang.sync.due());
}

TEST_CASE("different calls at one barrier are an error", "[barrier]") {
  Gang gang{4};
  gang.call(1, 0);
  gang.call(2, 0);
  gang.call(0, 0, BarrierCall::ALL_GATHER, "x");
  CHECK(gang.failed()
        == Failed{{0, 1, 2},
                  "different calls at one barrier: BARRIER by tasks 1 and 2, "
                  "ALL_GATHER by task 0: barrier number 1 of stage 3 (attempt "
                  "0)"});
}

TEST_CASE("messages that are too large together, and unknown tasks, are "
          "refused",
          "[barrier]") {
  Gang gang{2};
  gang.call(2, 0);
  CHECK(gang.failed()
        == Failed{{2}, "there is no task 2 in stage 3 (attempt 0)"});
  gang.end(-1);
  gang.call(0, 0, BarrierCall::ALL_GATHER, std::string(60, 'x'));
  gang.call(1, 0, BarrierCall::ALL_GATHER, std::string(60, 'x'));
  CHECK(gang.failed()
        == Failed{{0, 1},
                  "the messages of all tasks have more than 100 bytes: barrier "
                  "number 1 of stage 3 (attempt 0)"});
}

TEST_CASE("of many tasks only some are named", "[barrier]") {
  Gang gang{1000};
  gang.call(7, 0);
  gang.pass(1s);
  CHECK(gang.failed().second
        == "tasks 0, 1, 2, 3, 4, 5, 6, 8, 9 and 990 more did not come within 1 "
           "s to where task 7 waits: barrier number 1 of stage 3 (attempt 0)");
}

TEST_CASE("whatever is lost or repeated, each task passes each barrier once, "
          "with what all have said, and after all have come",
          "[barrier][property]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    auto tasks = static_cast<int>(1 + random.below(6));
    constexpr std::int32_t calls = 4;
    Gang gang{tasks};
    // By task: the call that it makes or waits for.
    std::vector<std::int32_t> at(static_cast<std::size_t>(tasks), 0);
    std::vector<std::set<int>> came(calls);
    auto is_done = [&] {
      return std::all_of(at.begin(), at.end(),
                         [](auto x) { return x == calls; });
    };
    for (int step = 0; !is_done(); ++step) {
      REQUIRE(step < 10'000);
      auto task = static_cast<int>(random.below(at.size()));
      auto epoch = at[static_cast<std::size_t>(task)];
      if (epoch == calls)
        continue;
      // It says so now, perhaps again.
      auto said = std::to_string(task) + '/' + std::to_string(epoch);
      gang.call(task, epoch, BarrierCall::ALL_GATHER, said);
      came[static_cast<std::size_t>(epoch)].insert(task);
      for (const auto& x : std::exchange(gang.answers, {})) {
        REQUIRE(x.error.empty());
        REQUIRE(came[static_cast<std::size_t>(x.epoch)].size() == at.size());
        for (int other = 0; other < tasks; ++other)
          REQUIRE((*x.messages)[static_cast<std::size_t>(other)]
                  == std::to_string(other) + '/' + std::to_string(x.epoch));
        auto& place = at[static_cast<std::size_t>(x.task)];
        // Some answers are lost: that task asks again.
        if (x.epoch == place && random.below(3) > 0)
          ++place;
      }
    }
    CHECK(gang.sync.epoch() == calls);
  }
}

} // namespace stoker
