// A worker's decisions as traces that people can read: golden/*.txt. The
// commands are explained in worker_trace.hpp.

#include <string>

#include "tests/scheduling/worker/worker_trace.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"

using namespace stoker::test;

namespace {

void check(const std::string& name) {
  WorkerTrace trace;
  check_golden(STOKER_TEST_DATA "/golden/" + name + ".txt",
               [&](const std::string& line) { return trace.run(line); });
}

} // namespace

TEST_CASE("an executor's states are reported until they are acknowledged",
          "[worker][golden]") {
  check("executors");
}

TEST_CASE("what happens without a master is told to the next one",
          "[worker][golden]") {
  check("reconnection");
}

TEST_CASE("a supervised driver is started again, with a growing pause",
          "[worker][golden]") {
  check("drivers");
}

TEST_CASE("a driver that fails too often is not started again",
          "[worker][golden]") {
  check("restart_limit");
}

TEST_CASE("a worker that stops says so first and ends what it runs",
          "[worker][golden]") {
  check("stopping");
}

TEST_CASE("a worker registers with the active master and sends heartbeats",
          "[worker][golden]") {
  check("registration");
}

TEST_CASE("a worker goes on with what its dead predecessor ran",
          "[worker][golden]") {
  check("restart");
}

TEST_CASE("what executors write is served until their application ends",
          "[worker][golden]") {
  check("outputs");
}

TEST_CASE("the directories of the last applications and drivers are kept",
          "[worker][golden]") {
  check("directories");
}
