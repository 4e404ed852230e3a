// The ledger of what workers have: scheduling/placement/capacity.hpp.

#include "scheduling/placement/capacity.hpp"

#include <deque>
#include <random>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace stoker {

/// Breaks a ledger, to see whether it notices.
struct CapacityTestAccess {
  static WorkerAccount& account(Capacity& x, WorkerKey key) {
    return x.accounts_.at(key);
  }
};

} // namespace stoker

namespace {

constexpr WorkerKey a{1};
constexpr WorkerKey b{2};

struct CapacityFixture {
  Capacity x{WorkerSelectionPolicy{}};

  void add(WorkerKey key, int cores = 4, std::int64_t memory_mb = 4096,
           WorkerState state = WorkerState::ALIVE) {
    x.add(key, WorkerId{"w" + std::to_string(static_cast<int>(key))},
          {cores, memory_mb}, {{"gpu", {"0", "1"}}}, {ProgramKind{}}, state);
  }
};

} // namespace

TEST_CASE_METHOD(CapacityFixture,
                 "what is taken is used until it is given back", "[owners]") {
  add(a);
  auto shares = x.take(a, {1, 1024}, {{{"gpu", 1}}, {}}, 2);
  REQUIRE(shares.size() == 2);
  CHECK(shares[0] != shares[1]);
  CHECK(x.account(a).used == ExecutorSize{2, 2048});
  CHECK(x.account(a).free() == ExecutorSize{2, 2048});
  CHECK_FALSE(x.has_room(a, {1, 1024}, {{{"gpu", 1}}, {}}));
  CHECK(x.has_room(a, {1, 1024}, {}));
  x.give_back(a, {{1, 1024}, shares[0]});
  CHECK(x.has_room(a, {1, 1024}, {{{"gpu", 1}}, {}}));
  x.give_back(a, {{1, 1024}, shares[1]});
  CHECK(x.account(a).used == ExecutorSize{0, 0});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE_METHOD(CapacityFixture,
                 "what a worker could hold is asked of those that take part",
                 "[owners]") {
  auto version = x.workers_version();
  x.add(a, WorkerId{"large"}, {8, 8192}, {}, {ProgramKind{}},
        WorkerState::ALIVE);
  add(b);
  CHECK(x.workers_version() != version);
  CHECK(x.could_hold({8, 8192}, {}));
  CHECK_FALSE(x.could_hold({8, 8192}, {{{"gpu", 1}}, {}}));
  CHECK(x.could_hold({4, 4096}, {{{"gpu", 2}}, {}}));
  CHECK_FALSE(x.could_hold({4, 4096}, {{{"gpu", 3}}, {}}));
  CHECK_FALSE(x.could_hold({4, 4096}, {{{"fpga", 1}}, {}}));
  version = x.workers_version();
  // What is taken makes no difference.
  REQUIRE(x.take(b, {{4, 4096}, {{"gpu", {"0", "1"}}}}));
  CHECK(x.could_hold({4, 4096}, {{{"gpu", 2}}, {}}));
  CHECK(x.workers_version() == version);
  x.set_state(b, WorkerState::UNKNOWN);
  CHECK(x.could_hold({4, 4096}, {{{"gpu", 2}}, {}}));
  CHECK(x.workers_version() == version);
  x.set_state(b, WorkerState::DEAD);
  CHECK_FALSE(x.could_hold({4, 4096}, {{{"gpu", 2}}, {}}));
  CHECK(x.workers_version() != version);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE_METHOD(CapacityFixture,
                 "a census of named resources counts who has them free",
                 "[owners]") {
  x.keep_census({2, 1024});
  x.add(a, WorkerId{"large"}, {16, 8192}, {}, {ProgramKind{}},
        WorkerState::ALIVE);
  add(b);
  CHECK(x.census({}).usable() == 2);
  CHECK(x.census_with({{{"gpu", 2}}, {}}).usable() == 1);
  CHECK(x.census_with({{{"gpu", 2}}, {}}).usable(16) == 0);
  CHECK(x.census_with({{{"gpu", 3}}, {}}).usable() == 0);
  REQUIRE(x.take(b, {{1, 1}, {{"gpu", {"0"}}}}));
  CHECK(x.census_with({{{"gpu", 2}}, {}}).usable() == 0);
  CHECK(x.census_with({{{"gpu", 1}}, {}}).usable() == 1);
}

TEST_CASE_METHOD(CapacityFixture,
                 "a program of Spark's finds the workers that have its release",
                 "[owners][spark]") {
  const ProgramKind old{SparkRelease{3, 5}};
  const ProgramKind recent{SparkRelease{4, 1}};
  const ProgramKind other;
  x.keep_census({1, 1});
  add(a);
  x.add(b, WorkerId{"both"}, {8, 8192}, {{"gpu", {"0"}}}, {other, old},
        WorkerState::ALIVE);
  x.add(WorkerKey{3}, WorkerId{"only"}, {16, 1024}, {{"gpu", {"0"}}},
        {old, recent}, WorkerState::ALIVE);
  CHECK(x.giving().size() == 3);
  CHECK(x.free_with({}).size() == 2);
  CHECK(x.free_with({{{"gpu", 1}}, other}).size() == 2);
  CHECK(x.free_with({{}, old}).size() == 2);
  CHECK(x.free_with({{{"gpu", 1}}, old}).size() == 2);
  CHECK(x.free_with({{}, recent}).size() == 1);
  CHECK(x.free_with({{}, SparkRelease{2, 4}}).empty());
  CHECK_FALSE(x.has_room(a, {1, 1}, {{}, old}));
  CHECK(x.has_room(b, {1, 1}, {{}, old}));
  CHECK_FALSE(x.has_room(b, {1, 1}, {{}, recent}));
  CHECK(x.has_room(WorkerKey{3}, {1, 1}, {{}, recent}));
  CHECK_FALSE(x.has_room(WorkerKey{3}, {1, 1}, {}));
  CHECK_FALSE(x.could_hold({16, 1024}, {}));
  CHECK(x.could_hold({16, 1024}, {{}, old}));
  CHECK_FALSE(x.could_hold({1, 4096}, {{{"gpu", 1}}, recent}));
  CHECK_FALSE(x.could_hold({1, 1}, {{}, SparkRelease{2, 4}}));
  CHECK(x.slots({{4, 1024}, {}}, 100) == 3);
  CHECK(x.slots({{4, 1024}, {{}, old}}, 100) == 3);
  CHECK(x.slots_in_all({{1, 1024}, {{}, recent}}, 100) == 1);
  CHECK(x.census(other).usable() == 2);
  CHECK(x.census(recent).usable() == 1);
  CHECK(x.census(SparkRelease{2, 4}).usable() == 0);
  CHECK(x.census_with({{{"gpu", 1}}, old}).usable() == 2);
  // All count, whatever they run.
  CHECK(x.alive().cores == 28);
  // Spark is not used up, and is given to nobody.
  auto shares = x.take(b, {1, 1024}, {{}, old}, 3);
  CHECK(shares == std::vector<ResourceAddresses>(3));
  CHECK(x.has_room(b, {5, 1024}, {{}, old}));
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE_METHOD(CapacityFixture, "a worker may run other programs later",
                 "[owners][spark]") {
  const ProgramKind old{SparkRelease{3, 5}};
  x.keep_census({1, 1});
  x.add(a, WorkerId{"w"}, {4, 4096}, {{"gpu", {"0"}}}, {old},
        WorkerState::ALIVE);
  auto held = x.take(a, {1, 1024}, {{{"gpu", 1}}, old}, 1);
  auto version = x.workers_version();
  x.set_kinds(a, {old});
  CHECK(x.workers_version() == version);
  x.set_kinds(a, {ProgramKind{}, SparkRelease{4, 1}});
  CHECK(x.workers_version() != version);
  CHECK_FALSE(x.invariant_violation());
  CHECK(x.free_with({{}, old}).empty());
  CHECK(x.free_with({{{"gpu", 1}}, old}).empty());
  CHECK(x.totals(old).empty());
  CHECK(x.census(old).usable() == 0);
  CHECK_FALSE(x.could_hold({1, 1}, {{{"gpu", 1}}, old}));
  CHECK(x.free_with({}).size() == 1);
  CHECK(x.could_hold({4, 4096}, {{{"gpu", 1}}, SparkRelease{4, 1}}));
  // What it has given stays given.
  CHECK(x.account(a).used == ExecutorSize{1, 1024});
  x.give_back(a, {{1, 1024}, held.front()});
  CHECK(x.has_room(a, {4, 4096}, {{{"gpu", 1}}, {}}));
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE_METHOD(CapacityFixture, "what there is no room for changes nothing",
                 "[owners]") {
  add(a);
  CHECK(x.take(a, {{4, 1024}, {{"gpu", {"0"}}}}));
  CHECK_FALSE(x.take(a, {{1, 1024}, {}}));
  CHECK_FALSE(x.take(a, {{0, 1024}, {{"gpu", {"0"}}}}));
  CHECK_FALSE(x.take(a, {{0, 9999}, {}}));
  CHECK(x.account(a).used == ExecutorSize{4, 1024});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE_METHOD(CapacityFixture, "only ALIVE workers give something",
                 "[owners]") {
  add(a);
  add(b);
  CHECK(x.alive().cores == 8);
  CHECK(x.giving().size() == 2);
  x.set_state(a, WorkerState::UNKNOWN);
  CHECK(x.alive().cores == 4);
  CHECK(x.giving().size() == 1);
  CHECK(x.totals({}).size() == 2);
  x.set_state(a, WorkerState::DEAD);
  CHECK(x.totals({}).size() == 1);
  x.remove(a);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE_METHOD(CapacityFixture, "a ledger notices an entry that is wrong",
                 "[owners]") {
  add(a);
  (void)x.take(a, {1, 1024}, {}, 1);
  REQUIRE_FALSE(x.invariant_violation());
  auto& account = CapacityTestAccess::account(x, a);
  SECTION("less than nothing is used") {
    account.used.cores = -1;
  }
  SECTION("more is used than there is") {
    account.used.memory_mb = 9999;
  }
  SECTION("less is used than was taken") {
    account.used = {0, 0};
  }
  SECTION("a worker gives nothing any more, and is still found") {
    account.state = WorkerState::DEAD;
  }
  SECTION("a worker has more than it said") {
    account.total.cores = 5;
  }
  CHECK(x.invariant_violation());
}

TEST_CASE_METHOD(CapacityFixture,
                 "whatever is taken and given back, the sums agree",
                 "[owners][property]") {
  std::mt19937 random{1};
  add(a, 16, 16384);
  add(b, 8, 8192);
  struct Held {
    WorkerKey worker;
    Allotment what;
  };
  std::deque<Held> held;
  for (int i = 0; i < 5'000; ++i) {
    auto key = random() % 2 == 0 ? a : b;
    if (random() % 2 == 0) {
      ExecutorSize size{static_cast<int>(random() % 4),
                        static_cast<std::int64_t>(random() % 4096)};
      Requirements needs;
      if (random() % 3 == 0)
        needs.named["gpu"] = 1;
      if (x.has_room(key, size, needs))
        held.push_back({key, {size, x.take(key, size, needs, 1).front()}});
    } else if (!held.empty()) {
      auto i_back = random() % held.size();
      x.give_back(held[i_back].worker, held[i_back].what);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(i_back));
    }
    REQUIRE_FALSE(x.invariant_violation());
    ExecutorSize sum{0, 0};
    for (const auto& y : held)
      if (y.worker == a)
        sum = {sum.cores + y.what.size.cores,
               sum.memory_mb + y.what.size.memory_mb};
    REQUIRE(x.account(a).used == sum);
  }
}
