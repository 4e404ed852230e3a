// The state of a cluster in the words of Spark's master.

#include "web/spark_state.hpp"

#include <memory>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/web/recorded_json.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr auto start_ms = 1'795'634'239'178;

/// A worker with two GPUs, an application that has one of them, one that has ended, a
/// driver that waits and one that has ended.
StoredState stored_cluster() {
  StoredState result;
  StoredWorker worker;
  worker.number = 1;
  worker.id = WorkerId{"worker-1"};
  worker.host = "h1";
  worker.port = 33421;
  worker.cores = 4;
  worker.memory_mb = 2048;
  worker.resources = {{"gpu", {"0", "1"}}};
  result.workers.push_back(worker);
  StoredApplication app;
  app.number = 1;
  app.id = AppId{"app-1"};
  app.description.name = "shapes";
  app.description.user = "ann";
  app.description.resources_per_executor = {{"gpu", 1}};
  app.memory_per_executor_mb = 512;
  app.state = ApplicationState::RUNNING;
  app.submitted = from_ms(start_ms);
  result.applications.push_back(app);
  app.number = 2;
  app.id = AppId{"app-2"};
  app.description.resources_per_executor.clear();
  app.state = ApplicationState::FINISHED;
  app.ended = from_ms(start_ms + 1500);
  result.applications.push_back(app);
  StoredExecutor executor;
  executor.app_id = AppId{"app-1"};
  executor.worker_id = worker.id;
  executor.cores = 2;
  executor.memory_mb = 512;
  executor.state = ExecutorState::RUNNING;
  executor.resources = {{"gpu", {"0"}}};
  result.executors.push_back(executor);
  executor.exec_id = 1;
  executor.state = ExecutorState::EXITED;
  result.executors.push_back(executor);
  StoredDriver driver;
  driver.number = 1;
  driver.id = DriverId{"driver-1"};
  driver.description.cores = 99;
  driver.description.command.arguments
      = {"{{WORKER_URL}}", "/a.jar", "Main", "1"};
  driver.description.command.spark
      = SparkProgram{"4.1.4", "org.apache.spark.deploy.worker.DriverWrapper"};
  driver.submitted = from_ms(start_ms);
  result.drivers.push_back(driver);
  driver.number = 2;
  driver.id = DriverId{"driver-2"};
  driver.state = DriverState::KILLED;
  driver.worker_id = worker.id;
  result.drivers.push_back(driver);
  return result;
}

ClusterCopy copy_of(StoredState stored,
                    RecoveryState status = RecoveryState::ALIVE,
                    std::vector<WorkerInfo> workers = {}) {
  ClusterCopy result;
  result.follow({FeedPosition{LeaderEpoch{1}, 1},
                 std::make_shared<const StoredState>(std::move(stored)),
                 {}});
  MasterStateResponse said;
  said.status = status;
  said.workers = std::move(workers);
  result.observe(said, from_ms(start_ms + 1000));
  return result;
}

boost::json::object page(const ClusterCopy& copy) {
  return spark_state(copy, "spark://127.0.0.1:7077", from_ms(start_ms + 2000));
}

/// All that recorded answers of /json/ have, in whichever state of the cluster.
std::string recorded_shape(const std::string& version) {
  auto states = recorded_json(version).at("states").as_object();
  boost::json::array all;
  for (const auto& [name, state] : states)
    all.push_back(state);
  return shape(all);
}

} // namespace

TEST_CASE("the state has the names and types of Spark's master", "[web]") {
  // GPUs were recorded with this version alone.
  boost::json::array states{page(copy_of(stored_cluster()))};
  CHECK(shape(states) == recorded_shape("4.1.4"));
  auto stored = stored_cluster();
  stored.workers.front().resources.clear();
  stored.executors.front().resources.clear();
  for (auto& x : stored.applications)
    x.description.resources_per_executor.clear();
  CHECK(shape(boost::json::array{page(copy_of(stored))})
        == recorded_shape("3.5.9"));
  auto empty = recorded_json("3.5.9").at("states").at("empty");
  CHECK(shape(page(copy_of({}))) == shape(empty));
}

TEST_CASE("parts of the state have the names and types of Spark's master",
          "[web]") {
  auto recorded = recorded_json("4.1.4").at("paths").as_object();
  REQUIRE(recorded.size() >= 6);
  auto stored = stored_cluster();
  stored.workers.front().resources.clear();
  stored.executors.front().resources.clear();
  stored.drivers.clear();
  stored.applications.pop_back();
  stored.applications.front().description.resources_per_executor.clear();
  auto state = page(copy_of(stored));
  for (const auto& [path, answer] : recorded) {
    auto field = std::string_view{path.data(), path.size()}.substr(6);
    INFO(path);
    // Spark 4 has nothing there, Spark 3 all.
    if (!is_spark_state_part(field))
      CHECK(spark_state_part(state, field) == state);
    else
      CHECK(shape(spark_state_part(state, field)) == shape(answer));
  }
  auto use
      = spark_state_part(page(copy_of(stored_cluster())), "clusterutilization");
  CHECK(use.at("waitingDrivers") == 1);
  CHECK(use.at("coresutilization") == 50);
  CHECK(use.at("memoryutilization") == 25);
  CHECK(spark_state_part(page(copy_of({})), "clusterutilization")
            .at("coresutilization")
        == 100);
}

