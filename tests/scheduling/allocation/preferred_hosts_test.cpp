// On which hosts further executors are wanted.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>

#include "scheduling/allocation/preferred_hosts.hpp"
#include "scheduling/common/random.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

using Hosts = std::map<std::string, int>;

namespace {

/// 20 tasks name a, b and c, and 10 name a, b and d.
const LocalityHints thirty{30, {{"a", 30}, {"b", 30}, {"c", 20}, {"d", 10}}};

int sum(const Hosts& x) {
  return std::accumulate(x.begin(), x.end(), 0, [](int so_far, const auto& y) {
    return so_far + y.second;
  });
}

} // namespace

TEST_CASE("hosts get executors by the tasks that name them", "[allocation]") {
  // 15 can be used: 5, 5, 3.3 and 1.7 of them.
  CHECK(further_on_hosts(thirty, 2, {}, 18)
        == Hosts{{"a", 5}, {"b", 5}, {"c", 4}, {"d", 2}});
  CHECK(further_on_hosts(thirty, 2, {}, 8)
        == Hosts{{"a", 3}, {"b", 2}, {"c", 2}, {"d", 1}});
}

TEST_CASE("what a host has counts for it", "[allocation]") {
  CHECK(
      further_on_hosts(thirty, 2, {{"a", 1}, {"b", 5}, {"d", 9}, {"x", 3}}, 18)
      == Hosts{{"a", 4}, {"c", 4}});
  CHECK(further_on_hosts(thirty, 2, {{"a", 1}, {"b", 5}, {"d", 9}}, 2)
        == Hosts{{"a", 1}, {"c", 1}});
}

TEST_CASE("no host is wanted without further executors, or without preferences",
          "[allocation]") {
  CHECK(further_on_hosts(thirty, 2, {}, 0).empty());
  CHECK(further_on_hosts({}, 1, {}, 5).empty());
  CHECK(further_on_hosts({3, {}}, 1, {}, 5).empty());
}

TEST_CASE("hosts get no more than there are, or than they miss",
          "[allocation][property]") {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    auto small = [&](std::size_t bound) {
      return static_cast<int>(random.below(bound));
    };
    LocalityHints wanted{small(40), {}};
    Hosts present;
    std::int64_t named = 0;
    for (auto hosts = small(6); hosts > 0; --hosts) {
      auto& count = wanted.by_host["h" + std::to_string(hosts)];
      count = small(static_cast<std::size_t>(wanted.tasks) + 1);
      named += count;
      if (small(2) == 0)
        present["h" + std::to_string(hosts + small(2))] = small(5);
    }
    auto slots = 1 + small(4);
    auto further = small(20);
    auto result = further_on_hosts(wanted, slots, present, further);
    auto usable = (wanted.tasks + slots - 1) / slots;
    CHECK(sum(result) <= further);
    auto missing = 0;
    for (const auto& [host, count] : wanted.by_host) {
      auto share = named == 0 ? 0.0
                              : static_cast<double>(count * usable)
                                    / static_cast<double>(named);
      auto lacks = std::max(0, static_cast<int>(std::ceil(share - 1e-9))
                                   - present[host]);
      missing += lacks;
      CHECK((result.contains(host) ? result.at(host) : 0) <= lacks);
    }
    // None is left out while there are some to give.
    CHECK(sum(result) == std::min(further, missing));
    for (const auto& [host, count] : result) {
      CHECK(count > 0);
      CHECK(wanted.by_host.contains(host));
    }
  }
}
