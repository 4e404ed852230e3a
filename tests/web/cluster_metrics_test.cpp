// What is measured of a cluster, from what the leader has committed.

#include "web/cluster_metrics.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "metrics/open_metrics.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

constexpr auto now_ms = 1'795'634'239'178;

StoredWorker worker(const std::string& id) {
  StoredWorker result;
  result.id = WorkerId{id};
  result.cores = 4;
  result.memory_mb = 1024;
  return result;
}

/// One that was submitted so many seconds ago.
StoredApplication application(const std::string& id, const std::string& user,
                              int seconds) {
  StoredApplication result;
  result.id = AppId{id};
  result.description.user = user;
  result.submitted = from_ms(now_ms - std::int64_t{1000} * seconds);
  return result;
}

StoredDriver driver(const std::string& id, int seconds) {
  StoredDriver result;
  result.id = DriverId{id};
  result.submitted = from_ms(now_ms - std::int64_t{1000} * seconds);
  return result;
}

/// In the order in which they stand there.
template <class Record>
void number(std::vector<Record>& records) {
  std::uint32_t n = 0;
  for (auto& x : records)
    x.number = ++n;
}

std::string measured(StoredState stored,
                     RecoveryState status = RecoveryState::ALIVE) {
  number(stored.workers);
  number(stored.applications);
  number(stored.drivers);
  ClusterCopy copy;
  FeedUpdate update;
  update.position.epoch = LeaderEpoch{1};
  update.snapshot = std::make_shared<const StoredState>(std::move(stored));
  copy.follow(update);
  MasterStateResponse said;
  said.status = status;
  WorkerInfo lost;
  lost.id = WorkerId{"lost"};
  lost.cores = 99;
  lost.state = WorkerState::DEAD;
  said.workers.push_back(lost);
  copy.observe(said, from_ms(now_ms));
  return write_metrics(cluster_metrics(copy, from_ms(now_ms)),
                       MetricsFormat::open_metrics);
}

void check_lines(const std::string& text,
                 std::initializer_list<std::string_view> lines) {
  INFO(text);
  for (auto line : lines) {
    INFO(line);
    CHECK(text.find("\n" + std::string{line} + "\n") != std::string::npos);
  }
}

} // namespace

TEST_CASE("workers and what they hold are measured, as Spark names them, too",
          "[web]") {
  StoredState stored;
  stored.workers = {worker("w1"), worker("w2")};
  auto app = application("app-1", "ann", 60);
  app.state = ApplicationState::RUNNING;
  auto ended = application("app-2", "ann", 600);
  ended.state = ApplicationState::FINISHED;
  ended.ended = from_ms(now_ms);
  // These two wait for something else than an executor.
  auto after = application("app-5", "ben", 500);
  after.waits_for.emplace_back();
  auto idle = application("app-6", "ben", 500);
  idle.executor_limit = 0;
  stored.applications = {app,
                         ended,
                         application("app-3", "ben", 90),
                         application("app-4", "ben", 30),
                         after,
                         idle};
  StoredExecutor executor;
  executor.app_id = app.id;
  executor.worker_id = WorkerId{"w1"};
  executor.cores = 3;
  executor.memory_mb = 512;
  executor.state = ExecutorState::RUNNING;
  stored.executors = {executor};
  check_lines(measured(std::move(stored)),
              {"stoker_master_state{state=\"ALIVE\"} 1",
               "stoker_master_state{state=\"STANDBY\"} 0",
               "stoker_workers{state=\"ALIVE\"} 2",
               "stoker_workers{state=\"DEAD\"} 1", "stoker_cores 8",
               "stoker_cores_used 3", "# UNIT stoker_memory_bytes bytes",
               "stoker_memory_bytes 2147483648",
               "stoker_memory_used_bytes 536870912",
               "stoker_applications{state=\"WAITING\"} 4",
               "stoker_applications{state=\"RUNNING\"} 1",
               "stoker_longest_wait_seconds 90",
               "stoker_executors{state=\"RUNNING\"} 1",
               "stoker_executors{state=\"LAUNCHING\"} 0",
               "stoker_drivers{state=\"SUBMITTED\"} 0",
               "metrics_master_workers_Value{type=\"gauges\"} 3",
               "metrics_master_aliveWorkers_Number{type=\"gauges\"} 2",
               "metrics_master_apps_Value{type=\"gauges\"} 5",
               "metrics_master_waitingApps_Value{type=\"gauges\"} 4"});
}

TEST_CASE("how long drivers wait for room is measured", "[web]") {
  StoredState stored;
  auto runs = driver("driver-1", 300);
  runs.state = DriverState::RUNNING;
  auto ended = driver("driver-2", 400);
  ended.state = DriverState::FINISHED;
  ended.ended = from_ms(now_ms);
  // It waits for others.
  auto after = driver("driver-5", 500);
  after.waits_for.emplace_back();
  stored.drivers
      = {runs, ended, driver("driver-3", 20), driver("driver-4", 70), after};
  check_lines(measured(stored), {"stoker_drivers{state=\"SUBMITTED\"} 3",
                                 "stoker_longest_driver_wait_seconds 70"});
  stored.drivers = {runs, ended, after};
  check_lines(measured(stored), {"stoker_longest_driver_wait_seconds 0"});
}

TEST_CASE("the queues of companies are measured, of many only the first",
          "[web]") {
  TenantsConfig tenants;
  for (int i = 0; i < 150; ++i) {
    CompanyConfig company;
    company.name = "c" + std::to_string(i);
    tenants.companies.push_back(company);
  }
  tenants.users.push_back({"ann", "c1", {}, {}, {}});
  tenants.users.push_back({"ben", "c120", {}, {}, {}});
  StoredState stored;
  stored.config.emplace();
  stored.config->tenants = tenants;
  auto admitted = application("app-1", "ann", 60);
  admitted.turn = 1;
  admitted.requested.cores = 6;
  stored.applications
      = {admitted, application("app-2", "ann", 50),
         application("app-3", "ann", 40), application("app-4", "ben", 30)};
  auto text = measured(std::move(stored));
  check_lines(text,
              {"stoker_longest_wait_seconds 60",
               "stoker_company_queued{company=\"c0\"} 0",
               "stoker_company_queued{company=\"c1\"} 2",
               "stoker_company_admitted{company=\"c1\"} 1",
               "stoker_company_requested_cores{company=\"c1\"} 6",
               "stoker_company_longest_wait_seconds{company=\"c1\"} 50",
               "stoker_company_queued{company=\"(others)\"} 1",
               "stoker_company_longest_wait_seconds{company=\"(others)\"} 30"});
  CHECK(text.find("company=\"c120\"") == std::string::npos);
}

TEST_CASE("a master that does not lead measures nothing of the cluster",
          "[web]") {
  StoredState stored;
  stored.workers = {worker("w1")};
  auto text = measured(std::move(stored), RecoveryState::STANDBY);
  check_lines(text, {"stoker_master_state{state=\"STANDBY\"} 1"});
  CHECK(text.find("stoker_workers") == std::string::npos);
}
