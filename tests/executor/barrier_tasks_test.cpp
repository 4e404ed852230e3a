// What tasks of barrier stages in one executor are told, whoever calls when.

#include "executor/barrier_tasks.hpp"

#include <optional>

#include "network/basp_filter.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::executor;

namespace {

TaskAttempt barrier_task(int number) {
  return {StageId{1}, number, 3};
}

/// Tasks 0 and 2 of three, and what the driver is told.
struct TwoOfThree {
  TwoOfThree() {
    for (auto task : {0, 2})
      begin(barrier_task(task));
  }

  void begin(const TaskAttempt& task) {
    tasks.begin(task,
                std::make_shared<const std::vector<std::string>>(
                    std::vector<std::string>{"a", "b", "a"}),
                4711);
  }

  /// "went on", or why not; nothing: it waits.
  std::shared_ptr<std::string> call(int task) {
    auto result = std::make_shared<std::string>();
    tasks.call(barrier_task(task), BarrierCall::BARRIER, {},
               [result](Result<BarrierPort::Messages> x) {
                 *result = x ? "went on" : x.error().message;
               });
    return result;
  }

  void pass(std::int32_t epoch, const std::string& error = {}) {
    tasks.passed({StageId{1}, 3, epoch, {}, {"", "", ""}, error});
  }

  /// "0 2" for each message: who has come.
  [[nodiscard]] std::string told_text() const {
    std::string result;
    for (const auto& x : told) {
      std::string who;
      for (const auto& arrival : x.arrivals)
        who += (who.empty() ? "" : " ") + std::to_string(arrival.task);
      result += (result.empty() ? "" : "; ") + who;
    }
    return result;
  }

  std::vector<BarrierArrived> told;
  int asked = 0;
  BarrierTasks tasks{[this](BarrierArrived x) { told.push_back(std::move(x)); },
                     [this] { ++asked; }};
};

} // namespace

TEST_CASE("barriers of a task are counted, whoever calls", "[barrier]") {
  TwoOfThree x;
  auto first = x.call(0);
  CHECK(first->empty());
  x.pass(0);
  CHECK(*first == "went on");
  auto second = x.call(0);
  // What concerns an earlier one changes nothing.
  x.pass(0);
  CHECK(second->empty());
  x.pass(1);
  CHECK(*second == "went on");
  x.tasks.tell_held();
  REQUIRE(x.told_text() == "0 0");
  CHECK(x.told[0].stage == StageId{1});
  CHECK(x.told[0].attempt == 3);
  CHECK(x.told[0].arrivals[0].epoch == 0);
  CHECK(x.told[0].arrivals[1].epoch == 1);
}

TEST_CASE("the driver is told of all tasks at once, when the last one waits",
          "[barrier]") {
  TwoOfThree x;
  auto one = x.call(2);
  CHECK(x.told.empty());
  auto other = x.call(0);
  CHECK(x.told_text() == "2 0");
  x.tasks.tell_held();
  CHECK(x.told.size() == 1);
  x.pass(0);
  CHECK(*one == "went on");
  CHECK(*other == "went on");
}

TEST_CASE("the driver is told of tasks that wait for longer than others",
          "[barrier]") {
  TwoOfThree x;
  (void)x.call(2);
  CHECK(x.asked == 1);
  x.tasks.tell_held();
  CHECK(x.told_text() == "2");
  // The last one needs no call.
  (void)x.call(0);
  CHECK(x.told_text() == "2; 0");
  CHECK(x.asked == 1);
  x.pass(0);
  (void)x.call(0);
  CHECK(x.asked == 2);
  // A second call is not asked for before the first one came.
  (void)x.call(2);
  x.pass(1);
  (void)x.call(2);
  CHECK(x.asked == 2);
}

TEST_CASE("attempts beside each other do not wait for each other",
          "[barrier]") {
  TwoOfThree x;
  x.begin({StageId{8}, 1, 0});
  (void)x.call(0);
  x.tasks.call({StageId{8}, 1, 0}, BarrierCall::BARRIER, {},
               [](const Result<BarrierPort::Messages>&) {});
  REQUIRE(x.told_text() == "1");
  CHECK(x.told[0].stage == StageId{8});
}