TEST_CASE("the state says what is used, of what is alive", "[web]") {
  auto state = page(copy_of(stored_cluster()));
  CHECK(state.at("url") == "spark://127.0.0.1:7077");
  CHECK(state.at("status") == "ALIVE");
  CHECK(state.at("aliveworkers") == 1);
  CHECK(state.at("cores") == 4);
  CHECK(state.at("coresused") == 2);
  CHECK(state.at("memoryused") == 512);
  const auto& worker = state.at("workers").at(0);
  CHECK(worker.at("coresfree") == 2);
  CHECK(worker.at("lastheartbeat") == start_ms + 1000);
  CHECK(worker.at("resourcesused").at("gpu").at("addresses")
        == boost::json::array{"0"});
  CHECK(worker.at("resourcesfree").at("gpu").at("addresses")
        == boost::json::array{"1"});
  const auto& app = state.at("activeapps").at(0);
  CHECK(app.at("cores") == 2);
  CHECK(app.at("duration") == 2000);
  CHECK(app.at("submitdate") == "Wed Nov 25 19:17:19 UTC 2026");
  const auto& ended = state.at("completedapps").at(0);
  CHECK(ended.at("cores") == 0);
  CHECK(ended.at("duration") == 1500);
  const auto& driver = state.at("activedrivers").at(0);
  CHECK(driver.at("starttime").as_string() == std::to_string(start_ms));
  CHECK(driver.at("worker") == "None");
  CHECK(driver.at("mainclass") == "Main");
  CHECK(state.at("completeddrivers").at(0).at("worker") == "worker-1");
}

TEST_CASE("a worker is as the master last saw it", "[web]") {
  WorkerInfo lost;
  lost.id = WorkerId{"worker-0"};
  lost.state = WorkerState::DEAD;
  lost.cores = 8;
  lost.cores_used = 8;
  WorkerInfo silent;
  silent.id = WorkerId{"worker-1"};
  silent.state = WorkerState::UNKNOWN;
  silent.last_heartbeat_ms = 77;
  auto state
      = page(copy_of(stored_cluster(), RecoveryState::ALIVE, {lost, silent}));
  CHECK(state.at("aliveworkers") == 0);
  CHECK(state.at("cores") == 0);
  CHECK(state.at("resources").as_array().empty());
  const auto& workers = state.at("workers").as_array();
  REQUIRE(workers.size() == 2);
  CHECK(workers.at(0).at("state") == "UNKNOWN");
  CHECK(workers.at(0).at("lastheartbeat") == 77);
  CHECK(workers.at(1).at("state") == "DEAD");
  CHECK(workers.at(1).at("coresused") == 0);
}

TEST_CASE("what is kept for a driver's executors is used", "[web]") {
  auto stored = stored_cluster();
  auto& driver = stored.drivers.front();
  driver.worker_id = WorkerId{"worker-1"};
  driver.state = DriverState::RUNNING;
  driver.description.cores = 1;
  driver.description.executors = DriverExecutors{1, 1, 100, {}};
  driver.reservations = {{WorkerId{"worker-1"}, {{"gpu", {"1"}}}}};
  auto state = page(copy_of(stored));
  CHECK(state.at("coresused") == 4);
  CHECK(state.at("memoryused") == 512 + 1024 + 100);
}

TEST_CASE("a master in standby shows nothing but that", "[web]") {
  auto state = page(copy_of(stored_cluster(), RecoveryState::STANDBY));
  CHECK(state.at("status") == "STANDBY");
  CHECK(state.at("workers").as_array().empty());
  CHECK(state.at("activeapps").as_array().empty());
  CHECK(state.at("activedrivers").as_array().empty());
}

TEST_CASE("another leadership is asked anew", "[web]") {
  auto copy = copy_of(stored_cluster());
  copy.follow({FeedPosition{LeaderEpoch{1}, 2}, nullptr, {}});
  CHECK(copy.observation());
  copy.follow({FeedPosition{LeaderEpoch{2}, 0},
               std::make_shared<const StoredState>(),
               {}});
  CHECK_FALSE(copy.observation());
  CHECK(copy.tables().workers().empty());
}

TEST_CASE("names of any bytes are shown as text", "[web]") {
  auto stored = stored_cluster();
  stored.applications.front().description.name = "a\xff";
  auto state = page(copy_of(stored));
  CHECK(state.at("activeapps").at(0).at("name") == "a\xef\xbf\xbd");
}
