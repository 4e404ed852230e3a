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

TEST_CASE("the end of a driver is stored also when it is forgotten at once",
          "[scheduling]") {
  ClusterConfig config;
  config.durable = true;
  config.retained_drivers = 0;
  Cluster cluster{config};
  ClusterHook::apply(cluster, {}, ElectedLeader{});
  // Many end at one moment: those that wait for the first to succeed.
  RequestSubmitDriver first;
  first.driver_description.command.arguments = {"driver"};
  (void)cluster.step({}, first);
  REQUIRE(cluster.state().drivers.all().size() == 1);
  auto id = cluster.state().drivers.all().begin()->second.stored.id;
  auto others = first;
  others.driver_description.after = {Dependency{{}, id, true}};
  for (int i = 0; i < 3; ++i)
    (void)cluster.step({}, others);
  std::set<std::string> stored;
  std::set<std::string> erased;
  for (const auto& change : cluster.step({}, RequestKillDriver{id}).changes) {
    if (const auto* driver = std::get_if<StoredDriver>(&change)) {
      CHECK(is_finished(driver->state));
      CHECK_FALSE(erased.contains(driver->id.value));
      stored.insert(driver->id.value);
    }
    if (const auto* gone = std::get_if<EraseDriver>(&change))
      erased.insert(gone->id.value);
  }
  CHECK(stored.size() == 4);
  CHECK(erased == stored);
}

TEST_CASE("a restart that was not made after all does not count",
          "[scheduling]") {
  auto cluster = cluster_with(1, 1, 1);
  (void)ClusterHook::pass(cluster, {});
  const auto& driver = cluster.state().drivers.all().begin()->second.stored;
  auto tell = [&](DriverState state, int restarts) {
    ClusterHook::apply(
        cluster, {},
        DriverStateChanged{driver.id, state, std::nullopt, 3, restarts});
  };
  tell(DriverState::RUNNING, 1);
  // What was sent before.
  tell(DriverState::RUNNING, 0);
  CHECK(driver.restarts == 1);
  SECTION("it ends while it pauses") {
    tell(DriverState::KILLED, 0);
    CHECK(driver.restarts == 0);
  }
  SECTION("it ends when it runs again") {
    tell(DriverState::FINISHED, 1);
    CHECK(driver.restarts == 1);
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
