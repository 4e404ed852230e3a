// What traces do not show of scheduling/worker/worker_logic.hpp.

#include "scheduling/worker/worker_logic.hpp"

#include <algorithm>
#include <set>

#include "tests/scheduling/worker/played_worker.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/problem.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Environment = std::map<std::string, std::string>;

/// A registered worker.
struct WorkerFixture {
  WorkerConfig config = stoker::test::traced_worker();
  std::optional<stoker::test::PlayedWorker> worker;
  Instant now;

  template <class T>
  WorkerEffects step(const T& what) {
    if (!worker) {
      worker.emplace(config);
      worker->start_registered(now);
    }
    return worker->step(now, what);
  }

  [[nodiscard]] std::optional<OutputSource> find_output(const ProgramId& id,
                                                        int attempt = 0) {
    auto position = about<OutputPosition>(id);
    position.attempt = attempt;
    return worker->logic().find_output(position);
  }

  /// The process that `what` has the worker start.
  template <class T>
  StartProcess started_by(const T& what) {
    for (const auto& effect : step(what))
      if (const auto* start = std::get_if<StartProcess>(&effect))
        return *start;
    FAIL("nothing was started");
    return {};
  }
};

LaunchExecutor launch() {
  LaunchExecutor result;
  result.app_id = AppId{"app-1"};
  result.exec_id = 7;
  result.app_desc.command.arguments = {"work", "hard"};
  result.cores = 2;
  result.memory_mb = 512;
  return result;
}

/// Of an application that reads what its executors write.
LaunchExecutor launch_read() {
  auto result = launch();
  result.app_desc.reads_output = true;
  return result;
}

ExecutorId executor(const std::string& app_id, int exec_id) {
  return {AppId{app_id}, exec_id};
}

} // namespace

TEST_CASE_METHOD(WorkerFixture, "an executor learns who and where it is",
                 "[worker]") {
  config.environment = {{"PATH", "/bin"}, {"LANG", "C"}};
  auto x = launch();
  x.app_desc.command.environment = {{"LANG", "de"}, {"MINE", "1"}};
  x.index = 3;
  x.app_desc.instances = Instances{5, 0};
  auto start = started_by(x);
  CHECK(start.id == ProgramId{executor("app-1", 7)});
  CHECK(start.directory == "/work/app-1/7");
  CHECK(start.program_directory == "/work/app-1/7/work");
  CHECK(start.command.arguments == std::vector<std::string>{"work", "hard"});
  CHECK(start.command.environment
        == Environment{{"PATH", "/bin"},
                       {"LANG", "de"},
                       {"MINE", "1"},
                       {"STOKER_MASTER", "stoker://m1:7070"},
                       {"STOKER_APP_ID", "app-1"},
                       {"STOKER_EXECUTOR_ID", "7"},
                       {"STOKER_CORES", "2"},
                       {"STOKER_MEMORY_MB", "512"},
                       {"STOKER_WORKER_ID", "w1"},
                       {"STOKER_HOST", config.host},
                       {"STOKER_WORK_DIR", "/work/app-1/7/work"},
                       {"STOKER_INDEX", "3"},
                       {"STOKER_COUNT", "5"}});
}

TEST_CASE_METHOD(WorkerFixture, "an executor that is no instance has no index",
                 "[worker]") {
  auto environment = started_by(launch()).command.environment;
  CHECK_FALSE(environment.contains("STOKER_INDEX"));
  CHECK_FALSE(environment.contains("STOKER_COUNT"));
}

TEST_CASE_METHOD(WorkerFixture,
                 "a program cannot pretend to be another executor",
                 "[worker]") {
  auto x = launch();
  x.app_desc.command.environment = {{"STOKER_APP_ID", "app-2"}};
  CHECK(started_by(x).command.environment.at("STOKER_APP_ID") == "app-1");
}

TEST_CASE_METHOD(WorkerFixture, "a driver learns who and where it is",
                 "[worker]") {
  config.environment = {{"PATH", "/bin"}};
  LaunchDriver x;
  x.driver_id = DriverId{"driver-1"};
  x.driver_desc.command.arguments = {"drive"};
  x.driver_desc.cores = 3;
  x.driver_desc.memory_mb = 700;
  auto start = started_by(x);
  CHECK(start.id == ProgramId{DriverId{"driver-1"}});
  CHECK(start.directory == "/work/driver-1");
  CHECK(start.command.environment
        == Environment{{"PATH", "/bin"},
                       {"SPARK_SUBMIT_OPTS",
                        "-Dspark.executorEnv.STOKER_DRIVER_ID=driver-1"},
                       {"STOKER_MASTER", "stoker://m1:7070"},
                       {"STOKER_DRIVER_ID", "driver-1"},
                       {"STOKER_CORES", "3"},
                       {"STOKER_MEMORY_MB", "700"},
                       {"STOKER_WORKER_ID", "w1"},
                       {"STOKER_HOST", config.host},
                       {"STOKER_WORK_DIR", "/work/driver-1/work"}});
}

