// What one step stores: scheduling/master/change_set.hpp.

#include "scheduling/master/change_set.hpp"

#include "scheduling/master/cluster_state.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

struct ChangeSetFixture {
  ClusterState state{ClusterConfig{}};

  WorkerKey add_worker(const std::string& name) {
    StoredWorker x;
    x.id = WorkerId{name};
    x.endpoint = EndpointId{name};
    return state.workers.add(x);
  }
};

} // namespace

TEST_CASE_METHOD(ChangeSetFixture,
                 "a record is stored once a step, as it is at its end",
                 "[owners]") {
  auto a = add_worker("a");
  ChangeSet x{true};
  x.touch(a);
  state.workers.edit(a).stored.cores = 4;
  x.touch(a);
  state.workers.edit(a).stored.cores = 8;
  auto changes = std::move(x).finish(state, {});
  REQUIRE(changes.size() == 1);
  CHECK(std::get<StoredWorker>(changes.front()).cores == 8);
}

TEST_CASE_METHOD(ChangeSetFixture,
                 "a worker that has to report is stored as it was",
                 "[owners]") {
  auto a = add_worker("a");
  auto b = add_worker("b");
  state.workers.edit(a).stored.state = WorkerState::UNKNOWN;
  state.workers.edit(b).stored.state = WorkerState::DEAD;
  ChangeSet x{true};
  x.touch(a);
  x.touch(b);
  auto changes = std::move(x).finish(state, {});
  // A dead one is erased, which is recorded when it dies.
  REQUIRE(changes.size() == 1);
  CHECK(std::get<StoredWorker>(changes.front()).state == WorkerState::ALIVE);
}

TEST_CASE_METHOD(ChangeSetFixture, "what was recorded stands first, in order",
                 "[owners]") {
  auto a = add_worker("a");
  ChangeSet x{true};
  x.touch(a);
  x.touch_counters();
  x.record(EraseWorker{WorkerId{"b"}, {}});
  x.record(EraseWorker{WorkerId{"c"}, {}});
  auto changes = std::move(x).finish(state, {});
  REQUIRE(changes.size() == 4);
  CHECK(std::get<EraseWorker>(changes[0]).id == WorkerId{"b"});
  CHECK(std::get<EraseWorker>(changes[1]).id == WorkerId{"c"});
  CHECK(std::holds_alternative<StoredCounters>(changes[2]));
  CHECK(std::holds_alternative<StoredWorker>(changes[3]));
}

TEST_CASE_METHOD(ChangeSetFixture,
                 "where nothing is stored, nothing is gathered", "[owners]") {
  auto a = add_worker("a");
  ChangeSet x{false};
  x.touch(a);
  x.touch_counters();
  x.record(EraseWorker{WorkerId{"b"}, {}});
  CHECK(std::move(x).finish(state, {}).empty());
}
