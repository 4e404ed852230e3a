// When something has to be looked at: scheduling/common/deadlines.hpp.

#include "scheduling/common/deadlines.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

enum class Kind { first, second };

constexpr Instant at(int ms) {
  return Instant{Duration{ms}};
}

} // namespace

TEST_CASE("deadlines come in order, when they are due", "[owners]") {
  Deadlines<Kind> x;
  x.add(at(20), Kind::second, 2);
  x.add(at(10), Kind::first, 1);
  CHECK_FALSE(x.take_due(at(9)));
  auto due = x.take_due(at(25));
  REQUIRE(due);
  CHECK(due->kind == Kind::first);
  CHECK(due->number == 1);
  CHECK(x.take_due(at(25))->number == 2);
  CHECK_FALSE(x.take_due(at(25)));
}

TEST_CASE("a wake-up is asked for only where none is pending that is early "
          "enough",
          "[owners]") {
  Deadlines<Kind> x;
  CHECK(x.is_armed());
  CHECK_FALSE(x.arm());
  x.add(at(20), Kind::first, 1);
  CHECK_FALSE(x.is_armed());
  CHECK(x.arm() == at(20));
  CHECK(x.is_armed());
  x.add(at(30), Kind::first, 2);
  CHECK_FALSE(x.arm());
  x.add(at(10), Kind::first, 3);
  CHECK_FALSE(x.is_armed());
  CHECK(x.arm() == at(10));
  // The wake-up has come: another one is needed for the next.
  CHECK(x.take_due(at(10))->number == 3);
  CHECK_FALSE(x.take_due(at(10)));
  CHECK(x.arm() == at(20));
}

TEST_CASE("the same deadline is looked at once", "[owners]") {
  Deadlines<Kind> x;
  x.add(at(10), Kind::first, 1);
  x.add(at(10), Kind::first, 1);
  CHECK(x.take_due(at(10)));
  CHECK_FALSE(x.take_due(at(10)));
}
