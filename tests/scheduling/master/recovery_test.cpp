// What a new leader finds: scheduling/master/cluster_records.cpp, cluster_recovery.cpp.

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "messages/json.hpp"
#include "scheduling/master/invariants.hpp"
#include "scheduling/master/render.hpp"
#include "scheduling/master/snapshot.hpp"
#include "storage/stored_tables.hpp"
#include "tests/scheduling/master/random_configs.hpp"
#include "tests/scheduling/master/random_events.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// A master's store: takes what its steps say has to be stored.
class Store {
public:
  void keep(const StepResult& result) {
    tables_.apply(result.changes);
  }

  [[nodiscard]] StoredState state() const {
    return tables_.snapshot();
  }

private:
  StoredTables tables_;
};

std::string text(const boost::json::value& x) {
  return boost::json::serialize(x);
}

/// What must not be forgotten, as text, one line for each thing.
std::string tables(const Cluster& cluster) {
  auto state = snapshot(cluster.state());
  std::map<std::string, std::string> lines;
  for (auto x : state.active_apps) {
    // In order of their numbers: those that ended at once may have swapped.
    std::sort(
        x.executors.begin(), x.executors.end(),
        [](const auto& a, const auto& b) { return a.exec_id < b.exec_id; });
    lines[to_string(x.id)] = text(to_json(x));
  }
  for (auto x : state.completed_apps) {
    x.executors.clear();
    x.cores_granted = 0;
    lines[to_string(x.id)] = text(to_json(x));
  }
  for (const auto& x : state.active_drivers)
    lines[to_string(x.id)] = text(to_json(x));
  for (const auto& x : state.completed_drivers)
    lines[to_string(x.id)] = text(to_json(x));
  for (const auto& x : state.workers)
    // One that is lost is shown by the leader that lost it.
    if (x.state != WorkerState::DEAD) {
      auto leaves = x.state == WorkerState::DECOMMISSIONED;
      lines[to_string(x.id)]
          = std::to_string(x.cores) + ' ' + std::to_string(x.memory_mb)
            + ' '
            // What left its application and still runs there is not known.
            + (leaves ? "" : std::to_string(x.cores_used)) + ' '
            + (leaves ? "leaves" : text(to_json(x.resources_used)));
    }
  std::string result;
  for (const auto& [name, line] : lines)
    result += name + ' ' + line + '\n';
  return result;
}

/// The first line that two tables do not share.
std::string first_difference(const std::string& before,
                             const std::string& after) {
  std::istringstream a{before};
  std::istringstream b{after};
  for (std::string x, y; a || b;) {
    x.clear();
    y.clear();
    std::getline(a, x);
    std::getline(b, y);
    if (x != y)
      return "before: " + x + "\nafter: " + y;
  }
  return {};
}

} // namespace

// Goal: nothing that was committed is forgotten. The new leader has the tables
// of the old one at whatever step that ends, and goes on with them.
TEST_CASE("a new leader has the tables of the last one",
          "[scheduling][recovery][random]") {
  auto seed = GENERATE(range(1U, last_seed(12) + 1));
  INFO("seed " << seed);
  auto config = config_for(seed);
  config.durable = true;
  // What is kept for a gang is dropped.
  config.gang_reserve_after = Duration::zero();
  config.recovery_timeout = Duration{seed % 3 * 1000};
  Store store;
  auto cluster = std::make_unique<Cluster>(config);
  RandomEvents events{seed};
  Random random{seed};
  std::uint64_t epoch = 1;
  for (int i = 0; i < 3000; ++i) {
    auto [now, what] = events.next(snapshot(cluster->state()));
    // The first one of all; told again, it changes nothing.
    if (std::holds_alternative<ElectedLeader>(what))
      what = ElectedLeader{LeaderEpoch{epoch}, store.state()};
    store.keep(cluster->step(now, what));
    INFO("step " << i << ": " << to_string(what));
    REQUIRE(invariant_violation(cluster->state()).value_or("") == "");
    if (random.below(20) != 0)
      continue;
    // Who is late by now is late for both.
    store.keep(cluster->step(now, CheckForWorkerTimeOut{}));
    auto before = tables(*cluster);
    auto next = std::make_unique<Cluster>(config);
    // Without any time to come back in, all are lost at once.
    auto changes = config.reconnect_timeout == Duration::zero();
    store.keep(
        next->step(now, ElectedLeader{LeaderEpoch{++epoch}, store.state()}));
    REQUIRE(invariant_violation(next->state()).value_or("") == "");
    // Nor where nobody has to be waited for: it is ALIVE, and schedules.
    if (!changes && next->status() == RecoveryState::RECOVERING)
      REQUIRE(first_difference(before, tables(*next)) == "");
    cluster = std::move(next);
  }
  SUCCEED();
}

