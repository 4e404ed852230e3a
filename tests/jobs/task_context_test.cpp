// What a function knows of its task, and what is read side by side.

#include <atomic>
#include <stdexcept>

#include "jobs/datasets.hpp"
#include "jobs/sources.hpp"
#include "jobs/stage_function.hpp"
#include "jobs/task_context.hpp"
#include "jobs/terminals.hpp"
#include "tests/jobs/memory_runner.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

using Int = std::int64_t;

template <class T>
T result_of(Result<T> x) {
  INFO((x ? "" : x.error().message));
  REQUIRE(x);
  return *std::move(x);
}

constexpr auto partition_of_task
    = [](Int) { return task_context().partition(); };

std::atomic<int> number_made{0};

Int count_made(Int x) {
  ++number_made;
  return x;
}

/// Has no end.
struct Forever {
  struct Iterator {
    Int x = 0;
    Int operator*() const {
      return x;
    }
    Iterator& operator++() {
      ++x;
      return *this;
    }
    bool operator!=(const Iterator&) const {
      return true;
    }
  };

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): of a range
  [[nodiscard]] Iterator begin() const {
    return {};
  }
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): of a range
  [[nodiscard]] Iterator end() const {
    return {};
  }
};

/// Counts what an operator makes of a range.
template <class Op>
struct EndingTask {
  MemoryTask task;
  StageProgram program;
  TaskInputs inputs;

  explicit EndingTask(Int end) {
    program.nodes = {{registered<ReadRange>(), {}, {}, -1},
                     {registered<Op>(), {}, {0}, -1},
                     {registered<Count<Int>>(), {}, {1}, -1}};
    inputs.sources = {{0, 0, -1, to_bytes(RangeShare{0, end})}};
  }

  Status run() {
    task.argument_bytes = to_bytes(program);
    task.launch.text = to_bytes(inputs);
    return run_stage(task);
  }
};

struct InOneProcess {
  std::shared_ptr<MemoryRunner> runner = std::make_shared<MemoryRunner>();
  Datasets datasets{runner};
};

/// That its own functions tell to end.
MemoryTask* ending_task = nullptr;

bool end_at_1000(const Int& x) {
  if (x == 1'000)
    ending_task->stop.request_stop();
  return true;
}

Forever forever_after_end(Int) {
  ending_task->stop.request_stop();
  return {};
}

void emit_after_end(Int, Emit<Int>& emit) {
  ending_task->stop.request_stop();
  while (emit(1)) {
  }
}

Int wait_for_end(Int x) {
  ending_task->stop.request_stop();
  while (!task_context().ending()) {
  }
  return x;
}

template <class Op>
void check_that_it_ends(Int numbers) {
  EndingTask<Op> x{numbers};
  ending_task = &x.task;
  auto status = x.run();
  REQUIRE(!status);
  CHECK(status.error().message == "the task was told to end");
}

} // namespace

TEST_CASE_METHOD(InOneProcess, "a function knows which task it is part of") {
  CHECK(result_of(datasets.range(0, 3, 3).map(partition_of_task).collect())
        == std::vector{0, 1, 2});
  auto united = datasets.range(0, 1, 1).union_with(datasets.range(0, 2, 2));
  CHECK(result_of(united.map(partition_of_task).collect())
        == std::vector{0, 1, 2});
  auto told = result_of(
      datasets.range(0, 1, 1)
          .map([](Int) {
            const auto& x = task_context();
            return std::tuple{x.stage() >= 0, x.attempt(), x.ending()};
          })
          .first());
  CHECK(told == std::tuple{true, 0, false});
  CHECK(task_context().partition() == -1);
  CHECK(task_context().stage() == -1);
  CHECK(!task_context().ending());
}

TEST_CASE("whatever makes elements without end, ends with its task") {
  constexpr auto no_end = std::int64_t{1} << 62;
  check_that_it_ends<
      Filter<Int, std::remove_const_t<decltype(fn<&end_at_1000>)>>>(no_end);
  check_that_it_ends<FlatMapRange<
      Int, Int, std::remove_const_t<decltype(fn<&forever_after_end>)>>>(1);
  check_that_it_ends<FlatMapEmit<
      Int, Int, std::remove_const_t<decltype(fn<&emit_after_end>)>>>(1);
  check_that_it_ends<
      Map<Int, std::remove_const_t<decltype(fn<&wait_for_end>)>>>(1);
}

TEST_CASE_METHOD(InOneProcess, "what is zipped is read side by side") {
  number_made = 0;
  auto numbers = datasets.range(0, 1'000'000, 1);
  auto both = result_of(numbers.zip(numbers.map(fn<&count_made>)));
  CHECK(result_of(both.take(2))
        == std::vector<std::pair<Int, Int>>{{0, 0}, {1, 1}});
  CHECK(number_made < 1'000);
  auto sum = result_of(
      both.map([](std::pair<Int, Int> x) { return x.first - x.second; })
          .filter([](Int x) { return x != 0; })
          .count());
  CHECK(sum == 0);
  CHECK(number_made >= 1'000'000);
}

TEST_CASE_METHOD(InOneProcess, "zips of zips, and their ends") {
  auto numbers = datasets.range(0, 2'000, 2);
  auto both = result_of(numbers.zip(numbers));
  auto four = result_of(both.zip(both));
  CHECK(result_of(four.count()) == 2'000);
  CHECK(result_of(four.take(1)).size() == 1);
  // The function of the second one knows its task, too.
  auto partitions = result_of(numbers.zip(numbers.map(partition_of_task)));
  CHECK(result_of(partitions.values().collect()).back() == 1);
  auto longer = result_of(numbers.zip(datasets.range(0, 4'000, 2))).count();
  REQUIRE(!longer);
  CHECK(longer.error().message.find("has 1000 and 2000 elements")
        != std::string::npos);
  auto shorter = result_of(datasets.range(0, 4'000, 2).zip(numbers)).count();
  REQUIRE(!shorter);
  CHECK(shorter.error().message.find("has 2000 and 1000 elements")
        != std::string::npos);
  auto failing = result_of(numbers.zip(numbers.map([](Int x) {
                   if (x == 700)
                     throw std::runtime_error{"no more than 700"};
                   return x;
                 }))).count();
  REQUIRE(!failing);
  CHECK(failing.error().message == "the function threw: no more than 700");
}
