// Which executors are wanted: scheduling/master/wanted_shapes.hpp.

#include "scheduling/master/wanted_shapes.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

constexpr WorkerKey small_worker{1};
constexpr WorkerKey large_worker{2};
constexpr AppKey one{1};
constexpr AppKey two{2};

const ExecutorShape small_shape{{1, 1024}, {}};
const ExecutorShape large_shape{{8, 8192}, {}};

struct WantedShapesFixture {
  Capacity capacity{WorkerSelectionPolicy{}};
  WantedShapes x;

  WantedShapesFixture() {
    capacity.add(small_worker, WorkerId{"small"}, {4, 4096}, {},
                 {ProgramKind{}}, WorkerState::ALIVE);
    (void)x.workers_changed(capacity);
  }
};

} // namespace

TEST_CASE_METHOD(WantedShapesFixture,
                 "an application has one shape, the last one", "[owners]") {
  CHECK(x.set(one, small_shape, capacity));
  CHECK(x.set(one, small_shape, capacity));
  CHECK_FALSE(x.set(one, large_shape, capacity));
  REQUIRE(x.find(one) != nullptr);
  CHECK(*x.find(one) == large_shape);
  CHECK(x.find(two) == nullptr);
  x.erase(one);
  x.erase(one);
  CHECK(x.find(one) == nullptr);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE_METHOD(WantedShapesFixture,
                 "who is affected is told once, when workers come or go",
                 "[owners]") {
  CHECK(x.set(one, small_shape, capacity));
  CHECK_FALSE(x.set(two, large_shape, capacity));
  CHECK(x.workers_changed(capacity).empty());
  capacity.add(large_worker, WorkerId{"large"}, {8, 8192}, {}, {ProgramKind{}},
               WorkerState::ALIVE);
  CHECK(x.workers_changed(capacity) == std::vector<ProgramKey>{two});
  CHECK(x.workers_changed(capacity).empty());
  // One is as well off as before.
  capacity.set_state(small_worker, WorkerState::DEAD);
  CHECK(x.workers_changed(capacity).empty());
  capacity.set_state(large_worker, WorkerState::DEAD);
  CHECK(x.workers_changed(capacity) == std::vector<ProgramKey>{one, two});
  // Whoever could still not be held may want something else now.
  capacity.set_state(small_worker, WorkerState::ALIVE);
  CHECK(x.workers_changed(capacity) == std::vector<ProgramKey>{one, two});
  CHECK_FALSE(x.invariant_violation());
}