TEST_CASE("what is not to be stored is not named", "[scheduling][recovery]") {
  Cluster cluster{ClusterConfig{}};
  CHECK(cluster.step(Instant{}, ElectedLeader{}).changes.empty());
  RegisterWorker worker;
  worker.id = WorkerId{"w1"};
  worker.worker = EndpointId{"w1"};
  worker.cores = 1;
  worker.memory_mb = 512;
  CHECK(cluster.step(Instant{}, worker).changes.empty());
}

TEST_CASE("records that do not fit together do no harm",
          "[scheduling][recovery]") {
  StoredState stored;
  StoredExecutor executor;
  executor.app_id = AppId{"app-1"};
  executor.worker_id = WorkerId{"w1"};
  executor.cores = 2;
  executor.resources = {{"gpu", {"0"}}};
  stored.executors = {executor, executor};
  StoredWorker worker;
  worker.id = WorkerId{"w1"};
  worker.endpoint = EndpointId{"w1"};
  worker.cores = 3;
  worker.memory_mb = 512;
  worker.resources = {{"gpu", {"0", "1"}}};
  stored.workers = {worker, worker};
  StoredApplication app;
  app.id = AppId{"app-1"};
  app.description.command.arguments = {"true"};
  app.turn = 0;
  stored.applications = {app, app};
  auto other = executor;
  other.exec_id = 1;
  auto away = executor;
  away.exec_id = 2;
  away.worker_id = WorkerId{"w2"};
  stored.executors.push_back(other);
  stored.executors.push_back(away);
  StoredDriver driver;
  driver.id = DriverId{"driver-1"};
  driver.description.cores = 5;
  driver.worker_id = WorkerId{"w1"};
  stored.drivers = {driver, driver};
  Cluster cluster{ClusterConfig{}};
  (void)cluster.step(Instant{}, ElectedLeader{LeaderEpoch{1}, stored});
  CHECK(invariant_violation(cluster.state()).value_or("") == "");
  auto state = snapshot(cluster.state());
  CHECK(state.workers.size() == 1);
  CHECK(state.workers.at(0).cores_used == 2);
  REQUIRE(state.active_apps.size() == 1);
  CHECK(state.active_apps.at(0).executors.size() == 1);
  CHECK(state.active_drivers.size() == 1);
}

TEST_CASE("who was to leave is so for a new leader, even after it was lost",
          "[scheduling][recovery]") {
  StoredState stored;
  StoredWorker worker;
  worker.id = WorkerId{"w1"};
  worker.endpoint = EndpointId{"w1"};
  worker.cores = 2;
  worker.memory_mb = 512;
  worker.state = WorkerState::DECOMMISSIONED;
  stored.workers = {worker};
  Cluster cluster{ClusterConfig{}};
  auto state = [&] { return snapshot(cluster.state()).workers.at(0).state; };
  (void)cluster.step(Instant{}, ElectedLeader{LeaderEpoch{1}, stored});
  CHECK(state() == WorkerState::DECOMMISSIONED);
  auto late = Instant{} + cluster.state().config.worker_timeout;
  (void)cluster.step(late, CheckForWorkerTimeOut{});
  REQUIRE(state() == WorkerState::DEAD);
  RegisterWorker again;
  again.id = worker.id;
  again.worker = EndpointId{"again"};
  again.cores = worker.cores;
  again.memory_mb = worker.memory_mb;
  (void)cluster.step(late, again);
  CHECK(state() == WorkerState::DECOMMISSIONED);
}
