// Scenarios as text, and how they are made smaller.

#include "simulation/scenario.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "simulation/shrink.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::simulation;

TEST_CASE("a scenario's text gives the same scenario", "[simulation]") {
  for (const auto& name : scenario_names())
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      auto scenario = invent(name, seed);
      std::string problem;
      auto again = from_text("# a remark\n\n" + to_text(scenario), problem);
      CHECK(problem == "");
      REQUIRE(again);
      CHECK(*again == scenario);
    }
}

TEST_CASE("scenarios with plain programs have slow readers", "[simulation]") {
  const std::set<std::string> with{"mixed", "calm", "crashes", "network",
                                   "handovers"};
  for (const auto& name : scenario_names()) {
    INFO(name);
    std::map<std::string, int> items;
    for (std::uint64_t seed = 1; seed <= 40; ++seed)
      for (const auto& item : invent(name, seed).items)
        ++items[item.what];
    for (const auto* what :
         {"start-read", "read-slowly", "stop-reading", "damage-output"}) {
      INFO(what);
      CHECK((items[what] > 0) == with.contains(name));
    }
  }
}

TEST_CASE("slow readers can be left out of a scenario", "[simulation]") {
  auto scenario = invent("mixed", 1);
  for (std::uint64_t seed = 2; std::ranges::none_of(
           scenario.items,
           [](const auto& x) { return x.what == "stop-reading"; });
       ++seed)
    scenario = invent("mixed", seed);
  auto small = shrink(
      scenario,
      [](const Scenario& x) {
        return std::ranges::any_of(
            x.items, [](const auto& y) { return y.what == "stop-reading"; });
      },
      1000);
  REQUIRE(small.items.size() == 1);
  CHECK(small.items[0].what == "stop-reading");
}

TEST_CASE("text that is no scenario is refused with its line", "[simulation]") {
  auto problem_with = [](const std::string& text) {
    std::string problem;
    CHECK_FALSE(from_text(text, problem));
    return problem;
  };
  const std::string cluster
      = "cluster seed=1 masters=1 workers=1 gpus=0 tenants=0 chaos=1000\n";
  CHECK(problem_with("")
        == "there is no line that begins with \"cluster\" "
           "or \"driver\"");
  CHECK(problem_with(cluster + "12 fly who=1 other=1 lasts=1\n")
        == "line 2 cannot be read: 12 fly who=1 other=1 lasts=1");
  CHECK(problem_with(cluster + "soon leave who=1 other=1 lasts=1\n")
        == "line 2 cannot be read: soon leave who=1 other=1 lasts=1");
  CHECK(problem_with(cluster + "1 leave who=1 other=1\n")
        == "line 2 cannot be read: 1 leave who=1 other=1");
  CHECK(problem_with("cluster seed=1 masters=0\n")
        == "line 1 cannot be read: cluster seed=1 masters=0");
}

TEST_CASE("shrinking leaves what a failure needs", "[simulation]") {
  auto scenario = invent("mixed", 7);
  REQUIRE(scenario.items.size() > 4);
  auto first = scenario.items.at(1);
  auto second = scenario.items.at(3);
  auto has = [](const Scenario& x, const Item& item) {
    return std::find(x.items.begin(), x.items.end(), item) != x.items.end();
  };
  auto small = shrink(
      scenario,
      [&](const Scenario& x) { return has(x, first) && has(x, second); }, 1000);
  CHECK(small.items == std::vector{first, second});
  CHECK(small.masters == 1);
}

TEST_CASE("shrinking ends after the attempts that it was given",
          "[simulation]") {
  std::size_t attempts = 0;
  (void)shrink(
      invent("mixed", 7),
      [&](const Scenario&) {
        ++attempts;
        return false;
      },
      5);
  CHECK(attempts == 5);
}
