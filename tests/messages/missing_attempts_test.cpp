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

TEST_CASE("one line counts the bytes that attempts in a row have lost") {
  MissingAttempts x;
  CHECK_FALSE(x.add(1, "7 bytes are gone", 7));
  CHECK(x.take() == "7 bytes are gone");
  CHECK_FALSE(x.add(2, "7 bytes are gone", 7));
  CHECK_FALSE(x.add(3, "10 bytes are gone", 10));
  // Attempts of which nothing is known are another kind.
  CHECK(x.add(4, "there is no stdout")
        == "17 bytes of attempts 2 to 3 are lost; of the first, 7 bytes are "
           "gone");
  CHECK_FALSE(x.add(5, "there is no stdout"));
  CHECK(x.add(6, "1 bytes are gone", 1)
        == "the output of attempts 4 to 5 is missing; of the first, there is "
           "no stdout");
  CHECK(x.take() == "1 bytes are gone");
  CHECK_FALSE(x.take());
}
