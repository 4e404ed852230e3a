// What an AllocationManager promises beside what Spark's does: answers that come later or
// not as expected, clocks that jump, large figures, events of what it does not know.

#include "scheduling/allocation/allocation_manager.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

constexpr int no_limit = 2'147'483'647;

/// A manager, and a time that is moved on.
class Driver {
public:
  explicit Driver(const AllocationSettings& settings = {})
      : manager_(settings) {
    last_ = manager_.start(now_);
  }

  AllocationActions step(const AllocationEvent& event) {
    last_ = manager_.step(now_, event);
    return last_;
  }

  AllocationActions tick_after(Duration x) {
    now_ += x;
    return step(AllocationTick{});
  }

  /// Answers what the last step asked for.
  AllocationActions answer(bool agreed) {
    AllocationActions result;
    for (const auto& action : std::exchange(last_, {})) {
      AllocationActions more;
      if (const auto* total = std::get_if<WantTotal>(&action))
        more = manager_.step(now_, WantTotalAnswered{total->number, agreed});
      else if (const auto* end = std::get_if<EndIdle>(&action))
        more = manager_.step(
            now_, EndIdleAnswered{end->number,
                                  agreed ? end->exec_ids : std::vector<int>{}});
      result.insert(result.end(), more.begin(), more.end());
    }
    last_ = result;
    return result;
  }

  void answer_all() {
    while (!last_.empty())
      answer(true);
  }

  void submit(int stage, int tasks) {
    step(StageSubmitted{{StageId{stage}, 0}, tasks, {}});
  }
  void begin(int stage, int task, int exec_id) {
    step(TaskBegan{{StageId{stage}, task, 0}, 0, exec_id, false});
  }
  void join(int from, int to) {
    for (int exec_id = from; exec_id <= to; ++exec_id)
      step(ExecutorJoined{exec_id});
  }

  [[nodiscard]] AllocationStatus status() const {
    return manager_.status();
  }
  [[nodiscard]] int target() const {
    return status().target;
  }

  Instant now_ = from_ms(1'000'000);

private:
  AllocationManager manager_;
  AllocationActions last_;
};

/// "total 3" or "end 1 10 2".
std::string text_of(const AllocationActions& actions) {
  std::string result;
  for (const auto& action : actions) {
    result += result.empty() ? "" : ", ";
    if (const auto* total = std::get_if<WantTotal>(&action)) {
      result += "total " + std::to_string(total->total);
    } else {
      result += "end";
      for (auto id : std::get<EndIdle>(action).exec_ids)
        result += " " + std::to_string(id);
    }
  }
  return result;
}

std::uint64_t number_of(const AllocationActions& actions) {
  return std::get<WantTotal>(actions.at(0)).number;
}

AllocationSettings idle_after(Duration x, int min_executors = 0) {
  AllocationSettings result;
  result.idle_timeout = x;
  result.min_executors = min_executors;
  return result;
}

} // namespace

// -- answers ------------------------------------------------------------------

TEST_CASE("ticks wait for the answer to a total", "[allocation]") {
  Driver x;
  x.submit(0, 100);
  auto asked = x.tick_after(1s);
  CHECK(text_of(asked) == "total 1");
  CHECK(text_of(x.tick_after(1h)).empty());
  CHECK(x.target() == 1);
  CHECK(x.status().next_increment == 1);
  x.step(WantTotalAnswered{number_of(asked), true});
  CHECK(x.status().next_increment == 2);
  // From the answer on.
  CHECK(x.status().add_at == x.now_ + 1s);
  CHECK(text_of(x.tick_after(1s)) == "total 3");
}

TEST_CASE("a total that is refused is asked for again at the next tick",
          "[allocation]") {
  Driver x;
  x.submit(0, 100);
  for (int i = 0; i < 3; ++i) {
    CHECK(text_of(x.tick_after(1s)) == "total 1");
    x.answer(false);
    CHECK(x.target() == 0);
  }
  CHECK(text_of(x.tick_after(0s)) == "total 1");
}

TEST_CASE("an answer to something else than what is open changes nothing",
          "[allocation]") {
  Driver x;
  x.submit(0, 100);
  auto first = x.tick_after(1s);
  x.answer(false);
  auto second = x.tick_after(1s);
  x.step(WantTotalAnswered{number_of(first), false});
  x.step(WantTotalAnswered{number_of(first), true});
  x.step(WantTotalAnswered{number_of(second) + 1, false});
  x.step(WantTotalAnswered{0, false});
  x.step(EndIdleAnswered{number_of(second), {}});
  CHECK(x.target() == 1);
  CHECK(text_of(x.tick_after(1s)).empty());
  x.step(WantTotalAnswered{number_of(second), true});
  x.step(WantTotalAnswered{number_of(second), false});
  CHECK(x.target() == 1);
  CHECK(text_of(x.tick_after(1s)) == "total 3");
}

