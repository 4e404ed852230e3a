// Whether a leader hangs: scheduling/leadership/leader_watch.hpp.

#include "scheduling/leadership/leader_watch.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("a leader that shows the same sign again and again hangs",
          "[leadership]") {
  LeaderWatch x;
  CHECK(x.look("1") == 0);
  CHECK(x.look("2") == 0);
  CHECK(x.look("2") == 1);
  CHECK(x.look("2") == 2);
  CHECK(x.look("3") == 0);
}

TEST_CASE("a leader that never shows a sign is left alone", "[leadership]") {
  LeaderWatch x;
  for (int i = 0; i < 10; ++i)
    CHECK(x.look("") == 0);
}
