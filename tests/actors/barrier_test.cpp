// How tasks of a barrier stage begin and wait for each other: the BARRIER COORDINATOR
// and the EXECUTOR, with the other side played by the test.

#include "actors/barrier_coordinator.hpp"
#include "actors/executor.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

using Heard = std::vector<std::string>;

/// What an actor was told.
using HeardBy = std::shared_ptr<Heard>;

constexpr StageId gang_stage{5};
constexpr StageId plain_stage{6};

TaskAttempt gang_task(int number) {
  return {gang_stage, number, 2};
}

ExecutorActor::behavior_type hearing_executor(ExecutorActor::pointer,
                                              const HeardBy& told) {
  return {
      [](const RegisteredExecutor&) {},
      [](const DescribeStage&) {},
      [](const StageOutputs&) {},
      [](const LaunchTasks&) {},
      [](const KillTask&) {},
      [](const ReturnTasks&) {},
      [](const ForgetStages&) {},
      [](const StopExecutor&) {},
      [=](const BarrierTasksMayBegin& x) {
        told->push_back("begin, port " + std::to_string(x.port));
      },
      [=](const BarrierPassed& x) {
        told->push_back(x.error.empty() ? "passed" : x.error);
      },
      [](const TaskEnded&) {},
      [](const FunctionsEnded&) {},
      [](const ExecutorFlush&) {},
      [](const BarrierFlush&) {},
      [](const SendHeartbeat&) {},
  };
}

/// Task 0 runs on executor 7, task 1 on executor 4.
struct CoordinatorFixture : DeterministicSystem {
  HeardBy first = std::make_shared<Heard>();
  HeardBy second = std::make_shared<Heard>();
  BarrierCoordinatorActor coordinator = spawn(
      barrier_coordinator, config(),
      std::map<int, ExecutorActor>{{7, spawn(hearing_executor, first)},
                                   {4, spawn(hearing_executor, second)}});

  static BarrierAttemptConfig config() {
    BarrierAttemptConfig result;
    result.stage = gang_stage;
    result.attempt = 2;
    result.name = "train";
    result.exec_ids = {7, 4};
    result.hosts = {"a", "b"};
    // Longer than the coordinator sleeps at once.
    result.sync_timeout = 25min;
    return result;
  }

  template <class Message>
  void say(const Message& x) {
    caf::anon_send(coordinator, x);
    scheduler.run();
  }

  void arrive(int number, std::int32_t epoch) {
    say(BarrierArrived{
        gang_stage, 2, {{number, epoch, BarrierCall::BARRIER, {}}}});
  }
};

TaskSchedulerActor::behavior_type hearing_driver(TaskSchedulerActor::pointer,
                                                 const HeardBy& told) {
  return {
      [](const RegisterExecutor&) {},
      [=](const ExecutorHeartbeat& x) {
        told->push_back("executor " + std::to_string(x.exec_id) + " is there");
      },
      [=](const StatusUpdates& x) {
        for (const auto& status : x.ended)
          if (status.state != TaskState::FINISHED)
            told->push_back(
                (status.state == TaskState::KILLED ? "killed " : "failed ")
                + std::to_string(status.id.task));
      },
      [=](const BarrierTasksReady& x) {
        told->push_back(x.port > 0 ? "ready, with a port" : "ready");
      },
      [](const BarrierArrived&) {},
      [](const TaskSchedulerInternal&) {},
      [](const SubscribeToLoad&) {},
      [](const LetIdleLeave&) { return std::vector<int>{}; },
      [](const StopTaskScheduler&) { return true; },
  };
}

/// Of two cores. Its tasks are functions that it does not have.
struct ExecutorFixture : DeterministicSystem {
  HeardBy told = std::make_shared<Heard>();
  executor::TaskFunctions functions;
  TaskSchedulerActor driver = spawn(hearing_driver, told);
  ExecutorActor actor
      = spawn(executor_actor, identity(), *ApplicationSecret::make(), driver,
              &functions, [](const ExecutorStopped&) {});

  static executor::ExecutorIdentity identity() {
    executor::ExecutorIdentity result;
    result.exec_id = 7;
    result.cores = 2;
    return result;
  }

  ExecutorFixture() {
    DescribeStage description;
    description.stage = gang_stage;
    description.is_barrier = true;
    description.tasks = 3;
    say(description);
  }

  template <class Message>
  void say(const Message& x) {
    caf::anon_send(actor, x);
    scheduler.run();
  }

  void launch(std::initializer_list<int> numbers) {
    LaunchTasks message;
    for (auto number : numbers)
      message.tasks.push_back({gang_task(number), {}, ""});
    say(message);
  }
};

} // namespace

