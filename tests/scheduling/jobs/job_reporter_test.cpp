// When a driver says what its jobs do, and how much of it.

#include "scheduling/jobs/job_reporter.hpp"

#include "scheduling/jobs/job_scheduler.hpp"
#include "scheduling/master/size_limits.hpp"
#include "tests/scheduling/jobs/job_trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

JobSubmitted job_of(int id, std::initializer_list<const char*> stages) {
  JobSubmitted result;
  result.job.id = JobId{id};
  result.job.name = "job";
  for (const auto* text : stages)
    result.job.stages.push_back(stage_spec(text));
  result.job.stages.back().is_result = true;
  return result;
}

/// A scheduler, and what is said of it.
struct Reported {
  Instant now{1'000s};
  JobScheduler scheduler{JobsConfig{}};
  JobReporter reporter;
  std::vector<ReportJobs> said;
  std::optional<Instant> again;

  void step(const JobsEvent& x) {
    reporter.before(now, x);
    for (const auto& effect : scheduler.step(now, x))
      reporter.hear(now, effect);
    auto next = reporter.after(now, scheduler.state());
    if (next.report)
      said.push_back(*std::move(next.report));
    if (next.again)
      again = next.again;
  }

  /// What was asked for comes.
  void wake() {
    REQUIRE(again);
    now = *std::exchange(again, std::nullopt);
    step(JobsTick{});
  }

  void finish(int stage, int task, int exec_id = 0) {
    StatusUpdates x;
    x.exec_id = exec_id;
    x.ended.emplace_back();
    x.ended.back().id = {StageId{stage}, task, 0};
    step(x);
  }
};

} // namespace

