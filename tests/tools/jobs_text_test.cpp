// What people read of jobs, their stages, and what tasks wait for.

#include "tools/stoker/jobs_text.hpp"

#include <sstream>

#include "tests/support/catch.hpp"
#include "tools/stoker/planning_text.hpp"

using namespace stoker;

namespace {

constexpr std::int64_t shown_at_ms = 1'000'000;

JobsResponse two_applications() {
  JobsResponse x;
  for (const auto* id : {"app-1", "app-2"}) {
    ApplicationJobs app;
    app.app_id = AppId{id};
    app.user = "ann";
    app.jobs.resize(2);
    auto& running = app.jobs[0];
    running.id = JobId{1};
    running.name = "count";
    running.submitted_ms = shown_at_ms - 90'000;
    running.stages = 2;
    running.stages_complete = 1;
    running.tasks = 10;
    running.done = 7;
    running.running = 2;
    running.failed = 1;
    auto& failed = app.jobs[1];
    failed.status = JobStatus::FAILED;
    failed.submitted_ms = 1000;
    failed.ended_ms = 3000;
    failed.message = "task 2 of stage 'a' failed 4 times";
    app.stages.resize(3);
    app.stages[0].id = StageId{4};
    app.stages[0].name = "split";
    app.stages[0].status = StageStatus::ACTIVE;
    app.stages[0].jobs = {JobId{1}, JobId{2}, JobId{3}, JobId{4}};
    app.stages[0].tasks = 8;
    app.stages[0].started_ms = shown_at_ms - 60'000;
    app.stages[0].waits = "6 tasks wait for free cores: 2 of 2 are in use";
    app.stages[1].id = StageId{5};
    app.stages[1].name = "join";
    app.stages[2].status = StageStatus::SKIPPED;
    app.stages[2].ended_ms = 3000;
    x.applications.push_back(app);
  }
  return x;
}

template <class Print>
std::string printed(Print print, const JobsResponse& x) {
  std::ostringstream out;
  print(out, x, shown_at_ms);
  return out.str();
}

} // namespace

TEST_CASE("jobs that run are shown before those that have ended", "[text]") {
  auto x = two_applications();
  x.left_out = 3;
  x.applications.front().jobs_left_out = 4;
  x.applications.back().jobs_left_out = 1;
  CHECK(printed(print_jobs, x)
        == "Jobs\n"
           "  APPLICATION  JOB  NAME   USER  STATE    STAGES DONE  TASKS DONE  "
           "RUNNING  FAILED  ELAPSED     MESSAGE\n"
           "  app-1        1    count  ann   RUNNING  1 of 2       7 of 10     "
           "2        1       1 min 30 s  -\n"
           "  app-2        1    count  ann   RUNNING  1 of 2       7 of 10     "
           "2        1       1 min 30 s  -\n"
           "  app-1        0           ann   FAILED   0 of 0       0 of 0      "
           "0        0       2 s         task 2 of stage 'a' failed 4 times\n"
           "  app-2        0           ann   FAILED   0 of 0       0 of 0      "
           "0        0       2 s         task 2 of stage 'a' failed 4 times\n"
           "  and 3 more\n"
           "  and 5 that drivers no longer tell of\n");
}

TEST_CASE("stages are shown with what their tasks wait for", "[text]") {
  auto x = two_applications();
  x.applications.pop_back();
  CHECK(printed(print_stages, x)
        == "Stages\n"
           "  APPLICATION  STAGE  NAME   JOB        STATE    TASKS DONE  "
           "RUNNING  FAILED  ELAPSED  CPU    WAITS\n"
           "  app-1        4      split  1,2,3,...  ACTIVE   0 of 8      "
           "0        0       1 min    0.0 s  6 tasks wait for free cores: 2 of "
           "2 are in use\n"
           "  app-1        5      join              PENDING  0 of 0      "
           "0        0       -        0.0 s  -\n"
           "  app-1        0                        SKIPPED  0 of 0      "
           "0        0       -        0.0 s  -\n");
  CHECK(printed(print_stages, {}) == "Stages\n  (none)\n");
}

TEST_CASE("an explanation says what tasks wait for, and how old that is",
          "[text]") {
  ExplanationResponse x;
  x.app_id = AppId{"app-1"};
  x.name = "sort";
  x.user = "ann";
  x.state = ApplicationState::RUNNING;
  x.executors = 2;
  x.cores = 2;
  x.reasons = {"it has all"};
  x.tasks = TasksExplanation{4000, 1, 2, 2, {"stage 0 'a': evil\x1b[2J"}};
  std::ostringstream out;
  print_explanation(out, x);
  CHECK(out.str()
        == "app-1 'sort' of ann: RUNNING, 2 executors, 2 cores\n"
           "- it has all\n"
           "\n"
           "Tasks, as its driver said 4 s ago: 1 job runs 2 tasks on 2 "
           "executors\n"
           "- stage 0 'a': evil?[2J\n");
}

TEST_CASE("an explanation of a driver that has no job says so", "[text]") {
  ExplanationResponse x;
  x.app_id = AppId{"app-1"};
  x.state = ApplicationState::RUNNING;
  x.tasks = TasksExplanation{4000, 0, 0, 2, {}};
  std::ostringstream out;
  print_explanation(out, x);
  CHECK(out.str().find("4 s ago: no job runs; it has 2 executors\n")
        != std::string::npos);
  x.tasks->executors = 0;
  print_explanation(out, x);
  CHECK(out.str().find("4 s ago: no job runs; it has no executors\n")
        != std::string::npos);
}