TEST_CASE_METHOD(CoordinatorFixture,
                 "tasks of an attempt begin when all executors have theirs",
                 "[actors]") {
  say(BarrierTasksReady{gang_stage, 2, 7, 4711});
  CHECK(first->empty());
  say(BarrierTasksReady{gang_stage, 2, 4, 0});
  CHECK(*first == Heard{"begin, port 4711"});
  CHECK(*second == *first);
}

TEST_CASE_METHOD(CoordinatorFixture,
                 "a task that waits goes on when all have come, or the time "
                 "is up",
                 "[actors]") {
  arrive(0, 0);
  // Time counts from the first one that waits at a barrier.
  advance(20min, 1min);
  arrive(1, 0);
  CHECK(*first == Heard{"passed"});
  CHECK(*second == Heard{"passed"});
  arrive(1, 1);
  advance(24min, 1min);
  CHECK(second->size() == 1);
  advance(1min, 1min);
  REQUIRE(second->size() == 2);
  CHECK(second->back()
        == "task 0 did not come within 25 min to where task 1 waits: barrier "
           "number 2 of barrier stage 'train' (attempt 2)");
  // It is too late for good.
  arrive(0, 1);
  CHECK(first->back() == second->back());
  advance(1h, 1min);
  CHECK(pending_timers() == 0);
}

TEST_CASE_METHOD(CoordinatorFixture,
                 "nobody waits for a task that has done what it should",
                 "[actors]") {
  arrive(0, 0);
  say(BarrierFinished{1});
  REQUIRE(first->size() == 1);
  CHECK(first->back().find("task 1 has ended, and task 0 waits") == 0);
  CHECK(second->empty());
}

TEST_CASE_METHOD(CoordinatorFixture,
                 "no timer keeps an attempt for long that is over",
                 "[actors]") {
  arrive(0, 0);
  arrive(1, 0);
  say(BarrierOver{});
  advance(10s, 1s);
  CHECK(pending_timers() == 0);
}

TEST_CASE_METHOD(ExecutorFixture,
                 "tasks of a barrier stage are held until the driver lets them "
                 "begin",
                 "[actors]") {
  launch({1, 2});
  CHECK(*told == Heard{"ready"});
  // Of another attempt.
  say(BarrierTasksMayBegin{gang_stage, 1, {"a", "a", "a"}, 1});
  CHECK(told->size() == 1);
}

TEST_CASE_METHOD(ExecutorFixture,
                 "the executor of the first task offers a port", "[actors]") {
  launch({0, 1});
  CHECK(*told == Heard{"ready, with a port"});
}

TEST_CASE_METHOD(ExecutorFixture,
                 "a task that is told to end while it is held never begins",
                 "[actors]") {
  launch({1, 2});
  say(KillTask{gang_task(1), "another one has failed"});
  say(KillTask{gang_task(2), "another one has failed"});
  CHECK(*told == Heard{"ready", "killed 1", "killed 2"});
  say(BarrierTasksMayBegin{gang_stage, 2, {"a", "a", "a"}, 1});
  CHECK(told->size() == 3);
}

TEST_CASE_METHOD(ExecutorFixture,
                 "what waits begins when a task is told to end that was held",
                 "[actors]") {
  launch({1, 2});
  DescribeStage plain;
  plain.stage = plain_stage;
  say(plain);
  say(LaunchTasks{{{{plain_stage, 0, 0}, {}, ""}}});
  CHECK(*told == Heard{"ready"});
  SECTION("one of them is") {
    say(KillTask{gang_task(2), "another one has failed"});
    CHECK(*told == Heard{"ready", "killed 2", "failed 0"});
  }
  SECTION("nothing of its stage is needed any more") {
    say(ForgetStages{{gang_stage}});
    CHECK(*told == Heard{"ready", "failed 0"});
  }
}

TEST_CASE_METHOD(ExecutorFixture, "a task that is held is not given back",
                 "[actors]") {
  launch({1, 2});
  say(ReturnTasks{2});
  say(KillTask{gang_task(2), "x"});
  CHECK(*told == Heard{"ready", "killed 2"});
}

TEST_CASE_METHOD(ExecutorFixture,
                 "an executor says that it is there as often as its driver "
                 "wants it",
                 "[actors]") {
  advance(1min, 1s);
  CHECK(told->empty());
  say(RegisteredExecutor{10'000});
  advance(9s, 1s);
  CHECK(told->empty());
  advance(1s, 1s);
  CHECK(*told == Heard{"executor 7 is there"});
  // Saying it again changes nothing.
  say(RegisteredExecutor{1'000});
  advance(20s, 1s);
  CHECK(told->size() == 3);
  say(StopExecutor{"the application has ended"});
  advance(20s, 1s);
  CHECK(told->size() == 3);
  CHECK(pending_timers() == 0);
}

TEST_CASE_METHOD(ExecutorFixture,
                 "an executor says nothing that is not to say anything",
                 "[actors]") {
  say(RegisteredExecutor{0});
  CHECK(pending_timers() == 0);
}
