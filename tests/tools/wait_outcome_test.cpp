// What `stoker wait` ends with: tools/stoker/wait_outcome.hpp.

#include "tools/stoker/wait_outcome.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

ProgramEnd good(const std::string& id) {
  ProgramEnd result;
  result.id = id;
  result.state = "FINISHED";
  result.ended = result.succeeded = true;
  return result;
}

ProgramEnd bad(const std::string& id, std::optional<int> exit_status = {}) {
  ProgramEnd result;
  result.id = id;
  result.state = "FAILED";
  result.ended = true;
  result.exit_status = exit_status;
  return result;
}

ProgramEnd open_one(const std::string& id) {
  ProgramEnd result;
  result.id = id;
  result.state = "RUNNING";
  return result;
}

int status_of(const std::vector<ProgramEnd>& ends) {
  return outcome_of(ends).exit_status;
}

} // namespace

TEST_CASE("waiting ends with the first that failed, as it was asked for") {
  CHECK(status_of({good("a"), good("b")}) == 0);
  CHECK(outcome_of({good("a")}).error.empty());
  CHECK(status_of({good("a"), bad("b", 7), bad("c", 9)}) == 7);
  CHECK(status_of({good("a"), bad("b"), bad("c", 9)}) == 1);
  // A command that has ended with 0 is not to blame.
  CHECK(status_of({bad("b", 0)}) == 1);
}

TEST_CASE("what a master has forgotten has ended as its history says") {
  HistoryEntry x;
  x.kind = HistoryKind::driver;
  x.id = "driver-1";
  x.state = "FAILED";
  x.exit_status = 7;
  x.message = "why";
  auto end = end_in_history(x);
  CHECK(line_of(end) == "driver-1 FAILED, exit code 7: why");
  CHECK(status_of({end}) == 7);
  CHECK_FALSE(end.relaunched_as);
  x.state = "FINISHED";
  x.exit_status = 0;
  CHECK(line_of(end_in_history(x)) == "driver-1 FINISHED");
  CHECK(status_of({end_in_history(x)}) == 0);
  x.state = "KILLED";
  x.exit_status.reset();
  CHECK(status_of({end_in_history(x)}) == 143);
}

TEST_CASE("an application in the history failed with what failed in it first "
          "for good") {
  auto executor = [](int number, int instance, const char* state,
                     std::optional<int> exit_status) {
    HistoryEntry result;
    result.kind = HistoryKind::executor;
    result.id = "app-1/" + std::to_string(number);
    result.instance = instance;
    result.state = state;
    result.exit_status = exit_status;
    return result;
  };
  CHECK_FALSE(first_failure({}));
  // Those that ended last come first.
  CHECK(
      first_failure({executor(11, 1, "EXITED", 9), executor(10, 0, "EXITED", 0),
                     executor(3, 2, "EXITED", 4), executor(2, 0, "EXITED", 3)})
      == 4);
  CHECK_FALSE(first_failure({executor(1, 0, "KILLED", std::nullopt)}));
  // What counts is when it ended, and not when it was started.
  auto slow = executor(0, 0, "EXITED", 3);
  auto quick = executor(1, 1, "EXITED", 4);
  slow.ended_ms = 2000;
  quick.ended_ms = 1000;
  CHECK(first_failure({slow, quick}) == 4);
}

TEST_CASE("waiting in vain is told from waiting for what failed") {
  CHECK(status_of({bad("a", 7), open_one("b")}) == 124);
  CHECK(outcome_of({open_one("b")}).error
        == "the time is up, and this has not ended: b");
  ProgramEnd unknown;
  unknown.id = "x";
  CHECK(status_of({open_one("a"), unknown}) == 1);
  CHECK(outcome_of({unknown}).error == "x: not known here, or not any more");
  CHECK(outcome_of({open_one("a"), open_one("b"), open_one("c"), open_one("d"),
                    open_one("e")})
            .error
        == "the time is up, and this has not ended: a, b, c and 2 more");
}

TEST_CASE("a driver that succeeded has ended with 0, for machines") {
  CHECK(with_exit_status(good("driver-1")).exit_status == 0);
  // Of an application nobody knows one.
  CHECK_FALSE(with_exit_status(good("app-1")).exit_status);
  CHECK_FALSE(with_exit_status(bad("driver-1")).exit_status);
  CHECK(with_exit_status(bad("driver-1", 3)).exit_status == 3);
  CHECK_FALSE(with_exit_status(open_one("driver-1")).exit_status);
}

TEST_CASE("the end of a program is one line") {
  CHECK(line_of(good("driver-1")) == "driver-1 FINISHED");
  auto x = bad("driver-1", 3);
  x.message = "exited\nwith code 3";
  x.relaunched_as = DriverId{"driver-2"};
  CHECK(line_of(x)
        == "driver-1 FAILED as driver-2, exit code 3: exited?with code 3");
}