TEST_CASE("steps begin with one again when all tasks have begun before the "
          "answer comes",
          "[allocation]") {
  Driver x;
  x.submit(0, 1);
  auto asked = x.tick_after(1s);
  x.join(0, 0);
  x.begin(0, 0, 0);
  x.step(WantTotalAnswered{number_of(asked), true});
  CHECK(x.target() == 1);
  CHECK(x.status().next_increment == 1);
  CHECK_FALSE(x.status().add_at);
}

TEST_CASE("who may end is decided by the answer to the total", "[allocation]") {
  for (auto agreed : {true, false}) {
    auto settings = idle_after(10s);
    settings.initial_executors = 3;
    Driver x{settings};
    x.join(0, 2);
    // Nobody needs them, but the cluster may still bring up three in all.
    CHECK(text_of(x.tick_after(10s)) == "total 0");
    CHECK(text_of(x.answer(agreed)) == (agreed ? "end 0 1 2, total 0" : ""));
    CHECK(x.target() == (agreed ? 0 : 3));
  }
}

TEST_CASE("of executors that were to end, those end that the cluster ends",
          "[allocation]") {
  Driver x{idle_after(10s)};
  x.join(1, 10);
  auto actions = x.tick_after(10s);
  REQUIRE(text_of(actions) == "end 1 10 2 3 4 5 6 7 8 9, total 0");
  CHECK(x.status().leaving == 0);
  // One is gone, one has work, and it was never asked for the last one.
  x.step(ExecutorLeft{2});
  x.submit(0, 1);
  x.begin(0, 0, 3);
  x.step(EndIdleAnswered{std::get<EndIdle>(actions[0]).number, {1, 2, 10, 11}});
  CHECK(x.status().executors == 9);
  CHECK(x.status().leaving == 2);
  // The load needs one, so one of the others stays.
  CHECK(text_of(x.tick_after(0s)) == "end 4 5 6 7 8 9, total 0");
}

TEST_CASE("an executor that was told to end is not told again",
          "[allocation]") {
  Driver x{idle_after(10s)};
  x.join(0, 0);
  CHECK(text_of(x.tick_after(10s)) == "end 0, total 0");
  x.answer_all();
  x.step(BlockStored{0, 0, 0});
  x.step(BlockDropped{0, 0, 0});
  x.step(ExecutorJoined{0});
  CHECK(text_of(x.tick_after(1h)).empty());
  CHECK(x.status().leaving == 1);
  x.step(ExecutorLeft{0});
  x.step(ExecutorLeft{0});
  CHECK(x.status().executors == 0);
  CHECK(x.status().leaving == 0);
}

// -- what is not known ----------------------------------------------------------

TEST_CASE("events of what is not known change nothing", "[allocation]") {
  Driver x{idle_after(10s)};
  x.join(0, 0);
  x.submit(0, 4);
  auto before = x.status();
  const StageAttempt unknown{StageId{7}, 0};
  const TaskAttempt task{StageId{7}, 0, 0};
  for (const AllocationEvent& event : std::vector<AllocationEvent>{
           StageEnded{unknown}, StageEnded{{StageId{0}, 1}},
           TaskOver{task, TaskOutcome::failed},
           TaskOver{{StageId{0}, 0, 0}, TaskOutcome::failed},
           TaskBegan{task, 0, 9, false}, TaskOver{task, TaskOutcome::failed},
           SpeculationWanted{unknown, 0}, ExecutorLeft{9}, BlockStored{9, 0, 0},
           BlockDropped{9, 0, 0}, BlockDropped{0, 0, 0}, DatasetUnpersisted{3},
           ExecutorJoined{0}, EndIdleAnswered{1, {0}}}) {
    CHECK(x.step(event).empty());
    CHECK(x.status() == before);
  }
}

TEST_CASE("a task that begins or ends twice counts once", "[allocation]") {
  Driver x{idle_after(10s)};
  x.join(0, 0);
  x.submit(0, 3);
  x.begin(0, 0, 0);
  x.begin(0, 0, 0);
  CHECK(x.status().needed == 3);
  x.step(TaskOver{{StageId{0}, 0, 0}, TaskOutcome::succeeded});
  x.step(TaskOver{{StageId{0}, 0, 0}, TaskOutcome::succeeded});
  CHECK(x.status().needed == 2);
}

