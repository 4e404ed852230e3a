// When applications end at the latest, and which of those that wait have a limit.

#include "scheduling/master/time_limits.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

/// Whose time is up first, and so on.
std::vector<AppKey> in_order(const TimeLimits& x) {
  std::vector<AppKey> result;
  for (const auto& [end, app] : x.ends())
    result.push_back(app);
  return result;
}

} // namespace

TEST_CASE("applications that have begun are found by when they end",
          "[owners]") {
  TimeLimits x;
  x.set_end(AppKey{1}, Instant{30s});
  x.set_end(AppKey{2}, Instant{10s});
  x.set_end(AppKey{3}, Instant{10s});
  CHECK(in_order(x) == std::vector{AppKey{2}, AppKey{3}, AppKey{1}});
  CHECK(x.ends().begin()->first == Instant{10s});
  // Each ends once.
  x.set_end(AppKey{2}, Instant{40s});
  CHECK(in_order(x) == std::vector{AppKey{3}, AppKey{1}, AppKey{2}});
}

TEST_CASE("the end of an application that has ended is not waited for",
          "[owners]") {
  TimeLimits x;
  for (std::uint32_t number : {1, 2, 3})
    x.set_end(AppKey{number}, Instant{30s});
  x.forget(AppKey{3});
  CHECK(in_order(x) == std::vector{AppKey{1}, AppKey{2}});
  x.forget(AppKey{1});
  CHECK(in_order(x) == std::vector{AppKey{2}});
  x.forget(AppKey{1});
  x.forget(AppKey{7});
  CHECK(in_order(x) == std::vector{AppKey{2}});
  // Unlike whether it waits.
  QueuePosition other{5, AppKey{2}};
  x.set_waiting(other, true);
  x.forget(AppKey{2});
  CHECK(x.ends().empty());
  CHECK(x.waiting() == std::set{other});
}

TEST_CASE("those that wait are found in the order in which they are served",
          "[owners]") {
  TimeLimits x;
  QueuePosition first{1, AppKey{9}};
  QueuePosition second{2, AppKey{3}};
  x.set_waiting(second, true);
  x.set_waiting(first, true);
  x.set_waiting(first, true);
  CHECK(x.waiting() == std::set{first, second});
  CHECK(*x.waiting().begin() == first);
  x.set_waiting(first, false);
  x.set_waiting(first, false);
  CHECK(x.waiting() == std::set{second});
}
