// Real processes under real actors, in one actor system after the other: the
// WORKER, OUTPUT, OUTPUT COLLECTOR, ApplicationRun and LocalCluster.

#include <signal.h>

#include <condition_variable>
#include <future>
#include <mutex>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <spdlog/spdlog.h>

#include "actors/connector.hpp"
#include "actors/worker.hpp"
#include "embedding/local_cluster.hpp"
#include "messages/caf_error.hpp"
#include "storage/replay.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::eventually;
using stoker::test::patience;
using namespace std::chrono_literals;

namespace {

using Words = std::vector<std::string>;

/// Notes what a run does. Everything is called on the thread that waits.
class Observer : public RunObserver {
public:
  AppId app_id;
  std::map<std::pair<int, bool>, std::string> texts;
  std::vector<ExecutorUpdated> updates;
  std::function<void()> on_output = [] {};

  void news(const ApplicationNews& x) override {
    if (const auto* connected = std::get_if<ApplicationConnected>(&x))
      app_id = connected->id;
    if (const auto* updated = std::get_if<ExecutorUpdated>(&x))
      updates.push_back(*updated);
  }
  void output(int index, bool standard_error, std::string_view data) override {
    texts[{index, standard_error}].append(data);
    on_output();
  }

  std::string out(int index) {
    return texts[{index, false}];
  }
  std::string err(int index) {
    return texts[{index, true}];
  }
};

/// A cluster of one process, with supervisors of the test program.
struct SmallCluster {
  stoker::test::TemporaryDirectory directory;
  std::unique_ptr<ActorNetwork> network;
  std::unique_ptr<LocalCluster> cluster;

  explicit SmallCluster(
      int workers = 2, int cores = 2,
      const std::function<void(WorkerConfig&)>& change = [](WorkerConfig&) {}) {
    spdlog::set_level(spdlog::level::off);
    network = std::make_unique<ActorNetwork>();
    LocalClusterConfig config;
    config.workers = workers;
    config.cores = cores;
    config.memory_mb = 4096;
    config.supervisor = STOKER_TEST_PROGRAM;
    config.worker.work_directory = directory.path("work");
    config.worker.kill_grace = 500ms;
    change(config.worker);
    config.message_log = directory.path("messages.log");
    config.feed = true;
    auto started = LocalCluster::start(*network, std::move(config));
    INFO((started ? "" : started.error().message));
    REQUIRE(started);
    cluster = *std::move(started);
  }

  ~SmallCluster() {
    cluster.reset();
    std::ifstream log{directory.path("messages.log")};
    CHECK(replay(log).problem().empty());
  }

  MasterStateResponse state() {
    caf::scoped_actor self{network->system()};
    MasterStateResponse result;
    self->request(cluster->master(), patience, RequestMasterState{})
        .receive([&](MasterStateResponse& x) { result = std::move(x); },
                 [](const caf::error&) { FAIL("the master does not answer"); });
    return result;
  }
};

ApplicationDescription program(Words words, int count = 1) {
  ApplicationDescription result;
  result.name = "test";
  result.command.arguments = std::move(words);
  result.command.environment = {{"PATH", "/usr/bin:/bin"}};
  result.cores_per_executor = 1;
  result.memory_per_executor_mb = 64;
  result.instances = Instances{count, 0};
  return result;
}

ApplicationDescription shell(const std::string& script, int count = 1) {
  return program({"/bin/sh", "-c", script}, count);
}

RunOutcome run(SmallCluster& cluster, ApplicationDescription description,
               Observer& observer) {
  ApplicationRun application{*cluster.network,
                             cluster.cluster->connector(),
                             std::move(description),
                             {},
                             observer};
  return application.wait();
}

} // namespace

TEST_CASE("a run brings back what all instances wrote", "[programs]") {
  SmallCluster cluster;
  Observer observer;
  auto outcome = run(
      cluster, shell("echo $STOKER_INDEX of $STOKER_COUNT; echo no >&2", 6),
      observer);
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.error.empty());
  for (int i = 0; i < 6; ++i) {
    INFO(i);
    CHECK(observer.out(i) == std::to_string(i) + " of 6\n");
    CHECK(observer.err(i) == "no\n");
  }
  auto state = cluster.state();
  REQUIRE(state.completed_apps.size() == 1);
  CHECK(state.completed_apps.front().id == observer.app_id);
  CHECK(state.completed_apps.front().state == ApplicationState::FINISHED);
}

