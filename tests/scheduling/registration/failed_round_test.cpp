// What is told where no master of a round is of use: scheduling/registration/failed_round.hpp.

#include "scheduling/registration/failed_round.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("of a failed round all reasons are told once", "[registration]") {
  FailedRound x;
  x.add("b", MasterFailure::unreachable);
  x.add("a", MasterFailure::unreachable);
  x.add("b", MasterFailure::unreachable);
  CHECK_FALSE(x.has_refusal());
  CHECK(x.reasons() == "a; b");
}

TEST_CASE(
    "a failed round tells refusals first and then what other masters said",
    "[registration]") {
  FailedRound x;
  x.add("dead", MasterFailure::unreachable);
  x.add("another build", MasterFailure::refused);
  x.add("STANDBY", MasterFailure::unreachable);
  CHECK(x.has_refusal());
  CHECK(x.reasons() == "another build; STANDBY; dead");
  x.add("another authority", MasterFailure::refused);
  CHECK(x.reasons() == "another authority; another build; STANDBY; dead");
}

TEST_CASE("a failed round names masters with the same reason together",
          "[registration]") {
  FailedRound x;
  x.add("stoker://a:1: not this user's", MasterFailure::untrusted);
  CHECK(x.is_hopeless());
  x.add("stoker://b:1: not this user's", MasterFailure::untrusted);
  CHECK(x.is_hopeless());
  CHECK(x.reasons() == "stoker://a:1, stoker://b:1: not this user's");
  x.add("stoker://c:1: another build", MasterFailure::refused);
  CHECK_FALSE(x.is_hopeless());
  CHECK(x.reasons()
        == "stoker://a:1, stoker://b:1: not this user's; stoker://c:1: another "
           "build");
}

TEST_CASE("a failed round has hope when a master cannot be reached",
          "[registration]") {
  FailedRound x;
  CHECK_FALSE(x.is_hopeless());
  x.add("not this user's", MasterFailure::untrusted);
  x.add("dead", MasterFailure::unreachable);
  CHECK_FALSE(x.is_hopeless());
}
