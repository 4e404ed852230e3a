// Which instances wait, and which are done: scheduling/master/instance_table.hpp.

#include "scheduling/master/instance_table.hpp"

#include <algorithm>
#include <set>

#include "scheduling/common/random.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("all instances wait at first", "[owners]") {
  InstanceTable x{3};
  CHECK(x.count() == 3);
  CHECK(x.count_waiting() == 3);
  CHECK(x.first_waiting() == 0);
  CHECK(x.waits(2));
  CHECK_FALSE(x.waits(3));
  CHECK_FALSE(x.waits(-1));
  CHECK_FALSE(x.is_done(3));
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("an instance whose attempt is gone waits again, unless it is done",
          "[owners]") {
  InstanceTable x{3};
  x.begin_attempt(0);
  CHECK(x.first_waiting() == 1);
  x.has_no_attempt(0);
  CHECK(x.first_waiting() == 0);
  x.set_done(0);
  x.has_no_attempt(0);
  CHECK(x.first_waiting() == 1);
  CHECK(x.is_done(0));
  CHECK(x.count_done() == 1);
  CHECK(x.count_waiting() == 2);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("failures are counted for each instance", "[owners]") {
  InstanceTable x{3};
  CHECK(x.failures(1) == 0);
  CHECK(x.count_failure(1) == 1);
  CHECK(x.count_failure(1) == 2);
  CHECK(x.failures(1) == 2);
  CHECK(x.failures(0) == 0);
}

TEST_CASE("instances are restored, and none that is not there", "[owners]") {
  InstanceTable x{2};
  x.restore(1, true, 3);
  x.restore(2, true, 1);
  x.restore(-1, true, 1);
  CHECK(x.is_done(1));
  CHECK(x.failures(1) == 3);
  CHECK(x.count_done() == 1);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("an instance table agrees with sets of numbers", "[owners]") {
  Random random{7};
  InstanceTable x{200};
  std::set<int> waiting;
  std::set<int> done;
  for (int i = 0; i < 200; ++i)
    waiting.insert(i);
  for (int step = 0; step < 20'000; ++step) {
    auto index = static_cast<int>(random.below(200));
    switch (random.below(step < 10'000 ? 2 : 3)) {
    case 0:
      if (!waiting.empty()) {
        index = random.below(2) == 0 ? *waiting.begin() : index;
        if (x.waits(index)) {
          x.begin_attempt(index);
          waiting.erase(index);
        }
      }
      break;
    case 1:
      x.has_no_attempt(index);
      if (!done.contains(index))
        waiting.insert(index);
      break;
    default:
      x.set_done(index);
      waiting.erase(index);
      done.insert(index);
    }
    REQUIRE(x.count_waiting() == static_cast<int>(waiting.size()));
    REQUIRE(x.count_done() == static_cast<int>(done.size()));
    REQUIRE(x.waits(index) == waiting.contains(index));
    if (!waiting.empty())
      REQUIRE(x.first_waiting() == *waiting.begin());
    REQUIRE_FALSE(x.invariant_violation());
  }
}
