#include "scheduling/allocation/load_of_instances.hpp"

#include "tests/scheduling/allocation/heard_manager.hpp"
#include "tests/support/catch.hpp"

namespace stoker {

namespace {

/// An application of instances whose news reach an allocation manager.
class CountedRun {
public:
  explicit CountedRun(int count, bool keep_going = false)
      : load_(Instances{count, 0, keep_going, {}}) {
    manager_.hear(load_.begin());
  }

  void added(int exec_id, int index) {
    ExecutorAdded x;
    x.id = exec_id;
    x.index = index;
    manager_.hear(load_.after(x));
  }

  void updated(int exec_id, ExecutorState state,
               std::optional<int> exit_status = {}) {
    ExecutorUpdated x;
    x.id = exec_id;
    x.state = state;
    x.exit_status = exit_status;
    manager_.hear(load_.after(x));
  }

  [[nodiscard]] int needed() const {
    return manager_.needed();
  }
  [[nodiscard]] std::int64_t executors() const {
    return manager_.executors();
  }

private:
  LoadOfInstances load_;
  test::HeardManager manager_;
};

} // namespace

TEST_CASE("what is left of instances is what is not done", "[instances]") {
  CountedRun run{3};
  CHECK(run.needed() == 3);
  run.added(0, 0);
  run.updated(0, ExecutorState::RUNNING);
  CHECK(run.executors() == 1);
  CHECK(run.needed() == 3);
  run.updated(0, ExecutorState::EXITED, 0);
  CHECK(run.executors() == 0);
  CHECK(run.needed() == 2);

  SECTION("what a master repeats counts once") {
    run.added(0, 0);
    run.updated(0, ExecutorState::EXITED, 0);
    CHECK(run.executors() == 0);
    CHECK(run.needed() == 2);
  }
  SECTION("one that fails or is killed is left to do") {
    run.added(1, 1);
    run.updated(1, ExecutorState::EXITED, 3);
    CHECK(run.needed() == 2);
    run.added(2, 1);
    run.updated(2, ExecutorState::KILLED, 137);
    CHECK(run.executors() == 0);
    CHECK(run.needed() == 2);
  }
}

TEST_CASE("of an instance that failed while others go on nothing is left to do",
          "[instances]") {
  CountedRun run{2, true};
  run.added(0, 0);
  run.updated(0, ExecutorState::EXITED, 3);
  CHECK(run.executors() == 0);
  CHECK(run.needed() == 1);
}

TEST_CASE("an instance that was lost and comes back is counted as what it is",
          "[instances]") {
  CountedRun run{2};
  run.added(0, 0);
  run.updated(0, ExecutorState::RUNNING);
  run.updated(0, ExecutorState::LOST);
  CHECK(run.executors() == 0);
  CHECK(run.needed() == 2);

  SECTION("it runs again") {
    run.updated(0, ExecutorState::RUNNING);
    CHECK(run.executors() == 1);
    CHECK(run.needed() == 2);
  }
  SECTION("it is done") {
    run.updated(0, ExecutorState::EXITED, 0);
    CHECK(run.executors() == 0);
    CHECK(run.needed() == 1);
  }
  SECTION("it comes back beside the one that took its place") {
    run.added(1, 0);
    run.updated(0, ExecutorState::RUNNING);
    CHECK(run.executors() == 2);
    CHECK(run.needed() == 3);
    run.updated(1, ExecutorState::KILLED, 137);
    CHECK(run.needed() == 2);
    run.updated(0, ExecutorState::EXITED, 1);
    CHECK(run.needed() == 2);
    run.added(2, 0);
    run.updated(2, ExecutorState::EXITED, 0);
    CHECK(run.needed() == 1);
  }
}

} // namespace stoker
