// What a session knows of its stages.

#include "embedding/session_host.hpp"

#include "scheduling/jobs/job_scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE("tasks that wait at their executor do not run yet", "[embedding]") {
  using std::chrono::seconds;
  TemporaryDirectory directory;
  SessionHost host{*ApplicationSecret::make(), directory.path("")};
  JobsConfig config;
  config.queued_work = seconds{10};
  JobScheduler scheduler{config};
  Instant now{seconds{1}};
  RegisterExecutor executor{0, WorkerId{"w"}, "h", 1, {"h", 7000, "/o", "w"}};
  static_cast<void>(scheduler.step(now, executor));
  JobSubmitted submitted;
  StageSpec stage;
  stage.name = "a";
  stage.tasks = 4;
  stage.is_result = true;
  submitted.job.stages.push_back(stage);
  static_cast<void>(scheduler.step(now, submitted));
  // It takes a second: the others may wait for their turn there.
  StatusUpdates done;
  done.ended.emplace_back().run_ms = 1000;
  static_cast<void>(scheduler.step(now + seconds{1}, done));
  REQUIRE(scheduler.state().stages.at(stage.id).tasks->running() == 3);
  host.stepped(scheduler.state());
  auto progress = host.progress().at(stage.id);
  CHECK(progress.done == 1);
  CHECK(progress.running == 1);
}
