// Which tasks of an executor begin: executor/task_queue.hpp.

#include "executor/task_queue.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using stoker::executor::TaskKind;
using stoker::executor::TaskQueue;

namespace {

constexpr StageId small{0};
constexpr StageId large{1};
constexpr StageId function{2};

TaskAttempt task(StageId stage, int number) {
  return {stage, number, 0};
}

/// Of three cores; tasks of one stage take two, those of another one are functions.
struct Queue : TaskQueue {
  Queue() : TaskQueue(3) {
    know(small, 1);
    know(large, 2);
    know(function, 1, TaskKind::function);
  }

  void put(StageId stage, int number) {
    add({task(stage, number), {}, ""});
  }

  void put_held(StageId stage, int number) {
    hold({task(stage, number), {}, ""});
  }

  /// The numbers of those that begin now.
  std::vector<int> begun() {
    std::vector<int> result;
    while (auto x = next())
      result.push_back(x->id.task);
    return result;
  }
};

using Numbers = std::vector<int>;

} // namespace

TEST_CASE("tasks of one core are all sent to the slots", "[executor]") {
  Queue queue;
  for (int i = 0; i < 5; ++i)
    queue.put(small, i);
  CHECK(queue.begun() == Numbers{0, 1, 2, 3, 4});
}

TEST_CASE("tasks of several cores begin when there is room for them",
          "[executor]") {
  Queue queue;
  queue.put(large, 0);
  queue.put(large, 1);
  queue.put(small, 2);
  CHECK(queue.begun() == Numbers{0});
  queue.ended(task(large, 0));
  // And the next one beside it.
  CHECK(queue.begun() == Numbers{1, 2});
}

TEST_CASE("programs and functions wait for each other's cores", "[executor]") {
  Queue queue;
  for (int i = 0; i < 5; ++i)
    queue.put(small, i);
  for (int i = 5; i < 10; ++i)
    queue.put(function, i);
  CHECK(queue.begun() == Numbers{0, 1, 2, 3, 4});
  // With two programs left there is a core for a function.
  for (int i = 0; i < 2; ++i)
    queue.ended(task(small, i));
  CHECK(queue.begun().empty());
  queue.ended(task(small, 2));
  CHECK(queue.begun() == Numbers{5});
  queue.ended(task(small, 3));
  CHECK(queue.begun() == Numbers{6});
  queue.ended(task(small, 4));
  // All that are there are of one kind.
  CHECK(queue.begun() == Numbers{7, 8, 9});
}

TEST_CASE("tasks begin in the order in which they came", "[executor]") {
  Queue queue;
  for (int i = 0; i < 3; ++i)
    queue.put(small, i);
  queue.put(large, 3);
  queue.put(small, 4);
  CHECK(queue.begun() == Numbers{0, 1, 2});
  queue.ended(task(small, 0));
  CHECK(queue.begun().empty());
  queue.ended(task(small, 1));
  CHECK(queue.begun() == Numbers{3});
  queue.ended(task(small, 2));
  CHECK(queue.begun() == Numbers{4});
}

TEST_CASE("tasks that wait are taken out, and given back from the end",
          "[executor]") {
  Queue queue;
  for (int i = 0; i < 5; ++i)
    queue.put(large, i);
  CHECK(queue.begun() == Numbers{0});
  CHECK(queue.take(task(large, 2)));
  CHECK_FALSE(queue.take(task(large, 2)));
  // It is not here any more.
  CHECK_FALSE(queue.take(task(large, 0)));
  CHECK(queue.take_back(2)
        == std::vector<TaskAttempt>{task(large, 4), task(large, 3)});
  CHECK(queue.take_back(2) == std::vector<TaskAttempt>{task(large, 1)});
  CHECK(queue.take_back(2).empty());
}

TEST_CASE("nobody begins on the cores of tasks that are held", "[executor]") {
  Queue queue;
  for (int i = 0; i < 2; ++i)
    queue.put_held(small, i);
  for (int i = 2; i < 5; ++i)
    queue.put(small, i);
  // There are three cores.
  CHECK(queue.begun() == Numbers{2});
  queue.ended(task(small, 2));
  CHECK(queue.begun() == Numbers{3});
  CHECK(queue.release(small, 1).empty());
  CHECK(queue.release(small, 0)
        == std::vector<TaskAttempt>{task(small, 0), task(small, 1)});
  // First those that have cores.
  CHECK(queue.begun() == Numbers{0, 1, 4});
  CHECK(queue.release(small, 0).empty());
}

TEST_CASE("tasks that are held are taken out, and not given back",
          "[executor]") {
  Queue queue;
  queue.put_held(large, 0);
  queue.put(large, 1);
  queue.put(large, 2);
  CHECK(queue.begun().empty());
  CHECK(queue.take_back(3)
        == std::vector<TaskAttempt>{task(large, 2), task(large, 1)});
  queue.put(large, 3);
  CHECK(queue.begun().empty());
  CHECK(queue.take(task(large, 0)));
  CHECK_FALSE(queue.take(task(large, 0)));
  CHECK(queue.release(large, 0).empty());
  CHECK(queue.begun() == Numbers{3});
}

TEST_CASE("what is held of a stage goes with it", "[executor]") {
  Queue queue;
  queue.put_held(large, 0);
  queue.put_held(function, 0);
  queue.put(small, 1);
  queue.forget(large);
  // The core of the other one is kept.
  CHECK(queue.begun() == Numbers{1});
  CHECK(queue.release(large, 0).empty());
  CHECK(queue.release(function, 0).size() == 1);
}

TEST_CASE("an end that nobody knows changes nothing", "[executor]") {
  Queue queue;
  queue.put(large, 0);
  queue.put(large, 1);
  CHECK(queue.begun() == Numbers{0});
  queue.ended(task(large, 7));
  CHECK(queue.begun().empty());
}