TEST_CASE_METHOD(WorkerFixture,
                 "options of a driver's spark-submit name the driver last",
                 "[worker]") {
  LaunchDriver x;
  x.driver_id = DriverId{"driver-1"};
  x.driver_desc.command.arguments = {"drive"};
  auto options = [&] {
    return started_by(x).command.environment.at("SPARK_SUBMIT_OPTS");
  };
  const std::string own = " -Dspark.executorEnv.STOKER_DRIVER_ID=driver-1";
  SECTION("after those of the user") {
    config.environment = {{"SPARK_SUBMIT_OPTS", "-Dmachine"}};
    x.driver_desc.command.environment = {{"SPARK_SUBMIT_OPTS", "-Duser"}};
    CHECK(options() == "-Duser" + own);
  }
  SECTION("after those of the worker") {
    config.environment = {{"SPARK_SUBMIT_OPTS", "-Dmachine"}};
    CHECK(options() == "-Dmachine" + own);
  }
}

TEST_CASE_METHOD(WorkerFixture, "output is found where programs were started",
                 "[worker]") {
  (void)step(launch());
  CHECK(find_output(executor("app-1", 7))->directory == "/work/app-1/7");
  // Ended, or of a worker before a restart: the directory may still be there.
  CHECK(find_output(executor("app-9", 0))->directory == "/work/app-9/0");
  CHECK(find_output(DriverId{"driver-9"})->directory == "/work/driver-9");
}

TEST_CASE_METHOD(WorkerFixture,
                 "the output of any attempt of a driver is found", "[worker]") {
  LaunchDriver x;
  x.driver_id = DriverId{"driver-1"};
  x.driver_desc.supervise = true;
  (void)step(x);
  auto first = find_output(x.driver_id);
  CHECK(first->attempt == 1);
  CHECK(first->grows);
  (void)step(ProcessEnded{x.driver_id, 1, std::nullopt});
  // It pauses. What the next attempt will write is waited for.
  CHECK(find_output(x.driver_id, 1)->restarts);
  CHECK_FALSE(find_output(x.driver_id, 1)->grows);
  CHECK(find_output(x.driver_id, 2)->grows);
  now += 1s;
  (void)step(WorkerTick{});
  auto second = find_output(x.driver_id);
  CHECK(second->directory == "/work/driver-1/attempt-2");
  CHECK(second->attempt == 2);
  CHECK(second->grows);
  CHECK_FALSE(second->restarts);
  CHECK(find_output(x.driver_id, 1)->restarts);
  (void)step(ProcessEnded{x.driver_id, 0, std::nullopt});
  CHECK(find_output(x.driver_id, 1)->restarts);
  CHECK_FALSE(find_output(x.driver_id, 2)->restarts);
  CHECK_FALSE(find_output(x.driver_id, 2)->grows);
  CHECK_FALSE(find_output(x.driver_id, 3)->grows);
  CHECK_FALSE(find_output(x.driver_id, -1));
}

TEST_CASE_METHOD(WorkerFixture, "a request for output cannot lead elsewhere",
                 "[worker]") {
  (void)step(WorkerTick{});
  for (const auto* id :
       {"", "..", ".", "a/b", "../etc", "/etc", "a b", "a\n"}) {
    INFO(id);
    CHECK_FALSE(find_output(executor(id, 0)));
    CHECK_FALSE(find_output(DriverId{id}));
  }
  CHECK_FALSE(worker->logic().find_output({}));
}

TEST_CASE_METHOD(WorkerFixture, "output grows until its program has ended",
                 "[worker]") {
  (void)step(WorkerTick{});
  auto id = executor("app-1", 7);
  CHECK_FALSE(find_output(id)->grows);
  (void)step(launch());
  CHECK(find_output(id)->grows);
  CHECK_FALSE(find_output(executor("app-1", 8))->grows);
  (void)step(ProcessEnded{id, 0, std::nullopt});
  CHECK_FALSE(find_output(id)->grows);
}

