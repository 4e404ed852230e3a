// Places that no user takes all of.

#include "network/shares.hpp"

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

TEST_CASE("shares leave places for others when users take all that they may",
          "[shares]") {
  Shares places{16};
  auto take_all = [&](const std::string& who) {
    std::size_t result = 0;
    for (; places.has_place_for(who); ++result)
      places.take(who);
    return result;
  };
  CHECK(take_all("user ann") == 8);
  CHECK(take_all("user bob") == 5);
  CHECK(take_all("user cyd") == 2);
  CHECK(take_all("user dan") == 1);
  CHECK(places.free() == 0);
}
