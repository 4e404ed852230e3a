// How far a run has come: scheduling/application/run_progress.hpp.

#include "scheduling/application/run_progress.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

ExecutorAdded added(int id, int index) {
  ExecutorAdded x;
  x.id = id;
  x.index = index;
  return x;
}

ExecutorUpdated updated(int id, ExecutorState state,
                        std::optional<int> exit_status = {}) {
  ExecutorUpdated x;
  x.id = id;
  x.state = state;
  x.exit_status = exit_status;
  return x;
}

ExecutorUpdated exited(int id, int exit_status) {
  return updated(id, ExecutorState::EXITED, exit_status);
}

} // namespace

TEST_CASE("a run is over when every instance has ended well", "[progress]") {
  RunProgress x{Instances{2}};
  CHECK(x.running() == 0);
  x.added(added(0, 0));
  x.added(added(1, 1));
  x.updated(updated(0, ExecutorState::RUNNING));
  CHECK(x.running() == 2);
  x.updated(exited(0, 0));
  CHECK(x.running() == 1);
  CHECK(x.done() == 1);
  CHECK_FALSE(x.over());
  x.updated(exited(1, 0));
  CHECK(x.over());
  CHECK(x.exit_status() == 0);
  CHECK_FALSE(x.end());
}

TEST_CASE("an instance that failed and then ended well is done", "[progress]") {
  RunProgress x{Instances{1}};
  x.added(added(0, 0));
  x.updated(exited(0, 3));
  CHECK_FALSE(x.over());
  x.added(added(1, 0));
  x.updated(exited(1, 0));
  CHECK(x.over());
  CHECK(x.exit_status() == 0);
}

TEST_CASE("a run ends with the status of the command that failed last",
          "[progress]") {
  RunProgress x{Instances{3}};
  for (int i = 0; i < 3; ++i)
    x.added(added(i, i));
  x.updated(exited(0, 3));
  x.updated(updated(1, ExecutorState::FAILED, 127));
  // Ended by the master because of the other: says nothing about the command.
  x.updated(updated(2, ExecutorState::KILLED, 143));
  x.dead({EndReason::removed, "instance 1 failed"});
  CHECK(x.over());
  REQUIRE(x.end());
  CHECK(x.end()->message == "instance 1 failed");
  CHECK(x.exit_status() == 127);
}

TEST_CASE("a run that ends without any status ends with 1", "[progress]") {
  RunProgress x{Instances{1}};
  x.added(added(0, 0));
  x.updated(updated(0, ExecutorState::LOST));
  x.dead({EndReason::master_lost, "no master"});
  CHECK(x.exit_status() == 1);
}

TEST_CASE(
    "how an instance ended that was started again is not how its run ends",
    "[progress]") {
  // Killed from outside, ended with its worker, failed as it may once.
  for (auto earlier : {137, 143, 9}) {
    INFO(earlier);
    RunProgress x{Instances{1, 1}};
    x.added(added(0, 0));
    x.updated(exited(0, earlier));
    CHECK_FALSE(x.over());
    x.added(added(1, 0));
    x.updated(updated(1, ExecutorState::RUNNING));
    x.updated(updated(1, ExecutorState::KILLED));
    x.dead({EndReason::removed, "killed on request"});
    CHECK(x.exit_status() == 1);
  }
}

TEST_CASE("a run ends with the status of a command that failed too often",
          "[progress]") {
  RunProgress x{Instances{1, 1}};
  x.added(added(0, 0));
  x.updated(exited(0, 9));
  x.added(added(1, 0));
  x.updated(exited(1, 4));
  x.dead({EndReason::removed, "instance 0 exited with code 4"});
  CHECK(x.exit_status() == 4);
}

TEST_CASE(
    "a run whose instances must all succeed goes on until its master says "
    "that it is over",
    "[progress]") {
  RunProgress x{Instances{1}};
  x.added(added(0, 0));
  x.updated(exited(0, 3));
  CHECK(x.failed() == 0);
  CHECK_FALSE(x.over());
  x.dead({EndReason::removed, "instance 0 exited with code 3"});
  CHECK(x.exit_status() == 3);
}

TEST_CASE("hearing of an end twice counts once", "[progress]") {
  RunProgress x{Instances{2}};
  x.added(added(0, 0));
  x.updated(exited(0, 0));
  x.updated(exited(0, 0));
  CHECK(x.done() == 1);
  // Nor does it run again because its start is told again.
  x.added(added(0, 0));
  x.updated(exited(0, 0));
  CHECK(x.done() == 1);
  CHECK(x.running() == 0);
}

TEST_CASE("output is attributed to instances, whoever runs them",
          "[progress]") {
  RunProgress x{Instances{2}};
  x.added(added(5, 1));
  CHECK(x.index_of(5) == 1);
  x.updated(exited(5, 0));
  CHECK(x.index_of(5) == 1);
  CHECK(x.index_of(9) == 9);
  ExecutorAdded without_index;
  without_index.id = 6;
  x.added(without_index);
  CHECK(x.index_of(6) == 6);
}

TEST_CASE("an instance that was lost may have ended well after all",
          "[progress]") {
  RunProgress x{Instances{1}};
  x.added(added(0, 0));
  CHECK(x.updated(updated(0, ExecutorState::LOST)));
  CHECK(x.is_lost(0));
  CHECK(x.running() == 0);
  SECTION("which a master repeats") {
    CHECK_FALSE(x.added(added(0, 0)));
    CHECK_FALSE(x.updated(updated(0, ExecutorState::LOST)));
    CHECK(x.is_lost(0));
  }
  CHECK(x.updated(exited(0, 0)));
  CHECK_FALSE(x.is_lost(0));
  CHECK(x.over());
  CHECK(x.exit_status() == 0);
  CHECK_FALSE(x.updated(exited(0, 0)));
  CHECK(x.done() == 1);
}

TEST_CASE("an instance that was lost may run on", "[progress]") {
  RunProgress x{Instances{1}};
  x.added(added(0, 0));
  x.updated(updated(0, ExecutorState::LOST));
  CHECK(x.updated(updated(0, ExecutorState::RUNNING)));
  CHECK(x.running() == 1);
  CHECK_FALSE(x.is_lost(0));
  CHECK(x.updated(exited(0, 3)));
  CHECK(x.running() == 0);
  CHECK_FALSE(x.over());
}

TEST_CASE("a run that keeps going is over when the last instance is",
          "[progress]") {
  RunProgress x{Instances{3, 1, true, {}}};
  for (int i = 0; i < 3; ++i)
    x.added(added(i, i));
  x.updated(exited(1, 4));
  CHECK(x.failed() == 0);
  x.added(added(3, 1));
  x.updated(exited(3, 5));
  CHECK(x.failed() == 1);
  CHECK(x.has_failed(1));
  CHECK_FALSE(x.over());
  // Another worker could not start it either.
  x.updated(updated(2, ExecutorState::FAILED, 127));
  CHECK(x.failed() == 2);
  // Not its fault: it is started again.
  x.updated(exited(0, 137));
  CHECK_FALSE(x.over());
  x.added(added(4, 0));
  x.updated(exited(4, 0));
  CHECK(x.over());
  CHECK(x.done() == 1);
  CHECK(x.exit_status() == 5);
}
