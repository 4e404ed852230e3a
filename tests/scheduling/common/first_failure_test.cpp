// Which instance failed first for good.

#include "scheduling/common/first_failure.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE(
    "the first failure is that of the instance which failed first for good",
    "[first_failure]") {
  using Attempts = std::vector<EndedAttempt>;
  constexpr auto exited = ExecutorState::EXITED;
  CHECK_FALSE(first_failure(Attempts{}));
  CHECK_FALSE(first_failure(Attempts{{0, exited, 0}}));
  CHECK(first_failure(Attempts{{1, exited, 4}, {0, exited, 3}}) == 4);
  // Instance 1 was started again.
  CHECK(first_failure(Attempts{{1, exited, 4}, {0, exited, 3}, {1, exited, 5}})
        == 3);
  CHECK(first_failure(Attempts{{1, exited, 4}, {1, exited, 0}, {0, exited, 3}})
        == 3);
  // Of these no command is to blame.
  CHECK_FALSE(first_failure(Attempts{{0, ExecutorState::KILLED, std::nullopt},
                                     {1, ExecutorState::LOST, std::nullopt}}));
  // The command was not found.
  CHECK(first_failure(Attempts{{0, ExecutorState::FAILED, 127}}) == 127);
}