TEST_CASE("the driver is told of who waits when all others have ended",
          "[barrier]") {
  TwoOfThree x;
  auto waits = x.call(0);
  x.tasks.end(barrier_task(2));
  CHECK(x.told_text() == "0");
  CHECK(waits->empty());
}

TEST_CASE("only who is named goes on", "[barrier]") {
  TwoOfThree x;
  auto one = x.call(0);
  auto other = x.call(2);
  x.tasks.passed({StageId{1}, 3, 0, {1, 2}, {}, "task 1 has called twice"});
  CHECK(one->empty());
  CHECK(*other == "task 1 has called twice");
}

TEST_CASE("a task waits at one barrier at a time", "[barrier]") {
  TwoOfThree x;
  auto first = x.call(2);
  CHECK(*x.call(2)
        == "task 2 waits at a barrier already: a task comes to one barrier "
           "after the other");
  CHECK(first->empty());
  x.tasks.tell_held();
  CHECK(x.told_text() == "2");
}

TEST_CASE(
    "a message that no connection takes is refused, and the task may call "
    "again",
    "[barrier]") {
  TwoOfThree x;
  auto says = [&](std::size_t size) {
    std::string result = "waits";
    x.tasks.call(barrier_task(0), BarrierCall::ALL_GATHER,
                 std::string(size, 'x'),
                 [&](const Result<BarrierPort::Messages>& answer) {
                   result = answer ? "went on" : answer.error().message;
                 });
    return result;
  };
  CHECK(says(barrier_messages_max + 1)
        == "the message has more than 64000000 bytes");
  CHECK(x.told.empty());
  // With all that is around it.
  CHECK(barrier_messages_max + 1'000'000 < BaspRules{}.message_max);
  CHECK(x.call(0)->empty());
  x.tasks.tell_held();
  REQUIRE(x.told_text() == "0");
  CHECK(x.told[0].arrivals[0].epoch == 0);
}

TEST_CASE("texts that no connection takes as one message are several",
          "[barrier]") {
  TwoOfThree x;
  for (auto task : {0, 2})
    x.tasks.call(barrier_task(task), BarrierCall::ALL_GATHER,
                 std::string(barrier_messages_max / 2 + 1, 'x'),
                 [](const Result<BarrierPort::Messages>&) {});
  CHECK(x.told_text() == "0; 2");
}

TEST_CASE("a task that is to end waits no more", "[barrier]") {
  TwoOfThree x;
  auto one = x.call(0);
  auto other = x.call(2);
  x.tasks.end(barrier_task(0));
  CHECK(*one == "the task is to end");
  CHECK(other->empty());
  CHECK(x.call(0)->find("is no task of a barrier stage, or is to end")
        != std::string::npos);
  x.tasks.end_all();
  CHECK(*other == "the task is to end");
}

TEST_CASE("an error ends the wait, and the barrier is not passed",
          "[barrier]") {
  TwoOfThree x;
  auto one = x.call(0);
  x.pass(0, "task 1 has ended");
  CHECK(*one == "task 1 has ended");
  (void)x.call(0);
  x.tasks.tell_held();
  CHECK(x.told.back().arrivals.back().epoch == 0);
}

TEST_CASE("a program of a barrier stage finds its place among the others",
          "[barrier]") {
  TwoOfThree x;
  auto environment = x.tasks.environment(barrier_task(2));
  CHECK(environment
        == std::map<std::string, std::string>{{"LOCAL_RANK", "1"},
                                              {"LOCAL_WORLD_SIZE", "2"},
                                              {"MASTER_ADDR", "a"},
                                              {"MASTER_PORT", "4711"},
                                              {"RANK", "2"},
                                              {"WORLD_SIZE", "3"}});
  CHECK(x.tasks.environment(barrier_task(1)).empty());
  CHECK((*x.tasks.addresses(barrier_task(0)))->size() == 3);
  CHECK_FALSE(x.tasks.addresses(barrier_task(1)));
}
