// What holds of barrier stages whatever happens.

#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "scheduling/jobs/job_invariants.hpp"
#include "scheduling/jobs/job_scheduler.hpp"
#include "tests/scheduling/jobs/job_trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

JobSubmitted job_with_barrier(int id,
                              std::initializer_list<const char*> stages) {
  JobSubmitted result;
  result.job.id = JobId{id};
  result.job.name = "job";
  for (const auto* text : stages) {
    result.job.stages.push_back(stage_spec(text));
    result.job.stages.back().is_barrier = true;
  }
  result.job.stages.back().is_result = true;
  return result;
}

/// What executors and the owner of jobs see, and whether it is as promised.
class Watch {
public:
  void hear(const JobsEffects& effects) {
    std::map<StageId, std::set<int>> begun;
    for (const auto& x : effects) {
      if (const auto* attempt = std::get_if<BarrierAttemptBegun>(&x))
        attempts_[attempt->stage] = {attempt->attempt, attempt->exec_ids};
      else if (const auto* start = std::get_if<StartTasks>(&x))
        for (const auto& id : start->tasks)
          note_start(start->exec_id, id, begun);
      else if (const auto* result = std::get_if<AcceptResult>(&x))
        REQUIRE(results_.emplace(result->id.stage, result->id.task).second);
      else if (const auto* ended = std::get_if<JobEnded>(&x))
        outcomes.emplace(ended->job, ended->outcome);
    }
    for (const auto& [stage, tasks] : begun)
      REQUIRE(tasks.size() == attempts_.at(stage).second.size());
  }

  /// An attempt is known to have ended.
  void ended(const TaskAttempt& id) {
    alive.erase(id);
  }

  /// Where attempts are that have not ended.
  std::map<TaskAttempt, int> alive;
  std::map<JobId, JobOutcome> outcomes;

private:
  void note_start(int exec_id, const TaskAttempt& id,
                  std::map<StageId, std::set<int>>& begun) {
    auto found = attempts_.find(id.stage);
    // Of a plain stage.
    if (found == attempts_.end()) {
      alive.emplace(id, exec_id);
      return;
    }
    const auto& [attempt, exec_ids] = found->second;
    REQUIRE(id.attempt == attempt);
    REQUIRE(exec_ids.at(static_cast<std::size_t>(id.task)) == exec_id);
    // Nothing of an earlier attempt is left.
    for (const auto& [other, where] : alive)
      REQUIRE((other.stage != id.stage || other.attempt == id.attempt));
    alive.emplace(id, exec_id);
    begun[id.stage].insert(id.task);
  }

  std::map<StageId, std::pair<int, std::vector<int>>> attempts_;
  std::set<std::pair<StageId, int>> results_;
};

class RandomBarriers {
public:
  explicit RandomBarriers(std::uint32_t seed) : random_(seed) {
    JobsConfig config;
    config.barrier.reserve_after = 5s;
    config.barrier.reserve_for = pick(3) == 0 ? 0s : 3s;
    config.barrier.slots_checks_max = 1000;
    config.mode = pick(2) == 0 ? SchedulingMode::FIFO : SchedulingMode::FAIR;
    scheduler_ = JobScheduler{config};
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += Duration{pick(500)};
      step(event());
    }
    settle();
  }

private:
  int pick(int n) {
    return static_cast<int>(random_() % static_cast<std::uint32_t>(n));
  }

  void step(const JobsEvent& x) {
    auto effects = scheduler_.step(now_, x);
    for (const auto& effect : effects)
      if (const auto* wake = std::get_if<JobsWakeAt>(&effect))
        REQUIRE(wake->when > now_);
    watch_.hear(effects);
    auto wrong = invariant_violation(scheduler_.state());
    INFO(wrong.value_or(""));
    REQUIRE_FALSE(wrong);
  }

  JobsEvent event() {
    auto what = pick(100);
    if (what < 8)
      return come();
    if (what < 12)
      return submit();
    if (what < 14 && jobs_ > 0)
      return JobCancelled{JobId{pick(jobs_)}, "x", JobOutcome::cancelled};
    if (what < 18 && executors_ > 0)
      return leave(pick(executors_));
    if (what < 20)
      return OutputsGone{WorkerId{"w" + std::to_string(pick(3))}};
    if (what < 22 && executors_ > 0)
      return DecommissionExecutor{pick(executors_), "x"};
    if (what < 25)
      return JobsTick{};
    return end_one();
  }

  JobsEvent come() {
    auto worker = std::to_string(pick(3));
    return executor(executors_++, 1 + pick(4), "h" + worker, "w" + worker);
  }

  JobsEvent leave(int exec_id) {
    std::erase_if(watch_.alive,
                  [&](const auto& x) { return x.second == exec_id; });
    return ExecutorEnded{exec_id,
                         pick(2) == 0 ? ExecutorLoss::by_itself
                                      : ExecutorLoss::from_outside,
                         "x"};
  }

  JobsEvent submit() {
    auto n = jobs_++;
    auto stage = [&](int i) { return std::to_string(3 * n + i); };
    auto size = "x" + std::to_string(1 + pick(5));
    auto one = stage(0) + size;
    if (pick(2) == 0)
      return job_with_barrier(n, {one.c_str()});
    auto two = stage(1) + "x" + std::to_string(1 + pick(4)) + "<" + stage(0);
    auto job = job_with_barrier(n, {one.c_str(), two.c_str()});
    job.job.stages[static_cast<std::size_t>(pick(2))].is_barrier = pick(2) == 0;
    return job;
  }

  JobsEvent end_one() {
    if (watch_.alive.empty())
      return JobsTick{};
    auto i = watch_.alive.begin();
    std::advance(i, pick(static_cast<int>(watch_.alive.size())));
    StatusUpdates result;
    auto& status = result.ended.emplace_back();
    std::tie(status.id, result.exec_id) = *i;
    status.state = pick(8) == 0   ? TaskState::FAILED
                   : pick(8) == 0 ? TaskState::KILLED
                                  : TaskState::FINISHED;
    status.error = "x";
    status.disk_full = pick(10) == 0;
    if (pick(10) == 0)
      status.fetch_failed = FetchFailed{
          {StageId{3 * pick(1 + jobs_)}, pick(2), pick(2)}, pick(2) == 0};
    // It had not begun yet.
    if (pick(12) == 0)
      result.returned = {std::exchange(result.ended, {}).front().id};
    watch_.alive.erase(i);
    return result;
  }

  /// Without faults all jobs end.
  void settle() {
    for (int i = 0; i < 8; ++i)
      step(executor(executors_++, 4, "h", "w"));
    for (int i = 0; i < 20'000 && !scheduler_.state().jobs.empty(); ++i) {
      now_ += 10ms;
      if (watch_.alive.empty()) {
        now_ += 1s;
        step(JobsTick{});
        continue;
      }
      StatusUpdates done;
      auto& status = done.ended.emplace_back();
      std::tie(status.id, done.exec_id) = *watch_.alive.begin();
      watch_.alive.erase(watch_.alive.begin());
      step(done);
    }
    REQUIRE(scheduler_.state().jobs.empty());
  }

  std::minstd_rand random_;
  JobScheduler scheduler_{JobsConfig{}};
  Watch watch_;
  Instant now_;
  int jobs_ = 0;
  int executors_ = 0;
};

} // namespace

