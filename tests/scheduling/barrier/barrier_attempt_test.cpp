// Whom a coordinator tells what, and when the tasks of an attempt begin.

#include "scheduling/barrier/barrier_attempt.hpp"

#include <string>
#include <variant>

#include "tests/support/catch.hpp"

namespace stoker {

namespace {

using namespace std::chrono_literals;

/// Three tasks: two on executor 7, one on executor 4.
BarrierAttemptConfig three_tasks() {
  BarrierAttemptConfig result;
  result.stage = StageId{5};
  result.attempt = 2;
  result.name = "train";
  result.exec_ids = {7, 4, 7};
  result.hosts = {"a", "b", "a"};
  result.sync_timeout = 1min;
  return result;
}

BarrierTasksReady ready(int exec_id, std::uint16_t port = 0) {
  return {StageId{5}, 2, exec_id, port};
}

BarrierArrived arrived(int task, const std::string& message) {
  return {StageId{5}, 2, {{task, 0, BarrierCall::ALL_GATHER, message}}};
}

/// "7: 0 2 x y z" for each message to executors.
std::string text_of(const TellBarriers& told) {
  std::string result;
  for (const auto& x : told) {
    result += result.empty() ? "" : "; ";
    std::string whom;
    for (auto exec_id : x.exec_ids)
      whom += (whom.empty() ? "" : " ") + std::to_string(exec_id);
    result += whom + ':';
    const auto* passed = std::get_if<BarrierPassed>(&x.message);
    if (passed == nullptr) {
      result += " begin";
      continue;
    }
    result += passed->tasks.empty() ? " all" : "";
    for (auto task : passed->tasks)
      result += ' ' + std::to_string(task);
    for (const auto& message : passed->messages)
      result += ' ' + message;
    if (!passed->error.empty())
      result += ' ' + passed->error;
  }
  return result;
}

} // namespace

TEST_CASE("no task of an attempt begins before all executors have theirs",
          "[barrier]") {
  BarrierAttempt attempt{three_tasks()};
  CHECK(attempt.ready(ready(7, 4711)).empty());
  CHECK(attempt.ready(ready(7, 4712)).empty());
  CHECK(attempt.ready(ready(9)).empty());
  auto begin = attempt.ready(ready(4));
  CHECK(text_of(begin) == "4 7: begin");
  const auto& message = std::get<BarrierTasksMayBegin>(begin.front().message);
  CHECK(message.hosts == std::vector<std::string>{"a", "b", "a"});
  CHECK(message.port == 4711);
  CHECK(attempt.ready(ready(4)).empty());
}

TEST_CASE("all executors are told at once what all tasks have said",
          "[barrier]") {
  BarrierAttempt attempt{three_tasks()};
  CHECK(attempt.arrive({}, arrived(2, "z")).empty());
  CHECK(attempt.due() == Instant{1min});
  CHECK(attempt.arrive({}, arrived(0, "x")).empty());
  CHECK(text_of(attempt.arrive({}, arrived(1, "y"))) == "4 7: all x y z");
  CHECK_FALSE(attempt.due());
}

TEST_CASE("arrivals of one message are as good as one after the other",
          "[barrier]") {
  BarrierAttempt attempt{three_tasks()};
  CHECK(attempt.arrive({}, arrived(1, "y")).empty());
  auto two = arrived(2, "z");
  two.arrivals.push_back(arrived(0, "x").arrivals.front());
  CHECK(text_of(attempt.arrive({}, two)) == "4 7: all x y z");
  // Who comes behind a wrong call hears of it as well.
  auto wrong = arrived(2, "z");
  wrong.arrivals.push_back({1, 1, BarrierCall::BARRIER, {}});
  for (auto& x : wrong.arrivals)
    x.epoch = 1;
  wrong.arrivals.push_back({0, 1, BarrierCall::BARRIER, {}});
  std::string why
      = "different calls at one barrier: ALL_GATHER by task 2, BARRIER by "
        "task 1: barrier number 2 of barrier stage 'train' (attempt 2)";
  CHECK(text_of(attempt.arrive({}, wrong))
        == "4 7: 1 2 " + why + "; 7: 0 " + why);
}

TEST_CASE("who waits in vain is told why, with the names of the stage and the "
          "tasks",
          "[barrier]") {
  BarrierAttempt attempt{three_tasks()};
  (void)attempt.arrive({}, arrived(0, "x"));
  (void)attempt.arrive({}, arrived(2, "z"));
  CHECK(attempt.look(Instant{59s}).empty());
  CHECK(text_of(attempt.look(Instant{1min}))
        == "7: 0 2 task 1 did not come within 60 s to where tasks 0 and 2 "
           "wait: barrier number 1 of barrier stage 'train' (attempt 2)");
  BarrierAttempt other{three_tasks()};
  (void)other.arrive({}, arrived(0, "x"));
  CHECK(text_of(other.task_finished(1))
        == "7: 0 task 1 has ended, and task 0 waits: barrier number 1 of "
           "barrier stage 'train' (attempt 2)");
}

TEST_CASE("what cannot be of the attempt changes nothing", "[barrier]") {
  BarrierAttempt attempt{three_tasks()};
  CHECK(attempt.arrive({}, arrived(3, "x")).empty());
  CHECK(attempt.arrive({}, arrived(-1, "x")).empty());
  CHECK(attempt.task_finished(3).empty());
  CHECK_FALSE(attempt.due());
}

} // namespace stoker
