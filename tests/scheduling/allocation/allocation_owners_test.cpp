// The parts of the AllocationManager, each alone.

#include <string>
#include <vector>

#include "scheduling/allocation/idle_executors.hpp"
#include "scheduling/allocation/index_set.hpp"
#include "scheduling/allocation/locality_counts.hpp"
#include "scheduling/allocation/stage_load.hpp"
#include "scheduling/allocation/steady_time.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Ids = std::vector<int>;

constexpr Instant begin_of_time{};

Ids due_at(IdleExecutors& x, Duration now) {
  x.look(begin_of_time + now);
  return x.first_due(100);
}

constexpr StageAttempt first_run{StageId{1}, 0};
constexpr StageAttempt second_run{StageId{1}, 1};

} // namespace

TEST_CASE("the first of the due ones are those whose ids sort first as text",
          "[allocation]") {
  IdleExecutors x{10s, std::nullopt};
  for (auto id : {100, 9, 20, 10, 2, 1, 0})
    x.add(begin_of_time, id);
  CHECK(due_at(x, 9999ms).empty());
  CHECK(due_at(x, 10s) == Ids{0, 1, 10, 100, 2, 20, 9});
  CHECK(x.first_due(3) == Ids{0, 1, 10});
  CHECK(x.first_due(0).empty());
}

TEST_CASE("cached blocks change how long an executor may be idle, at once",
          "[allocation]") {
  IdleExecutors x{10s, 30s};
  x.add(begin_of_time, 0);
  CHECK(due_at(x, 10s) == Ids{0});
  x.store_block(0, 1, 0);
  CHECK(due_at(x, 10s).empty());
  x.store_block(0, 1, 1);
  x.store_block(0, 2, 0);
  x.drop_block(0, 1, 0);
  x.drop_block(0, 1, 1);
  CHECK(due_at(x, 29s).empty());
  x.drop_dataset(2);
  CHECK(due_at(x, 29s) == Ids{0});
  x.store_block(0, 2, 0);
  CHECK(due_at(x, 29s).empty());
  CHECK(due_at(x, 30s) == Ids{0});
}

TEST_CASE("cached blocks never make the time shorter", "[allocation]") {
  IdleExecutors x{10s, 2s};
  x.add(begin_of_time, 0);
  x.store_block(0, 0, 0);
  CHECK(due_at(x, 9s).empty());
  CHECK(due_at(x, 10s) == Ids{0});
}

TEST_CASE("without a time for them, cached blocks keep an executor for ever",
          "[allocation]") {
  IdleExecutors x{10s, std::nullopt};
  x.add(begin_of_time, 0);
  x.store_block(0, 0, 0);
  CHECK(due_at(x, 1'000'000h).empty());
  x.drop_block(0, 0, 0);
  CHECK(due_at(x, 1'000'000h) == Ids{0});
}

TEST_CASE("an executor is idle from the end of its last task on",
          "[allocation]") {
  IdleExecutors x{10s, std::nullopt};
  x.add(begin_of_time, 0);
  auto serial = x.begin_task(0);
  CHECK(x.begin_task(0) == serial);
  x.end_task(begin_of_time + 1s, 0, serial);
  CHECK(due_at(x, 1h).empty());
  x.end_task(begin_of_time + 1h, 0, serial);
  CHECK(due_at(x, 1h + 9s).empty());
  CHECK(due_at(x, 1h + 10s) == Ids{0});
}

TEST_CASE("blocks go with their executor", "[allocation]") {
  IdleExecutors x{10s, std::nullopt};
  x.add(begin_of_time, 0);
  x.add(begin_of_time, 1);
  x.store_block(0, 0, 0);
  x.store_block(1, 0, 0);
  x.remove(0);
  x.add(begin_of_time, 0);
  CHECK(due_at(x, 10s) == Ids{0});
  x.drop_dataset(0);
  CHECK(due_at(x, 10s) == Ids{0, 1});
}