TEST_CASE("a driver says at once what has changed, and then at most once a "
          "second",
          "[jobs]") {
  Reported x;
  x.step(job_of(0, {"0x3"}));
  REQUIRE(x.said.size() == 1);
  CHECK(x.said.back().jobs.front().status == JobStatus::RUNNING);
  x.now += 300ms;
  x.step(executor(0, 1));
  x.now += 300ms;
  x.finish(0, 0);
  x.finish(0, 1);
  CHECK(x.said.size() == 1);
  // A second after the first, and not after the last.
  CHECK(x.again == Instant{1'001s});
  x.wake();
  REQUIRE(x.said.size() == 2);
  CHECK(x.said.back().executors == 1);
  CHECK(x.said.back().stages.front().done == 2);
  CHECK_FALSE(x.again);
  x.now += 5s;
  x.finish(0, 2);
  REQUIRE(x.said.size() == 3);
  CHECK(x.said.back().jobs.front().status == JobStatus::SUCCEEDED);
}

TEST_CASE("a driver says nothing when nothing has changed", "[jobs]") {
  Reported x;
  x.step(JobsTick{});
  CHECK(x.said.empty());
  x.now += 1s;
  x.step(job_of(0, {"0x3"}));
  for (int i = 0; i < 10; ++i) {
    x.now += 400ms;
    x.step(JobsTick{});
  }
  CHECK(x.said.size() == 1);
  CHECK(x.reporter.stop(x.now, x.scheduler.state(), "over"));
  CHECK_FALSE(x.reporter.stop(x.now, x.scheduler.state(), "over"));
}

TEST_CASE("what the attempts of a stage have used adds up, also of those that "
          "failed",
          "[jobs]") {
  Reported x;
  auto job = job_of(0, {"0x2"});
  job.job.stages.front().cores = 2;
  x.step(job);
  x.step(executor(0, 4));
  StatusUpdates ended;
  for (auto task : {0, 1}) {
    auto& status = ended.ended.emplace_back();
    status.id = {StageId{0}, task, 0};
    status.state = task == 0 ? TaskState::FINISHED : TaskState::FAILED;
    status.run_ms = 100;
    status.cpu_ms = 70 + task;
    status.peak_memory_mb = 40 - task;
    status.bytes_written = 1'000;
  }
  x.now += 1s;
  x.step(ended);
  const auto& stage = x.said.back().stages.front();
  CHECK(stage.core_ms == 400);
  CHECK(stage.use == ResourceUse{141, 40, 2'000});
}

TEST_CASE("in the last that a driver says no job runs", "[jobs]") {
  Reported x;
  x.step(executor(0, 1));
  x.step(job_of(0, {"0x2", "1x1<0"}));
  auto last = x.reporter.stop(x.now, x.scheduler.state(), "it is over");
  REQUIRE(last);
  CHECK(last->jobs.front().status == JobStatus::KILLED);
  CHECK(last->jobs.front().message == "it is over");
  CHECK(last->jobs.front().running == 0);
  REQUIRE(last->stages.size() == 2);
  CHECK(last->stages.front().status == StageStatus::FAILED);
  CHECK(last->stages.front().running == 0);
  CHECK(last->stages.back().status == StageStatus::SKIPPED);
  CHECK(last->stages.back().waits.empty());
}

TEST_CASE("what a driver says is no more than a master takes", "[jobs]") {
  Reported x;
  SECTION("jobs that ended") {
    for (int i = 0; i < 250; ++i) {
      x.step(job_of(i, {(std::to_string(i) + "x1").c_str()}));
      x.step(JobCancelled{JobId{i}, "it is not wanted"});
    }
    x.now += 1s;
    x.step(JobsTick{});
    const auto& report = x.said.back();
    CHECK(report.jobs.size() == reported_jobs_max);
    // The last ones.
    CHECK(report.jobs.front().id == JobId{249});
    CHECK(report.jobs_left_out == 150);
  }
  SECTION("jobs that run") {
    for (int i = 0; i < 250; ++i)
      x.step(job_of(i, {(std::to_string(i) + "x1").c_str()}));
    x.now += 1s;
    x.step(JobsTick{});
    CHECK(x.said.back().jobs.size() == reported_jobs_max);
    CHECK(x.said.back().jobs_left_out == 150);
  }
  SECTION("stages, of which those that are active are told") {
    // Each reads the one behind it.
    JobSubmitted job;
    for (int i = 0; i < 2000; ++i)
      job.job.stages.push_back(
          stage_spec(std::to_string(i) + "x1"
                     + (i == 1999 ? "" : "<" + std::to_string(i + 1))));
    job.job.stages.front().is_result = true;
    x.step(job);
    const auto& report = x.said.back();
    CHECK(report.stages.size() == reported_stages_max);
    CHECK(report.stages_left_out == 1500);
    CHECK(report.stages.back().id == StageId{1999});
    CHECK(report.stages.back().status == StageStatus::ACTIVE);
    CHECK(report.jobs.front().stages == 2000);
    CHECK(report.jobs.front().tasks == 2000);
    // And forgotten when there is a later one.
    x.step(JobCancelled{JobId{0}, "it is not wanted"});
    x.step(job_of(1, {"3000x1"}));
    x.step(JobCancelled{JobId{1}, "it is not wanted"});
    x.now += 1s;
    x.step(JobsTick{});
    CHECK(x.said.back().jobs.size() == 1);
    CHECK(x.said.back().stages.size() == 1);
    CHECK(x.said.back().jobs_left_out == 1);
  }
  SECTION("texts") {
    auto job = job_of(0, {"0x1", "1x1<0"});
    for (int i = 0; i < 1000; ++i)
      job.job.name += "\xff";
    job.job.pool = job.job.stages[0].name = job.job.name;
    x.step(job);
    x.step(JobCancelled{JobId{0}, job.job.name});
    x.now += 1s;
    x.step(JobsTick{});
  }
  for (const auto& report : x.said) {
    auto fits = check_sizes(report);
    INFO((fits ? "" : fits.error().message));
    CHECK(fits);
  }
}