TEST_CASE("a large output comes back as a whole", "[programs]") {
  SmallCluster cluster;
  Observer observer;
  auto outcome
      = run(cluster, shell("yes 0123456789abcde | head -n 131072"), observer);
  CHECK(outcome.exit_status == 0);
  CHECK(observer.out(0).size() == std::size_t{2} * 1024 * 1024);
}

TEST_CASE("what a command says before it fails is brought back", "[programs]") {
  SmallCluster cluster;
  // Whether that works must not depend on who is faster.
  for (int i = 0; i < 10; ++i) {
    Observer observer;
    auto outcome = run(cluster, shell("echo on my way; echo alas >&2; exit 3"),
                       observer);
    CHECK(outcome.exit_status == 3);
    CHECK(outcome.error.find("exited with code 3") != std::string::npos);
    CHECK(outcome.reason == EndReason::removed);
    CHECK(observer.out(0) == "on my way\n");
    CHECK(observer.err(0) == "alas\n");
  }
}

TEST_CASE("an instance that fails ends those that run", "[programs]") {
  SmallCluster cluster;
  Observer observer;
  auto outcome = run(
      cluster,
      shell("[ $STOKER_INDEX = 0 ] && exit 5; while :; do sleep 1; done", 4),
      observer);
  CHECK(outcome.exit_status == 5);
  // Nothing of it is left on any worker.
  CHECK(eventually([&] {
    for (const auto& x : cluster.state().workers)
      if (x.cores_used != 0)
        return false;
    return true;
  }));
}

TEST_CASE("a command that does not exist ends a run as a shell would",
          "[programs]") {
  SmallCluster cluster;
  Observer observer;
  auto outcome = run(cluster, program({"/nonexistent/program"}), observer);
  CHECK(outcome.exit_status == 127);
}

TEST_CASE("a run without a master gives up", "[programs]") {
  spdlog::set_level(spdlog::level::off);
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  Observer observer;
  RegistrationConfig registration;
  registration.give_up_after = 100ms;
  // Nobody listens on the lowest port.
  ApplicationRun application{network,
                             network_connector(network, {{"127.0.0.1", 1}}),
                             shell("true"), registration, observer};
  auto outcome = application.wait();
  CHECK(outcome.reason == EndReason::master_lost);
  CHECK(outcome.exit_status == 1);
  CHECK(outcome.error.find("no master: ") == 0);
}

TEST_CASE("an interrupted run is taken off the cluster", "[programs]") {
  SmallCluster cluster;
  Observer observer;
  ApplicationRun application{*cluster.network,
                             cluster.cluster->connector(),
                             shell("echo ready; while :; do sleep 1; done", 2),
                             {},
                             observer};
  observer.on_output = [&] { application.interrupt(); };
  auto outcome = application.wait();
  CHECK(outcome.reason == EndReason::stopped);
  CHECK(outcome.error.empty());
  CHECK(cluster.state().active_apps.empty());
}

TEST_CASE("a run that is killed from elsewhere says so", "[programs]") {
  SmallCluster cluster;
  Observer observer;
  ApplicationRun application{*cluster.network,
                             cluster.cluster->connector(),
                             shell("echo ready; while :; do sleep 1; done"),
                             {},
                             observer};
  caf::scoped_actor self{cluster.network->system()};
  std::chrono::steady_clock::time_point began;
  observer.on_output = [&] {
    began = std::chrono::steady_clock::now();
    self->request(cluster.cluster->master(), patience,
                  RequestKillApplication{observer.app_id})
        .receive([](const KillApplicationResponse&) {},
                 [](const caf::error&) {});
  };
  auto outcome = application.wait();
  CHECK(outcome.error == "killed on request");
  CHECK(outcome.exit_status == 1);
  CHECK(outcome.reason == EndReason::removed);
  // No request was left without an answer, to run into its time-out.
  CHECK(std::chrono::steady_clock::now() - began < 10s);
}

TEST_CASE("what a cluster commits can be followed", "[programs]") {
  SmallCluster cluster;
  caf::scoped_actor self{cluster.network->system()};
  StoredTables tables;
  FeedPosition position;
  // Until one of its applications has ended.
  auto follow = [&] {
    for (auto over = false; !over;)
      self->request(cluster.cluster->feed(), patience, FollowChanges{position})
          .receive(
              [&](const FeedUpdate& x) {
                if (x.snapshot)
                  tables = StoredTables{*x.snapshot};
                for (const auto& batch : x.batches)
                  tables.apply(*batch);
                position = x.position;
                for (const auto& app : tables.snapshot().applications)
                  over = over || is_finished(app.state);
              },
              [](const caf::error&) { FAIL("nothing is committed"); });
  };
  Observer observer;
  auto outcome = run(cluster, shell("true", 3), observer);
  CHECK(outcome.exit_status == 0);
  follow();
  auto seen = tables.snapshot();
  CHECK(seen.workers.size() == 2);
  REQUIRE(seen.applications.size() == 1);
  CHECK(seen.applications.front().id == observer.app_id);
  CHECK(seen.applications.front().instances_done == 3);
}