TEST_CASE("whatever happens, a barrier stage begins as a whole, with one "
          "attempt at a time",
          "[jobs]") {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    RandomBarriers{seed}.run(200);
  }
}

TEST_CASE("a barrier stage is refused where tasks may have second attempts",
          "[jobs]") {
  JobsConfig config;
  auto job = job_with_barrier(0, {"0x2"}).job;
  CHECK(may_run(config, job));
  config.speculation.enabled = true;
  auto refused = may_run(config, job);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message
        == "stage 's0' is a barrier stage, and no task of it may have a second "
           "attempt beside the first: set spark.speculation to false");
  job.stages[0].is_barrier = false;
  CHECK(may_run(config, job));
}

TEST_CASE("where nothing is to be held for barrier stages, nothing is",
          "[jobs]") {
  JobsConfig config;
  config.barrier.reserve_after = config.barrier.reserve_for = 0s;
  config.queued_work = Duration{0};
  JobScheduler scheduler{config};
  (void)scheduler.step({}, executor(0, 2, "h"));
  (void)scheduler.step({}, job_with_barrier(0, {"0x8"}));
  (void)scheduler.step({}, job_with_barrier(1, {"1x2"}));
  auto plain = job_with_barrier(2, {"2x9"});
  plain.job.stages[0].is_barrier = false;
  (void)scheduler.step({}, plain);
  for (auto now = Instant{}; now < Instant{3min}; now += 10s) {
    (void)scheduler.step(now, JobsTick{});
    CHECK(scheduler.state().executors.free_cores() == 0);
  }
}

TEST_CASE("a barrier stage is tried again when one of its tasks is given back",
          "[jobs]") {
  JobScheduler scheduler{JobsConfig{}};
  (void)scheduler.step({}, executor(0, 2, "h"));
  (void)scheduler.step({}, job_with_barrier(0, {"0x2"}));
  StatusUpdates update;
  update.exec_id = 0;
  update.returned = {{StageId{0}, 1, 0}};
  (void)scheduler.step({}, update);
  CHECK_FALSE(invariant_violation(scheduler.state()));
  // The other one is told to end.
  update.returned.reset();
  auto& status = update.ended.emplace_back();
  status.id = {StageId{0}, 0, 0};
  status.state = TaskState::KILLED;
  std::vector<TaskAttempt> begun;
  for (const auto& x : scheduler.step({}, update))
    if (const auto* start = std::get_if<StartTasks>(&x))
      begun = start->tasks;
  CHECK(begun
        == std::vector<TaskAttempt>{{StageId{0}, 0, 1}, {StageId{0}, 1, 1}});
  // That is no failure.
  CHECK(scheduler.state().stages.at(StageId{0}).barrier->failed == 0);
}

TEST_CASE("that a barrier stage waits does not cost the others much",
          "[jobs]") {
  JobScheduler scheduler{JobsConfig{}};
  (void)scheduler.step({}, executor(0, 4, "h"));
  // None of a thousand fits.
  for (int i = 0; i < 1000; ++i) {
    auto job = job_with_barrier(i, {(std::to_string(i) + "x8").c_str()});
    (void)scheduler.step({}, job);
  }
  for (const auto& [id, stage] : scheduler.state().stages)
    REQUIRE(stage.looked_everywhere);
  (void)scheduler.step({}, executor(1, 4, "h"));
  CHECK(scheduler.state().stages.at(StageId{0}).tasks->running() == 8);
  CHECK(scheduler.state().stages.at(StageId{1}).tasks->running() == 0);
}
