// Where drivers go: at random, but in turn.

#include <map>
#include <set>
#include <string>

#include "tests/support/catch.hpp"
#include "tools/conformance/cluster_hook.hpp"

using namespace stoker;

namespace {

/// A cluster with `workers` alike, w0, w1, ..., and `drivers` of one core that
/// wait, before any pass.
Cluster cluster_with(std::uint64_t seed, int workers, int drivers) {
  ClusterConfig config;
  config.seed = seed;
  Cluster result{config};
  ClusterHook::apply(result, {}, ElectedLeader{});
  for (int i = 0; i < workers; ++i) {
    auto name = "w" + std::to_string(i);
    ClusterHook::apply(
        result, {},
        RegisterWorker{WorkerId{name}, EndpointId{name}, name, 0, 8, 8192});
  }
  for (int i = 0; i < drivers; ++i) {
    DriverDescription description;
    description.command.arguments = {"driver"};
    ClusterHook::apply(result, {}, RequestSubmitDriver{description});
  }
  return result;
}

/// How many drivers a pass starts on each worker.
std::map<std::string, int> launched(Cluster cluster) {
  std::map<std::string, int> result;
  for (const auto& effect : ClusterHook::pass(cluster, {}))
    if (const auto* x = std::get_if<StartDriver>(&effect))
      ++result[x->to.value];
  return result;
}

} // namespace

TEST_CASE("drivers take the workers in turn", "[scheduling]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    auto one_round = launched(cluster_with(seed, 5, 5));
    CHECK(one_round.size() == 5);
    // A second round begins when all have got one.
    auto counts = launched(cluster_with(seed, 3, 7));
    int all = 0;
    for (const auto& [worker, count] : counts) {
      CHECK((count == 2 || count == 3));
      all += count;
    }
    CHECK(all == 7);
  }
}

TEST_CASE("the first driver's worker depends on chance alone", "[scheduling]") {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    auto first = launched(cluster_with(seed, 4, 1));
    REQUIRE(first.size() == 1);
    CHECK(first == launched(cluster_with(seed, 4, 1)));
    seen.insert(first.begin()->first);
  }
  CHECK(seen.size() == 4);
}

TEST_CASE("drivers are served before applications", "[scheduling]") {
  auto cluster = cluster_with(1, 1, 8);
  RegisterApplication application;
  application.driver = EndpointId{"a"};
  application.description.command.arguments = {"executor"};
  ClusterHook::apply(cluster, {}, application);
  CHECK(launched(cluster)["w0"] == 8);
}