TEST_CASE("an attempt at a stage counts on its own", "[allocation]") {
  StageLoad x;
  x.submit(first_run, 5);
  CHECK(x.begin_task(first_run, 0, false));
  x.end(first_run);
  x.submit(second_run, 2);
  CHECK(x.pending() == 2);
  CHECK(x.running() == 1);
  x.end_task(first_run);
  CHECK(x.running() == 0);
  CHECK_FALSE(x.begin_task(first_run, 1, false));
  CHECK(x.has_stages());
  x.end(second_run);
  CHECK_FALSE(x.has_stages());
  CHECK_FALSE(x.has_pending());
}

TEST_CASE("a second attempt at a task waits until it begins or is dropped",
          "[allocation]") {
  StageLoad x;
  x.submit(first_run, 2);
  CHECK(x.begin_task(first_run, 0, false));
  CHECK(x.begin_task(first_run, 1, false));
  CHECK(x.want_copy(first_run, 0));
  CHECK(x.want_copy(first_run, 0));
  CHECK(x.want_copy(first_run, 1));
  CHECK(x.pending() == 0);
  CHECK(x.pending_copies() == 2);
  x.drop_copy(first_run, 1);
  CHECK(x.begin_task(first_run, 0, true));
  CHECK(x.pending_copies() == 0);
  CHECK(x.running() == 3);
  x.end(first_run);
  CHECK_FALSE(x.want_copy(first_run, 0));
  CHECK_FALSE(x.want_copy(second_run, 0));
}

TEST_CASE("tasks of a further run keep the numbers that they have in the stage",
          "[allocation]") {
  StageLoad x;
  x.submit(first_run, 2);
  CHECK(x.begin_task(first_run, 7, false));
  CHECK(x.begin_task(first_run, 1'000'000, false));
  CHECK(x.pending() == 0);
  x.give_back(first_run, 7);
  CHECK(x.pending() == 1);
  x.give_back(first_run, 8);
  CHECK(x.pending() == 1);
  CHECK(x.begin_task(first_run, 8, false));
  CHECK(x.begin_task(first_run, 9, false));
  CHECK(x.pending() == 0);
}

TEST_CASE("a set of numbers knows each once", "[allocation]") {
  IndexSet x;
  for (auto i : {0, 1, 1023, 1024, 2'147'483'647, -1}) {
    CHECK(x.insert(i));
    CHECK_FALSE(x.insert(i));
  }
  CHECK(x.size() == 6);
  CHECK(x.erase(1024));
  CHECK_FALSE(x.erase(1024));
  CHECK_FALSE(x.erase(5));
  CHECK_FALSE(x.erase(5000));
  CHECK(x.size() == 5);
  x.clear();
  CHECK(x.size() == 0);
  CHECK(x.insert(0));
}

TEST_CASE(
    "hints of all stages are one sum, which does not change once given out",
    "[allocation]") {
  LocalityCounts x;
  CHECK(*x.total() == LocalityHints{});
  x.set(first_run, {3, {{"a", 2}, {"b", 1}}});
  auto old = x.total();
  x.set(second_run, {1, {{"b", 1}, {"c", 1}}});
  CHECK(*x.total() == LocalityHints{4, {{"a", 2}, {"b", 2}, {"c", 1}}});
  x.set(first_run, {1, {{"c", 1}}});
  CHECK(*x.total() == LocalityHints{2, {{"b", 1}, {"c", 2}}});
  x.erase(second_run);
  x.erase(second_run);
  CHECK(*x.total() == LocalityHints{1, {{"c", 1}}});
  CHECK(*old == LocalityHints{3, {{"a", 2}, {"b", 1}}});
}

TEST_CASE("a steady time stands still while the clock goes back",
          "[allocation]") {
  SteadyTime x;
  auto start = x.at(from_ms(1000));
  CHECK(start == from_ms(1000));
  CHECK(x.at(from_ms(1500)) == start + 500ms);
  CHECK(x.at(from_ms(200)) == start + 500ms);
  CHECK(x.as_given(start + 600ms) == from_ms(300));
  CHECK(x.at(from_ms(300)) == start + 600ms);
  auto far = x.at(Instant::max());
  CHECK(x.at(Instant::min()) == far);
  CHECK(x.at(Instant::max()) >= far);
}
