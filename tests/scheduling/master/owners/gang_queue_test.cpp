// Who waits for room for a gang, who may have it kept, and for whom it is.

#include "scheduling/master/gang_queue.hpp"

#include <algorithm>
#include <map>

#include "scheduling/common/random.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

/// In the order in which they are served, which is not that of their keys.
constexpr QueuePosition gang_1{1, AppKey{9}};
constexpr QueuePosition gang_2{2, AppKey{3}};
constexpr QueuePosition gang_3{3, AppKey{5}};

/// The first is ready at 10 s, the second at 5 s, the third at 20 s.
GangQueue three_gangs() {
  GangQueue x;
  x.add(gang_1, Instant{10s});
  x.add(gang_2, Instant{5s});
  x.add(gang_3, Instant{20s});
  return x;
}

/// Remembers the same in the plainest way.
struct NaiveQueue {
  struct Waits {
    Instant when;
    bool ready = false;
  };

  [[nodiscard]] std::optional<QueuePosition>
  first_ready(QueuePosition from) const {
    for (const auto& [gang, x] : waiting)
      if (x.ready && gang >= from)
        return gang;
    return std::nullopt;
  }

  std::map<QueuePosition, Waits> waiting;
  std::optional<QueuePosition> reserving;
};

} // namespace

TEST_CASE("a gang that waits keeps its time when it is added again",
          "[owners]") {
  GangQueue x;
  CHECK(x.add(gang_1, Instant{10s}));
  CHECK_FALSE(x.add(gang_1, Instant{3s}));
  CHECK(x.may_reserve(gang_1) == Instant{10s});
  CHECK(x.size() == 1);
  x.advance(Instant{9s});
  CHECK_FALSE(x.first_ready());
}

TEST_CASE("a gang may reserve exactly when its time has come", "[owners]") {
  auto x = three_gangs();
  x.advance(Instant{4999ms});
  CHECK_FALSE(x.first_ready());
  x.advance(Instant{5s});
  CHECK(x.first_ready() == gang_2);
  // It is the first in the order, not the one that has waited for longest.
  x.advance(Instant{10s});
  CHECK(x.first_ready() == gang_1);
  // One that is ready stays so.
  x.advance(Instant{1s});
  CHECK(x.first_ready() == gang_1);
  CHECK(x.size() == 3);
}

TEST_CASE("those that are ready are found from a place in the order on",
          "[owners]") {
  auto x = three_gangs();
  x.advance(Instant{20s});
  CHECK(x.first_ready(gang_2) == gang_2);
  CHECK(x.first_ready({2, AppKey{4}}) == gang_3);
  CHECK(x.first_ready({3, AppKey{6}}) == std::nullopt);
}

TEST_CASE("a gang that reserves and does not wait any more leaves the place to "
          "another one",
          "[owners]") {
  auto x = three_gangs();
  x.advance(Instant{20s});
  x.begin(gang_2);
  CHECK(x.reserving() == gang_2);
  SECTION("it is taken out") {
    x.erase(gang_2);
    CHECK_FALSE(x.may_reserve(gang_2));
    CHECK(x.size() == 2);
  }
  SECTION("it waits anew") {
    x.wait_anew(gang_2, Instant{25s});
    CHECK(x.may_reserve(gang_2) == Instant{25s});
    x.advance(Instant{24s});
    CHECK(x.first_ready(gang_2) == gang_3);
    x.advance(Instant{25s});
    CHECK(x.first_ready(gang_2) == gang_2);
  }
  CHECK_FALSE(x.reserving());
  x.begin(gang_1);
  CHECK(x.reserving() == gang_1);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("that another gang goes changes nothing for the one that reserves",
          "[owners]") {
  auto x = three_gangs();
  x.advance(Instant{10s});
  x.begin(gang_1);
  x.erase(gang_2);
  x.wait_anew(gang_3, Instant{30s});
  CHECK(x.reserving() == gang_1);
  // Unknown.
  x.erase(gang_2);
  x.erase({1, AppKey{3}});
  CHECK(x.size() == 2);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("those that wait may reserve later by what a master was stalled, and "
          "those that are ready still may",
          "[owners]") {
  auto x = three_gangs();
  x.advance(Instant{5s});
  x.begin(gang_2);
  x.postpone(7s);
  CHECK(x.may_reserve(gang_1) == Instant{17s});
  CHECK(x.may_reserve(gang_3) == Instant{27s});
  CHECK(x.reserving() == gang_2);
  CHECK(x.first_ready() == gang_2);
  x.advance(Instant{16999ms});
  CHECK(x.first_ready() == gang_2);
  x.advance(Instant{17s});
  CHECK(x.first_ready() == gang_1);
}

TEST_CASE("whatever happens to gangs, their queue agrees with a plain list",
          "[owners][property]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    GangQueue queue;
    NaiveQueue naive;
    Instant now;
    for (int step = 0; step < 200; ++step) {
      auto position = 1 + random.below(6);
      // One key has one place.
      QueuePosition gang{position,
                         AppKey{static_cast<std::uint32_t>(position * 5 % 7)}};
      auto when = now + Duration{static_cast<int>(random.below(50))};
      switch (random.below(7)) {
      case 0:
      case 1:
        REQUIRE(
            queue.add(gang, when)
            == naive.waiting.try_emplace(gang, NaiveQueue::Waits{when}).second);
        break;
      case 2:
        queue.erase(gang);
        naive.waiting.erase(gang);
        if (naive.reserving == gang)
          naive.reserving.reset();
        break;
      case 3:
        now += Duration{static_cast<int>(random.below(30))};
        queue.advance(now);
        for (auto& [other, x] : naive.waiting)
          x.ready = x.ready || x.when <= now;
        break;
      case 4:
        if (!naive.waiting.contains(gang))
          break;
        queue.wait_anew(gang, when);
        naive.waiting[gang] = {when};
        if (naive.reserving == gang)
          naive.reserving.reset();
        break;
      case 5: {
        auto next = naive.first_ready({});
        if (naive.reserving || !next)
          break;
        queue.begin(*next);
        naive.reserving = next;
        break;
      }
      case 6:
        queue.postpone(Duration{3});
        for (auto& [other, x] : naive.waiting)
          if (!x.ready)
            x.when += Duration{3};
        break;
      }
      REQUIRE_FALSE(queue.invariant_violation());
      REQUIRE(queue.size() == naive.waiting.size());
      REQUIRE(queue.reserving() == naive.reserving);
      REQUIRE(queue.first_ready(gang) == naive.first_ready(gang));
      auto found = naive.waiting.find(gang);
      REQUIRE(queue.may_reserve(gang)
              == (found == naive.waiting.end()
                      ? std::nullopt
                      : std::optional{found->second.when}));
    }
  }
}