TEST_CASE("a task of a stage that ended counts until it ends", "[allocation]") {
  Driver x;
  x.join(0, 1);
  x.submit(0, 3);
  x.begin(0, 0, 0);
  x.step(StageEnded{{StageId{0}, 0}});
  CHECK(x.status().needed == 1);
  // Late, and still it occupies an executor.
  x.begin(0, 1, 1);
  CHECK(x.status().needed == 2);
  x.step(TaskOver{{StageId{0}, 0, 0}, TaskOutcome::failed});
  x.step(TaskOver{{StageId{0}, 1, 0}, TaskOutcome::killed});
  CHECK(x.status().needed == 0);
  // Forgotten.
  x.begin(0, 2, 0);
  CHECK(x.status().needed == 0);
}

TEST_CASE(
    "a late task of an executor does not count for the next one of that id",
    "[allocation]") {
  Driver x{idle_after(10s)};
  x.join(0, 0);
  x.submit(0, 2);
  x.begin(0, 0, 0);
  x.step(ExecutorLeft{0});
  x.join(0, 0);
  x.begin(0, 1, 0);
  x.step(TaskOver{{StageId{0}, 0, 0}, TaskOutcome::failed});
  x.step(StageEnded{{StageId{0}, 0}});
  // It still has a task.
  CHECK(text_of(x.tick_after(1h)).empty());
}

// -- clocks that jump -------------------------------------------------------------

TEST_CASE("a clock that goes back makes nobody wait longer", "[allocation]") {
  Driver x{idle_after(10s)};
  x.submit(0, 8);
  x.now_ -= std::chrono::hours{24 * 365};
  CHECK(text_of(x.tick_after(0s)).empty());
  CHECK(x.status().add_at == x.now_ + 1s);
  CHECK(text_of(x.tick_after(1s)) == "total 1");
  x.answer_all();
  x.step(StageEnded{{StageId{0}, 0}});
  x.tick_after(0s);
  x.answer_all();
  x.join(0, 0);
  x.now_ -= 1h;
  CHECK(text_of(x.tick_after(0s)).empty());
  CHECK(text_of(x.tick_after(9999ms)).empty());
  CHECK(text_of(x.tick_after(1ms)) == "end 0, total 0");
}

TEST_CASE("a clock that goes far ahead is a long wait, once", "[allocation]") {
  Driver x{idle_after(10s)};
  x.submit(0, 8);
  x.now_ += std::chrono::hours{24 * 36'500};
  CHECK(text_of(x.tick_after(0s)) == "total 1");
  x.answer_all();
  CHECK(text_of(x.tick_after(0s)).empty());
  CHECK(text_of(x.tick_after(1s)) == "total 3");
}

TEST_CASE("the first and the last instant are times like others",
          "[allocation]") {
  Driver x{idle_after(10s)};
  x.join(0, 0);
  x.submit(0, 8);
  for (int i = 0; i < 3; ++i)
    for (auto now : {Instant::max(), Instant::min(), Instant{}}) {
      x.now_ = now;
      x.step(AllocationTick{});
      x.answer_all();
    }
  CHECK(x.target() >= 1);
  CHECK(x.target() <= 8);
}

// -- large figures ----------------------------------------------------------------

TEST_CASE("steps double up to all executors that there can be",
          "[allocation]") {
  Driver x;
  x.submit(0, no_limit);
  x.submit(1, no_limit);
  CHECK(x.status().needed == no_limit);
  std::int64_t expected = 0;
  for (int i = 0; i < 31; ++i) {
    x.tick_after(1s);
    x.answer_all();
    expected += std::int64_t{1} << i;
    CHECK(x.target() == expected);
  }
  CHECK(x.target() == no_limit);
  CHECK(x.status().next_increment == no_limit);
  CHECK(text_of(x.tick_after(1s)).empty());
  CHECK(x.status().next_increment == 1);
  x.step(StageEnded{{StageId{0}, 0}});
  x.step(StageEnded{{StageId{1}, 0}});
  CHECK(text_of(x.tick_after(1s)) == "total 0");
}

TEST_CASE("a start with all executors that there can be is given up like any",
          "[allocation]") {
  auto settings = idle_after(10s);
  settings.initial_executors = no_limit;
  Driver x{settings};
  CHECK(x.target() == no_limit);
  x.join(0, 3);
  CHECK(text_of(x.tick_after(9s)).empty());
  CHECK(text_of(x.tick_after(1s)) == "total 0");
  CHECK(text_of(x.answer(true)) == "end 0 1 2 3, total 0");
}

TEST_CASE("a negative number of tasks is none", "[allocation]") {
  Driver x;
  x.submit(0, -5);
  x.submit(1, 2);
  CHECK(x.status().needed == 2);
}
