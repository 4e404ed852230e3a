// What is told where no master of a round is of use: scheduling/registration/failed_round.hpp.

#include "scheduling/registration/failed_round.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("of a failed round all reasons are told once, or the last",
          "[registration]") {
  FailedRound x;
  x.add("b", false);
  x.add("a", false);
  x.add("b", false);
  CHECK_FALSE(x.has_refusal());
  CHECK(x.reasons() == "a; b");
  CHECK(x.last() == "b");
}

TEST_CASE("of a failed round refusals are told alone, whatever came after them",
          "[registration]") {
  FailedRound x;
  x.add("dead", false);
  x.add("another build", true);
  x.add("STANDBY", false);
  CHECK(x.has_refusal());
  CHECK(x.reasons() == "another build");
  CHECK(x.last() == "another build");
  x.add("another authority", true);
  CHECK(x.last() == "another authority; another build");
}
