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

  [[nodiscard]] bool has(const ProgramId& id) {
    return worker->logic().has(id);
  }
  [[nodiscard]] std::optional<std::string> log_directory(const ProgramId& id) {
    return worker->logic().log_directory(id);
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
                       {"STOKER_WORK_DIR", "/work/app-1/7"},
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
                       {"STOKER_MASTER", "stoker://m1:7070"},
                       {"STOKER_DRIVER_ID", "driver-1"},
                       {"STOKER_CORES", "3"},
                       {"STOKER_MEMORY_MB", "700"},
                       {"STOKER_WORKER_ID", "w1"},
                       {"STOKER_WORK_DIR", "/work/driver-1"}});
}

TEST_CASE_METHOD(WorkerFixture, "output is found where programs were started",
                 "[worker]") {
  (void)step(launch());
  CHECK(log_directory(executor("app-1", 7)) == "/work/app-1/7");
  // Ended, or of a worker before a restart: the directory may still be there.
  CHECK(log_directory(executor("app-9", 0)) == "/work/app-9/0");
  CHECK(log_directory(DriverId{"driver-9"}) == "/work/driver-9");
}

TEST_CASE_METHOD(WorkerFixture, "the output of the last attempt is shown",
                 "[worker]") {
  LaunchDriver x;
  x.driver_id = DriverId{"driver-1"};
  x.driver_desc.supervise = true;
  (void)step(x);
  (void)step(ProcessEnded{x.driver_id, 1, std::nullopt});
  now += 1s;
  (void)step(WorkerTick{});
  CHECK(log_directory(x.driver_id) == "/work/driver-1/attempt-2");
}

TEST_CASE_METHOD(WorkerFixture, "a request for output cannot lead elsewhere",
                 "[worker]") {
  (void)step(WorkerTick{});
  for (const auto* id :
       {"", "..", ".", "a/b", "../etc", "/etc", "a b", "a\n"}) {
    INFO(id);
    CHECK_FALSE(log_directory(executor(id, 0)));
    CHECK_FALSE(log_directory(DriverId{id}));
  }
}

TEST_CASE_METHOD(WorkerFixture, "a worker knows what it has until its end",
                 "[worker]") {
  (void)step(WorkerTick{});
  CHECK_FALSE(has(executor("app-1", 7)));
  (void)step(launch());
  CHECK(has(executor("app-1", 7)));
  CHECK_FALSE(has(executor("app-1", 8)));
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
  CHECK(step(RegisteredWorker{}).size() <= 1001);
  CHECK_FALSE(has(DriverId{"driver-10000"}));
  CHECK(has(DriverId{"driver-12999"}));
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
