// Workers of Spark between a real master and connections that are kept in memory. What
// they say was recorded, or is written as their version writes it.

#include "gateway/spark_worker.hpp"

#include <algorithm>

#include "tests/gateway/peer_fixture.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct WorkerFixture : PeerFixture {
  void join() {
    say_recorded("$RegisterWorker");
    CHECK(names() == Told{"RegisteredWorker"});
    say_recorded("$WorkerLatestState");
  }

  /// The names of the messages that were sent.
  Told names() {
    Told result;
    for (const auto& x : take())
      result.push_back(x.substr(0, x.find(' ')));
    return result;
  }

  std::vector<WorkerInfo> workers() {
    return ask<MasterStateResponse>(master, RequestMasterState{})->workers;
  }

  WorkerInfo worker() {
    auto all = workers();
    REQUIRE(all.size() == 1);
    return all.front();
  }

  /// A driver beside the worker.
  struct Beside {
    std::shared_ptr<ConnectionInMemory> connection;
    SparkPeerActor peer;
  };
  Beside swap(Beside x) {
    std::swap(connection, x.connection);
    std::swap(peer, x.peer);
    return x;
  }

  /// Registers a recorded driver, and returns to the worker.
  Beside add_driver() {
    Beside worker{connection, peer};
    connect();
    say_recorded("$RegisterApplication");
    return swap(worker);
  }

  void say_state(const std::string& app, int state, int status) {
    say_new(spark::FrameType::rpc_request, [&](auto& builder) {
      return builder.object(
          deploy_message("ExecutorStateChanged"),
          {{"appId", builder.text(app)},
           {"execId", 0},
           {"state", builder.enumeration(
                         "org.apache.spark.deploy.ExecutorState$", state)},
           {"message", builder.none()},
           {"exitStatus", builder.option(std::optional{status})}});
    });
  }
};

/// As a stream has it.
std::string bytes_of(std::int64_t id) {
  std::string result;
  for (unsigned shift = 64; shift > 0; shift -= 8)
    result += static_cast<char>(static_cast<std::uint64_t>(id) >> (shift - 8));
  return result;
}

} // namespace

TEST_CASE_METHOD(WorkerFixture, "a worker of Spark's joins with what it has",
                 "[gateway]") {
  version = GENERATE("3.5.9", "4.1.4");
  say_recorded("CheckExistence");
  CHECK(take() == Told{"true"});
  services->pages_url->set("http://127.0.0.1:8080");
  say_recorded("$RegisterWorker");
  auto told = take();
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("RegisteredWorker {\"duplicate\":false") == 0);
  CHECK(told.front().find(R"("masterWebUiUrl":"http://127.0.0.1:8080")")
        != std::string::npos);
  CHECK(worker().state == WorkerState::UNKNOWN);
  say_recorded("$WorkerLatestState");
  auto x = worker();
  CHECK(x.state == WorkerState::ALIVE);
  CHECK(x.cores == 2);
  CHECK(x.memory_mb == 2048);
  CHECK(x.spark_versions == Told{version});
  CHECK(x.only_spark);
  REQUIRE(pages_asked.size() == 1);
  CHECK(pages_asked.front().host == connection->peer().host);
  auto heard = [&] { return worker().last_heartbeat_ms; };
  for (int i = 0; i < 3; ++i) {
    auto before = heard();
    advance(1s);
    CHECK(heard() == before);
    say_recorded("$Heartbeat");
    CHECK(heard() > before);
  }
  CHECK(take().empty());
  CHECK(connection->frames_processed == 6);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker of Spark's is taken once its page has answered",
                 "[gateway]") {
  pages_are_slow = true;
  say_recorded("$RegisterWorker");
  CHECK(workers().empty());
  // It asks again meanwhile, which asks the page nothing.
  say_recorded("$RegisterWorker");
  SECTION("with its version") {
    page_says(std::string{"3.4.4"});
    CHECK(worker().spark_versions == Told{"3.4.4"});
  }
  SECTION("or with none, and then has the newest that looks the same") {
    page_says(invalid("it does not show a version"));
    CHECK(worker().spark_versions == Told{"3.5.9"});
  }
  CHECK(pages_asked.size() == 1);
  CHECK(names() == Told{"RegisteredWorker"});
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker of Spark's runs executors of Spark's drivers",
                 "[gateway]") {
  version = GENERATE("3.5.9", "4.1.4");
  join();
  auto driver = add_driver();
  auto id = app_id();
  auto launched = take();
  REQUIRE(launched.size() == 1);
  CHECK(launched.front().find("LaunchExecutor {") == 0);
  for (
      const auto* part :
      {R"("cores":2,"execId":0,"memory":600)",
       R"("masterUrl":"spark://127.0.0.1:7077")", R"("{{EXECUTOR_ID}}")",
       R"("mainClass":"org.apache.spark.executor.CoarseGrainedExecutorBackend")",
       R"("resourceName":"memory")"})
    CHECK(launched.front().find(part) != std::string::npos);
  say_state(id, 1, 0);
  CHECK(take() == Told{"true"});
  driver = swap(driver);
  CHECK(names()
        == Told{"RegisteredApplication", "ExecutorAdded", "ExecutorUpdated"});
  driver = swap(driver);
  SECTION("which end by themselves") {
    say_state(id, 5, 1);
    auto told = names();
    REQUIRE(told.size() == 2);
    CHECK(std::count(told.begin(), told.end(), "true") == 1);
    CHECK(std::count(told.begin(), told.end(), "LaunchExecutor") == 1);
  }
  SECTION("or with their application") {
    caf::anon_send(driver.peer, SparkConnectionClosed{"it has gone"});
    scheduler.run();
    CHECK(names() == Told{"KillExecutor", "ApplicationFinished"});
    say_state(id, 2, 143);
    CHECK(take() == Told{"true"});
    CHECK(worker().cores_used == 0);
  }
}

