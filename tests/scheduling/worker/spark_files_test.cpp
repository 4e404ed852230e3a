// How long the local files of Spark's executors stay.

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
