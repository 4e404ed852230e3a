// A cluster of real processes is killed, stopped and cut off at random, from
// one seed, while users work with it. Whatever was acknowledged must come true.
//
// STOKER_SEED chooses other faults, STOKER_CHAOS_SECONDS more of them. The
// faults are those of the seed; what is under way when they come is not, as it
// depends on the machine.

#include <algorithm>
#include <iostream>

#include "tests/cluster/chaos_work.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

using std::chrono::milliseconds;

/// Until all has ended, when nothing goes wrong any more.
constexpr auto calm_down = 4min;

struct Moment {
  milliseconds at{};
  bool begins = false;
  PlannedFault fault;
};

std::vector<Moment> moments_of(const std::vector<PlannedFault>& plan) {
  std::vector<Moment> result;
  for (const auto& x : plan) {
    result.push_back({x.begin, true, x});
    result.push_back({x.end, false, x});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return result;
}

ChaosOptions options_here() {
  auto result = chaos_options();
  Sandbox sandbox;
  if (auto why = Network::why_unavailable(sandbox)) {
    std::cerr << "nothing is cut off: " << *why << '\n';
    result.partitions = false;
  }
  return result;
}

struct Chaos {
  ChaosOptions options = options_here();
  ChaosCluster cluster{options};
  ChaosWork work{cluster, options.seed};
  std::vector<std::string> broken;
  std::chrono::steady_clock::time_point begin
      = std::chrono::steady_clock::now();

  [[nodiscard]] milliseconds now() const {
    return std::chrono::duration_cast<milliseconds>(
        std::chrono::steady_clock::now() - begin);
  }

  /// Does what users do, until this time.
  void work_until(milliseconds end) {
    while (now() < end)
      eventually(
          [this] {
            work.step(now());
            add(cluster.broken());
            return false;
          },
          end - now());
  }

  void add(const std::vector<std::string>& sentences) {
    broken.insert(broken.end(), sentences.begin(), sentences.end());
  }

  /// Whether all is over in time.
  bool winds_down() {
    work.wind_down();
    return eventually(
        [this] {
          work.step(now());
          add(cluster.broken());
          return work.is_done();
        },
        calm_down);
  }
};

} // namespace

TEST_CASE("whatever was acknowledged comes true, whatever is killed, stopped "
          "or cut off") {
  Chaos chaos;
  auto plan = plan_faults(chaos.options);
  std::cerr << "STOKER_SEED=" << chaos.options.seed << '\n';
  for (const auto& x : plan)
    std::cerr << "  " << to_string(x) << '\n';
  for (const auto& x : moments_of(plan)) {
    chaos.work_until(x.at);
    if (x.begins)
      chaos.cluster.begin(x.fault);
    else
      chaos.cluster.end(x.fault);
  }
  if (!chaos.winds_down())
    chaos.broken.push_back("not all is over: "
                           + boost::json::serialize(chaos.cluster.status()));
  chaos.work.check_promises();
  chaos.add(chaos.work.broken());
  chaos.add(chaos.cluster.stop());
  auto check = chaos.cluster.run({"data", "check", chaos.cluster.path("data")});
  if (check.status != 0)
    chaos.broken.push_back(check.out + check.err);
  std::cerr << chaos.work.summary() << '\n';
  for (const auto& x : chaos.broken)
    std::cerr << "BROKEN: " << x << '\n';
  REQUIRE(chaos.broken.empty());
}