TEST_CASE_METHOD(
    WorkerFixture,
    "orders have the form of the version that a worker's page says",
    "[gateway]") {
  // The same in what a worker says, and other in what it is told.
  version = "4.1.4";
  auto page = GENERATE(as<std::string>{}, "4.1.4", "4.3.0", "nothing");
  pages_are_slow = true;
  say_recorded("$RegisterWorker");
  page_says(page == "nothing" ? Result<std::string>{invalid("nothing")}
                              : Result<std::string>{page});
  pages_are_slow = false;
  say_recorded("$WorkerLatestState");
  take();
  // The driver is of the same release, as its page says.
  version = page == "4.1.4" ? page : "4.3.0";
  Beside worker{connection, peer};
  connect();
  register_with_page_of("4.1.4");
  swap(worker);
  REQUIRE(connection->sent.size() == 1);
  auto order = connection->sent.front();
  auto profile
      = table_of(version).find("org.apache.spark.resource.ResourceProfile");
  REQUIRE(profile != nullptr);
  CHECK((order.find(bytes_of(profile->id)) != std::string::npos)
        == (page != "nothing"));
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker of Spark's runs nothing but its Spark's programs",
                 "[gateway]") {
  join();
  SECTION("no drivers of ours") {
    RequestSubmitDriver x;
    x.driver_description.name = "native";
    x.driver_description.command.arguments = {"true"};
    CHECK(ask<SubmitDriverResponse>(master, x)->success);
  }
  SECTION("and none of another release") {
    version = "4.1.4";
    add_driver();
  }
  CHECK(take().empty());
}

TEST_CASE_METHOD(WorkerFixture, "a worker of Spark's runs drivers of Spark's",
                 "[gateway]") {
  join();
  RequestSubmitDriver x;
  auto& driver = x.driver_description;
  driver.name = "Main";
  driver.user = "ann";
  driver.memory_mb = 512;
  driver.command.arguments = {"{{WORKER_URL}}", "/my jobs/main.jar", "Main"};
  driver.command.spark = SparkProgram{
      "3.5.9", "org.apache.spark.deploy.worker.DriverWrapper", {}, {}, {}};
  auto submitted = ask<SubmitDriverResponse>(master, x);
  REQUIRE(submitted->driver_id);
  auto told = take();
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("LaunchDriver {") == 0);
  CHECK(told.front().find(R"("jarUrl":"file:/my%20jobs/main.jar")")
        != std::string::npos);
  auto id = submitted->driver_id->value;
  CHECK(told.front().find("-Dspark.executorEnv.STOKER_DRIVER_ID=" + id)
        != std::string::npos);
  INFO(told.front());
  CHECK(told.front().find("SPARK_USER") != std::string::npos);
  CHECK(ask<KillDriverResponse>(master, RequestKillDriver{DriverId{id}})
            ->success);
  CHECK(names() == Told{"KillDriver"});
  say_new(spark::FrameType::one_way_message, [&](auto& builder) {
    return builder.object(
        deploy_message("DriverStateChanged"),
        {{"driverId", builder.text(id)},
         {"state", builder.enumeration(
                       "org.apache.spark.deploy.master.DriverState$", 5)},
         {"exception", builder.none()}});
  });
  auto status
      = ask<DriverStatusResponse>(master, RequestDriverStatus{DriverId{id}});
  CHECK(status->state == DriverState::KILLED);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker of Spark's may leave, and be told to leave",
                 "[gateway]") {
  join();
  SECTION("by its own wish") {
    auto id = worker().id.value;
    say_new(spark::FrameType::one_way_message, [&](auto& builder) {
      return builder.object(
          deploy_message("WorkerDecommissioning"),
          {{"id", builder.text(id)},
           {"workerRef", builder.endpoint("Worker", {"127.0.0.1", 7101})}});
    });
  }
  SECTION("or by an order") {
    ask<DecommissionWorkersResponse>(master,
                                     DecommissionWorkers{{worker().id}});
  }
  CHECK(worker().state == WorkerState::DECOMMISSIONED);
  CHECK(names() == Told{"DecommissionWorker"});
}

