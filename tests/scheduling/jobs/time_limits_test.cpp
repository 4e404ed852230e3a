// Stages that take too long, and what is left out for a while only: exactly at and
// beside the end of the time.

#include "scheduling/jobs/time_limits.hpp"

#include <optional>
#include <string>
#include <variant>

#include "scheduling/jobs/job_invariants.hpp"
#include "tests/scheduling/jobs/job_trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// Jobs of one stage each.
class Driver {
public:
  explicit Driver(JobsConfig config = {}) : scheduler_(std::move(config)) {
  }

  void submit(int id, const char* stage, std::optional<Duration> limit = {},
              bool is_barrier = false) {
    JobSubmitted x;
    x.job.id = JobId{id};
    x.job.name = "job";
    auto& spec = x.job.stages.emplace_back(stage_spec(stage));
    spec.time_limit = limit;
    spec.is_barrier = is_barrier;
    spec.is_result = true;
    step(x);
  }

  void end(const char* attempt, TaskState state = TaskState::FINISHED,
           int exec_id = 0) {
    StatusUpdates x;
    x.exec_id = exec_id;
    auto& status = x.ended.emplace_back();
    status.id = task_attempt(attempt);
    status.state = state;
    status.error = "x";
    step(x);
  }

  void step(const JobsEvent& x) {
    for (const auto& effect : scheduler_.step(now, x))
      if (const auto* ended = std::get_if<JobEnded>(&effect))
        told += to_string(ended->outcome) + ' ' + to_string(ended->job) + ' '
                + ended->why;
      else if (const auto* wake = std::get_if<JobsWakeAt>(&effect))
        wake_up = wake->when;
    CHECK_FALSE(invariant_violation(scheduler_.state()));
  }

  /// What was said since the last time, after a look at the clock.
  std::string at(Duration time) {
    now = Instant{time};
    step(JobsTick{});
    return std::exchange(told, {});
  }

  [[nodiscard]] std::optional<Instant> next_limit() const {
    return next_time_limit(scheduler_.state());
  }
  [[nodiscard]] int running() const {
    auto result = 0;
    for (const auto& [id, stage] : scheduler_.state().stages)
      result += stage.tasks ? stage.tasks->running() : 0;
    return result;
  }

  Instant now;
  std::optional<Instant> wake_up;
  std::string told;

private:
  JobScheduler scheduler_;
};

constexpr const char* too_long
    = "failed 0 stage 's0' took longer than its time limit, 10 s";

} // namespace

TEST_CASE("a stage's time counts from its first task, not while it waits",
          "[jobs]") {
  auto is_barrier = GENERATE(false, true);
  INFO("barrier " << is_barrier);
  Driver x;
  x.submit(0, "0x2", 10s, is_barrier);
  CHECK_FALSE(x.next_limit());
  CHECK(x.at(20s).empty());
  x.step(executor(0, 2));
  CHECK(x.next_limit() == Instant{30s});
  CHECK(x.wake_up == Instant{30s});
  CHECK(x.at(29'999ms).empty());
  CHECK(x.at(30s) == too_long);
  CHECK_FALSE(x.next_limit());
}

TEST_CASE("a stage that ends in time has no limit any more", "[jobs]") {
  Driver x;
  x.step(executor(0, 2));
  x.submit(0, "0x1", 10s);
  x.submit(1, "1x1", 20s);
  CHECK(x.next_limit() == Instant{10s});
  x.end("0/0.0");
  CHECK(x.at(10s) == "succeeded 0 ");
  CHECK(x.next_limit() == Instant{20s});
  CHECK(x.at(20s)
        == "failed 1 stage 's1' took longer than its time limit, 20 s");
}

TEST_CASE("a stage that is complete is not late while others read it",
          "[jobs]") {
  Driver x;
  x.step(executor(0, 1));
  JobSubmitted job;
  job.job.id = JobId{0};
  job.job.name = "job";
  job.job.stages = {stage_spec("7x1"), stage_spec("0x1<7")};
  job.job.stages[0].time_limit = 10s;
  job.job.stages[1].is_result = true;
  x.step(job);
  x.end("7/0.0");
  CHECK(x.at(10s).empty());
  CHECK_FALSE(x.next_limit());
  x.end("0/0.0");
  CHECK(x.at(11s) == "succeeded 0 ");
}

TEST_CASE("a task that is tried again does not begin its stage's time anew",
          "[jobs]") {
  Driver x;
  x.step(executor(0, 1));
  auto is_barrier = GENERATE(false, true);
  INFO("barrier " << is_barrier);
  x.submit(0, "0x1", 10s, is_barrier);
  CHECK(x.at(9s).empty());
  x.end("0/0.0", TaskState::FAILED);
  CHECK(x.at(9'999ms).empty());
  CHECK(x.at(10s) == too_long);
}

TEST_CASE("a stage of several jobs that takes too long fails all of them",
          "[jobs]") {
  Driver x;
  x.step(executor(0, 1));
  // The results of each are made from the same outputs.
  for (int id = 0; id < 2; ++id) {
    JobSubmitted job;
    job.job.id = JobId{id};
    job.job.name = "job";
    job.job.stages
        = {stage_spec("7x2"), stage_spec(id == 0 ? "0x1<7" : "1x1<7")};
    job.job.stages[0].time_limit = 10s;
    job.job.stages[1].is_result = true;
    x.step(job);
  }
  CHECK(x.at(10s)
        == "failed 0 stage 's7' took longer than its time limit, 10 s"
           "failed 1 stage 's7' took longer than its time limit, 10 s");
  CHECK_FALSE(x.next_limit());
}

TEST_CASE("an executor that was left out gets tasks again after its time",
          "[jobs]") {
  JobsConfig config;
  config.exclusion.enabled = true;
  config.exclusion.timeout = 60s;
  Driver x{config};
  x.step(executor(0, 1));
  x.now = Instant{1s};
  // Each failure is another task's.
  for (int id = 0; id < 2; ++id) {
    x.submit(id, (std::to_string(id) + "x1").c_str());
    x.end((std::to_string(id) + "/0.0").c_str(), TaskState::FAILED);
  }
  x.submit(2, "2x1");
  INFO(x.told);
  CHECK(x.running() == 0);
  (void)x.at(60'999ms);
  CHECK(x.running() == 0);
  (void)x.at(61s);
  CHECK(x.running() == 1);
}
