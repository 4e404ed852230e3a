// Places that no user takes all of.

#include "scheduling/common/shares.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("shares give a user at most half of all places", "[shares]") {
  Shares places{4};
  for (int i = 0; i < 2; ++i) {
    REQUIRE(places.has_place_for("user ann"));
    places.take("user ann");
  }
  CHECK_FALSE(places.has_place_for("user ann"));
  REQUIRE(places.has_place_for("user bob"));
  places.take("user bob");
  REQUIRE(places.has_place_for("operator op"));
  places.take("operator op");
  CHECK_FALSE(places.has_place_for("user bob"));
  CHECK_FALSE(places.has_place_for("operator op"));
  places.release("user ann");
  CHECK(places.has_place_for("user ann"));
}

TEST_CASE("shares give all places to those who prove nothing", "[shares]") {
  Shares places{2};
  places.take("");
  CHECK(places.has_place_for(""));
  places.take("");
  CHECK_FALSE(places.has_place_for(""));
}