TEST_CASE_METHOD(WorkerFixture,
                 "what a worker of Spark's runs is compared when it comes back",
                 "[gateway]") {
  join();
  auto driver = add_driver();
  CHECK(names() == Told{"LaunchExecutor"});
  caf::anon_send(peer, SparkConnectionClosed{"it was closed by the peer"});
  scheduler.run();
  CHECK(worker().state == WorkerState::UNKNOWN);
  connect();
  say_recorded("$RegisterWorker");
  auto told = take();
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("RegisteredWorker {\"duplicate\":true") == 0);
  // It has lost the executor with all that it ran, and gets another one.
  say_recorded("$WorkerLatestState");
  CHECK(worker().state == WorkerState::ALIVE);
  auto launched = take();
  REQUIRE(launched.size() == 1);
  CHECK(launched.front().find(R"("execId":1)") != std::string::npos);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker of Spark's that is called says what it runs",
                 "[gateway]") {
  StoredWorker stored;
  const auto& answer
      = spark::test::recorded(version, "$WorkerSchedulerStateResponse");
  stored.id = WorkerId{
      std::string{answer.expected.at("fields").at("id").as_string()}};
  stored.endpoint = EndpointId{stored.id.value};
  stored.host = "127.0.0.1";
  stored.port = 7101;
  stored.cores = 2;
  stored.memory_mb = 2048;
  stored.spark_versions = {"3.5.9"};
  stored.only_spark = true;
  services->address = {"0.0.0.0", 7077};
  connection = std::make_shared<ConnectionInMemory>();
  peer = spawn(spark_peer, FrameConnectionPtr{connection}, heartbeat,
               std::shared_ptr<const SparkPeerServices>{services},
               std::optional<SparkRecall>{SparkWorkerRecall{stored}});
  CHECK(names() == Told{"MasterChanged"});
  CHECK(workers().empty());
  // It runs an executor of an application that nobody knows.
  say_recorded("$WorkerSchedulerStateResponse");
  CHECK(worker().state == WorkerState::ALIVE);
  CHECK(names() == Told{"KillExecutor"});
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker of Spark's is sent away by a master that follows",
                 "[gateway]") {
  ClusterConfig config;
  config.master_url = "stoker://m:1";
  MasterServices beside;
  beside.election = spawn(never_elected);
  start(config, std::move(beside));
  say_recorded("$RegisterWorker");
  CHECK(names() == Told{"MasterInStandby"});
}

TEST_CASE_METHOD(WorkerFixture, "what is told is not asked", "[gateway]") {
  say_new(spark::FrameType::rpc_request, [&](auto& builder) {
    return builder.object(deploy_message("Heartbeat"),
                          {{"workerId", builder.text("w1")},
                           {"worker", builder.endpoint("Worker", {"h", 1})}});
  });
  CHECK(take()
        == Told{"failure: this master has no use for a question about this"});
}

TEST_CASE_METHOD(WorkerFixture, "nobody speaks for a worker that he is not",
                 "[gateway]") {
  say_recorded("$Heartbeat");
  say_recorded("$WorkerLatestState");
  say_recorded("$WorkerSchedulerStateResponse");
  CHECK(take().empty());
  say_state("app-1", 5, 1);
  CHECK(take() == Told{"false"});
  join();
  add_driver();
  CHECK(names() == Told{"LaunchExecutor"});
  // A driver is no worker.
  say_recorded("$RegisterApplication");
  CHECK(applications().size() == 1);
}

TEST_CASE_METHOD(WorkerFixture,
                 "what programs on a worker of Spark's write stays there",
                 "[gateway]") {
  join();
  auto input = ask<InputResponse>(peer, WriteInput{});
  REQUIRE(input);
  CHECK(input->problem
        == "it runs on a worker of Spark's, whose programs have no input");
  auto output = ask<OutputResponse>(peer, RequestOutput{});
  REQUIRE_FALSE(output);
  CHECK(system.render(output.error()).find("one of Spark's own")
        != std::string::npos);
}