TEST_CASE("a cluster that ends leaves no program behind", "[programs]") {
  auto cluster = std::make_unique<SmallCluster>();
  Observer observer;
  ApplicationRun application{*cluster->network,
                             cluster->cluster->connector(),
                             shell("echo $$; trap '' TERM; "
                                   "while :; do sleep 1; done",
                                   2),
                             {},
                             observer};
  // Interrupted, but the program does not listen.
  observer.on_output = [&] {
    if (observer.texts.size() == 2)
      application.interrupt();
  };
  CHECK(application.wait().reason == EndReason::stopped);
  cluster->cluster.reset();
  for (int i = 0; i < 2; ++i) {
    INFO("process " << observer.out(i));
    CHECK(kill(std::stoi(observer.out(i)), 0) != 0);
  }
}

TEST_CASE("a run that is slow to take its output makes its program wait",
          "[programs]") {
  // Much more than logs hold, here 2 x 64 KiB, and pipes.
  SmallCluster cluster{1, 1, [](WorkerConfig& worker) {
                         worker.log_bytes_max = 64 * 1024;
                         worker.log_files = 2;
                       }};
  Observer observer;
  auto outcome = run(cluster,
                     shell("i=0; while [ $i -lt 200 ]; do i=$((i+1)); "
                           "head -c 65535 /dev/zero; echo; done"),
                     observer);
  CHECK(outcome.exit_status == 0);
  CHECK_FALSE(outcome.output_incomplete);
  CHECK(observer.out(0).size() == std::size_t{200} * 65536);
}

TEST_CASE("a run that may drop output says how much it has dropped",
          "[programs]") {
  SmallCluster cluster{1, 1, [](WorkerConfig& worker) {
                         worker.log_bytes_max = 64 * 1024;
                         worker.log_files = 2;
                       }};
  class Counting : public Observer {
  public:
    std::int64_t brought = 0;
    std::int64_t dropped = 0;
    void output(int, bool standard_error, std::string_view data) override {
      if (!standard_error)
        brought += static_cast<std::int64_t>(data.size());
    }
    void output_dropped(int, bool, std::int64_t bytes) override {
      dropped += bytes;
    }
  } observer;
  auto description = shell("head -c 100000000 /dev/zero");
  description.reads_output = false;
  auto outcome = run(cluster, description, observer);
  CHECK(outcome.exit_status == 0);
  CHECK_FALSE(outcome.output_incomplete);
  CHECK(observer.dropped > 0);
  CHECK(observer.brought + observer.dropped == 100'000'000);
}

TEST_CASE(
    "a driver of Spark's has an error when its worker cannot read the jar",
    "[programs]") {
  SmallCluster cluster{
      1, 2, [](WorkerConfig& x) {
        x.spark_homes = {{"/nonexistent/spark", "3.5.9", "/bin/true", {}, {}}};
      }};
  RequestSubmitDriver request;
  auto& driver = request.driver_description;
  driver.name = "sums";
  driver.cores = 1;
  driver.memory_mb = 64;
  driver.command.arguments
      = {"{{WORKER_URL}}", "/nonexistent/sums.jar", "Sums"};
  driver.command.spark = SparkProgram{"3.5.9", "Wrapper"};
  driver.command.spark->jar = "/nonexistent/sums.jar";
  caf::scoped_actor self{cluster.network->system()};
  self->request(cluster.cluster->master(), patience, request)
      .receive([](const SubmitDriverResponse& x) { CHECK(x.success); },
               [](const caf::error&) { FAIL("the master does not answer"); });
  auto deadline = std::chrono::steady_clock::now() + patience;
  auto state = cluster.state();
  while (state.completed_drivers.empty()
         && std::chrono::steady_clock::now() < deadline)
    state = cluster.state();
  REQUIRE(state.completed_drivers.size() == 1);
  const auto& ended = state.completed_drivers.front();
  CHECK(ended.state == DriverState::ERROR);
  // As Spark's workers say it.
  CHECK(ended.message
        == "java.nio.file.NoSuchFileException: /nonexistent/sums.jar");
}