TEST_CASE_METHOD(WorkerFixture,
                 "an executor waits for its readers if its application reads",
                 "[worker]") {
  auto x = launch();
  CHECK_FALSE(started_by(x).keep_output);
  CHECK_FALSE(find_output(executor("app-1", 7))->waits);
  x.exec_id = 8;
  x.app_desc.reads_output = true;
  CHECK(started_by(x).keep_output);
  CHECK(find_output(executor("app-1", 8))->waits);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker leaves when applications have what it has for them",
                 "[worker]") {
  auto id = executor("app-1", 7);
  auto x = launch_read();
  auto stops = [this](const auto& what) {
    auto effects = step(what);
    return std::any_of(effects.begin(), effects.end(), [](const auto& y) {
      return std::holds_alternative<StopWorker>(y);
    });
  };
  (void)step(x);
  (void)step(DecommissionWorker{});
  (void)step(ProcessEnded{id, 0, std::nullopt});
  CHECK_FALSE(stops(StateAcknowledged{id, ExecutorState::EXITED}));
  // The master knows of the end: it is not told again.
  for (const auto& effect : step(RegisteredWorker{"stoker://m1:7070", true})) {
    CHECK_FALSE(std::holds_alternative<AskMaster>(effect));
    if (const auto* sent = std::get_if<SendWorkerMessage>(&effect))
      if (const auto* state = std::get_if<WorkerLatestState>(&sent->message))
        CHECK(state->executors.empty());
  }
  SECTION("which says so") {
    CHECK_FALSE(stops(OutputTaken{executor("app-1", 8)}));
    CHECK(stops(OutputTaken{id}));
  }
  SECTION("or has ended") {
    CHECK(stops(ApplicationFinished{AppId{"app-1"}}));
  }
}

TEST_CASE_METHOD(
    WorkerFixture,
    "a worker leaves without waiting for readers of executors that "
    "were lost",
    "[worker]") {
  auto id = executor("app-1", 7);
  (void)step(launch_read());
  (void)step(DecommissionWorker{});
  (void)step(ProcessLost{id, "its supervisor was killed"});
  auto effects = step(StateAcknowledged{id, ExecutorState::LOST});
  CHECK(std::any_of(effects.begin(), effects.end(), [](const auto& x) {
    return std::holds_alternative<StopWorker>(x);
  }));
}

TEST_CASE_METHOD(WorkerFixture,
                 "an output that is taken before its end is known is kept",
                 "[worker]") {
  auto id = executor("app-1", 7);
  auto x = launch_read();
  (void)step(x);
  (void)step(OutputTaken{id});
  CHECK(find_output(id)->waits);
}

TEST_CASE_METHOD(WorkerFixture,
                 "ended drivers are not remembered without bounds",
                 "[worker]") {
  for (int i = 0; i < 3000; ++i) {
    LaunchDriver x;
    x.driver_id = DriverId{"driver-" + std::to_string(10000 + i)};
    (void)step(x);
    (void)step(ProcessEnded{x.driver_id, 0, std::nullopt});
  }
  // One message for each that is remembered, and what the worker runs.
  std::set<DriverId> told;
  for (const auto& effect : step(RegisteredWorker{}))
    if (const auto* sent = std::get_if<SendWorkerMessage>(&effect))
      if (const auto* end = std::get_if<DriverStateChanged>(&sent->message))
        told.insert(end->driver_id);
  CHECK(told.size() <= 1000);
  CHECK_FALSE(told.contains(DriverId{"driver-10000"}));
  CHECK(told.contains(DriverId{"driver-12999"}));
}

TEST_CASE_METHOD(WorkerFixture, "wake-ups that are under way do not add up",
                 "[worker]") {
  std::multiset<Instant> pending;
  auto note = [&](const WorkerEffects& effects) {
    for (const auto& x : effects)
      if (const auto* wake = std::get_if<WorkerWakeAt>(&x))
        pending.insert(wake->when);
  };
  note(step(launch()));
  std::size_t most = 0;
  for (int i = 0; i < 2000; ++i, now += 1s) {
    while (!pending.empty() && *pending.begin() <= now) {
      pending.erase(pending.begin());
      note(step(WorkerTick{}));
    }
    // An unacknowledged state wakes the worker earlier than its heartbeat.
    note(step(ProcessStarted{executor("app-1", 7)}));
    note(step(StateAcknowledged{executor("app-1", 7), ExecutorState::RUNNING}));
    most = std::max(most, pending.size());
  }
  CHECK(most <= 5);
}

TEST_CASE("a worker's configuration is checked", "[worker]") {
  auto good = stoker::test::traced_worker();
  CHECK(validate(good));
  auto problem = [&](auto change) {
    auto config = good;
    change(config);
    return stoker::test::problem_in(validate(config));
  };
  CHECK(problem([](auto& x) { x.cores = 0; })
        == "a worker needs at least 1 core, not 0");
  CHECK(problem([](auto& x) { x.memory_mb = -1; })
        == "a worker needs at least 1 MB of memory, not -1");
  CHECK(problem([](auto& x) { x.work_directory.clear(); })
        == "a worker needs a work directory");
  CHECK(problem([](auto& x) { x.heartbeat_interval = 0ms; })
        == "the heartbeat interval must be greater than 0");
  CHECK(problem([](auto& x) { x.retained_directories = -1; })
        == "stoker.worker.retainedDirectories must not be negative");
}
