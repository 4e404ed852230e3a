// How long the local files of Spark's executors stay.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/scheduling/worker/played_worker.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Texts = std::vector<std::string>;

const AppId app{"app-1"};

Texts removed_by(const WorkerEffects& effects) {
  Texts result;
  for (const auto& effect : effects)
    if (const auto* x = std::get_if<RemoveDirectory>(&effect))
      result.push_back(x->path);
  return result;
}

bool stops(const WorkerEffects& effects) {
  return std::ranges::any_of(effects, [](const auto& x) {
    return std::holds_alternative<StopWorker>(x);
  });
}

/// A registered worker with a Spark.
struct SparkFilesFixture {
  stoker::test::PlayedWorker worker;
  Instant now;

  explicit SparkFilesFixture(bool is_registered = true) : worker(config()) {
    if (is_registered)
      worker.start_registered(now);
  }

  static WorkerConfig config() {
    auto result = stoker::test::traced_worker();
    result.spark_homes = {{"/spark", "3.5.9", "/java", "/spark/conf", ""}};
    result.spark_directory = "/local";
    return result;
  }

  void launch(int exec_id, bool is_spark = true) {
    LaunchExecutor x;
    x.app_id = app;
    x.exec_id = exec_id;
    x.app_desc.command.arguments = {"work"};
    if (is_spark)
      x.app_desc.command.spark = SparkProgram{"3.5.9", "Main", {}, {}, {}};
    (void)worker.step(now, x);
    (void)worker.step(now, ProcessStarted{ExecutorId{app, exec_id}});
  }

  Texts end(int exec_id) {
    return removed_by(worker.step(
        now, ProcessEnded{ExecutorId{app, exec_id}, 0, std::nullopt}));
  }

  Texts finish() {
    return removed_by(worker.step(now, ApplicationFinished{app}));
  }

  bool leaves(const auto& what) {
    return stops(worker.step(now, what));
  }

  /// An executor registers with the shuffle service, and ends under a worker that is to leave.
  /// @return true if the worker leaves then
  bool leaves_after_serving() {
    launch(0);
    (void)worker.step(now, ShuffleServed{app});
    (void)worker.step(now, DecommissionWorker{});
    (void)end(0);
    return leaves(StateAcknowledged{ExecutorId{app, 0}, ExecutorState::EXITED});
  }
};

} // namespace

TEST_CASE_METHOD(
    SparkFilesFixture,
    "local files outlive an executor, and go with its application") {
  launch(0);
  CHECK(end(0).empty());
  CHECK(finish() == Texts{"/local/app-1"});
  CHECK(finish().empty());
}

TEST_CASE_METHOD(SparkFilesFixture,
                 "local files stay until the last executor has ended") {
  launch(0);
  launch(1);
  CHECK(finish().empty());
  CHECK(end(0).empty());
  CHECK(end(1) == Texts{"/local/app-1"});
}

TEST_CASE_METHOD(SparkFilesFixture,
                 "local files stay if the application goes on after all") {
  launch(0);
  CHECK(finish().empty());
  launch(1);
  CHECK(end(0).empty());
  CHECK(end(1).empty());
  CHECK(finish() == Texts{"/local/app-1"});
}

TEST_CASE_METHOD(SparkFilesFixture, "other applications have no such files") {
  launch(0, false);
  CHECK(end(0).empty());
  CHECK(finish().empty());
}

TEST_CASE(
    "a restarted worker asks whether the owner of local files has ended") {
  SparkFilesFixture x{false};
  ProgramsFound found;
  found.directories = {"app-1", "app-0"};
  found.spark_files = {app, AppId{"../x"}};
  (void)x.worker.step(x.now, found);
  (void)x.worker.step(x.now, WorkerStarted{});
  (void)x.worker.step(x.now, MasterConnected{});
  std::optional<WorkerLatestState> state;
  for (const auto& effect :
       x.worker.step(x.now, RegisteredWorker{"stoker://m1:7070", false}))
    if (const auto* tell = std::get_if<SendWorkerMessage>(&effect))
      if (const auto* y = std::get_if<WorkerLatestState>(&tell->message))
        state = *y;
  REQUIRE(state);
  CHECK(state->applications == std::vector<AppId>{app});
  CHECK(x.finish() == Texts{"/local/app-1"});
}

TEST_CASE_METHOD(SparkFilesFixture,
                 "a worker leaves when no application fetches from it",
                 "[worker]") {
  CHECK_FALSE(leaves_after_serving());
  CHECK_FALSE(leaves(ApplicationFinished{AppId{"app-2"}}));
  CHECK(leaves(ApplicationFinished{app}));
}

TEST_CASE_METHOD(SparkFilesFixture,
                 "a worker leaves when applications had long enough to fetch",
                 "[worker]") {
  CHECK_FALSE(leaves_after_serving());
  now += config().decommission_timeout - Duration{1};
  CHECK_FALSE(leaves(WorkerTick{}));
  now += Duration{1};
  CHECK(leaves(WorkerTick{}));
}

TEST_CASE_METHOD(SparkFilesFixture,
                 "a worker does not wait for an executor that registers late",
                 "[worker]") {
  launch(0);
  (void)worker.step(now, DecommissionWorker{});
  now += config().decommission_timeout;
  (void)worker.step(now, WorkerTick{});
  (void)worker.step(now, ShuffleServed{app});
  (void)end(0);
  CHECK(leaves(StateAcknowledged{ExecutorId{app, 0}, ExecutorState::KILLED}));
}

TEST_CASE("a worker that is started again waits for what it has served before",
          "[worker]") {
  auto config = SparkFilesFixture::config();
  config.shuffle_served = {app};
  stoker::test::PlayedWorker worker{config};
  Instant now;
  (void)worker.step(now, ProgramsFound{{}, {}, {}, {app}});
  worker.start_registered(now);
  CHECK_FALSE(stops(worker.step(now, DecommissionWorker{})));
  CHECK(stops(worker.step(now, ApplicationFinished{app})));
}

TEST_CASE_METHOD(SparkFilesFixture,
                 "a worker leaves at once when it is stopped", "[worker]") {
  CHECK_FALSE(leaves_after_serving());
  CHECK(leaves(WorkerStopRequested{}));
}
