// When what was made for one reader does for the next.

#include "web/freshness.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

constexpr Freshness::Clock::time_point begin{};
constexpr int factor = 20;

/// Of seven pieces of news.
Freshness made_in(Freshness::Clock::duration cost) {
  return {7, begin, begin + cost};
}

} // namespace

TEST_CASE("what was made lasts as long as there is no news", "[web]") {
  auto x = made_in(0ms);
  CHECK(x.lasts(7, 7, begin + 1h, factor));
  CHECK_FALSE(x.lasts(8, 0, begin, factor));
}

TEST_CASE("what took long lasts though there is news", "[web]") {
  auto x = made_in(2ms);
  CHECK(x.lasts(8, 0, begin + 41ms, factor));
  CHECK_FALSE(x.lasts(8, 0, begin + 42ms, factor));
  CHECK_FALSE(x.lasts(8, 0, begin + 3ms, 0));
  x.add_cost(2ms);
  CHECK(x.lasts(8, 0, begin + 81ms, factor));
  CHECK_FALSE(x.lasts(8, 0, begin + 82ms, factor));
}

TEST_CASE("what somebody was told of lasts without it no longer", "[web]") {
  auto x = made_in(2ms);
  CHECK(x.lasts(9, 7, begin + 3ms, factor));
  CHECK_FALSE(x.lasts(9, 8, begin + 3ms, factor));
}
