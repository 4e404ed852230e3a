// What is said of output that is no longer kept: messages/missing_attempts.hpp.

#include "messages/missing_attempts.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("one line tells of all attempts in a row whose output is gone") {
  MissingAttempts x;
  CHECK_FALSE(x.take());
  x.add(2, "there is no stdout in 'attempt-2'");
  CHECK(x.take() == "there is no stdout in 'attempt-2'");
  CHECK_FALSE(x.take());
  for (int i = 3; i <= 22; ++i)
    x.add(i, "there is no stdout in 'attempt-" + std::to_string(i) + "'");
  CHECK(x.take()
        == "the output of attempts 3 to 22 is missing; of the first, there is "
           "no stdout in 'attempt-3'");
  CHECK_FALSE(x.take());
}
