// The task scheduler alone: what it costs that one task ends and the next begins,
// while more and more jobs of one application wait for the same cores.

#include <deque>
#include <stdexcept>
#include <string>

#include "scheduling/jobs/job_scheduler.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"

namespace stoker::benchmark {

namespace {

constexpr int executor_count = 100;
constexpr int cores_of_one = 4;

/// Jobs of one stage that never run out of tasks, on executors that end each task that
/// they get.
class OfferedJobs {
public:
  OfferedJobs(int jobs, bool pools, int ends) : scheduler_(config()) {
    for (int exec_id = 0; exec_id < executor_count; ++exec_id) {
      RegisterExecutor x;
      x.exec_id = exec_id;
      x.host = "node-" + std::to_string(exec_id);
      x.cores = cores_of_one;
      step(x);
    }
    // Of each job more than could begin if it were alone.
    auto tasks = ends + executor_count * cores_of_one;
    for (int id = 0; id < jobs; ++id)
      step(JobSubmitted{make_job(id, tasks, pools)});
  }

  /// The task that has run longest ends.
  void end_one() {
    if (running_.empty())
      throw std::runtime_error("no task runs");
    auto [exec_id, id] = running_.front();
    running_.pop_front();
    StatusUpdates x;
    x.exec_id = exec_id;
    x.ended.push_back({id, TaskState::FINISHED});
    x.ended.back().run_ms = 1000;
    step(x);
  }

  [[nodiscard]] std::size_t running() const noexcept {
    return running_.size();
  }

private:
  static JobsConfig config() {
    JobsConfig result;
    result.mode = SchedulingMode::FAIR;
    result.pools["shared"].mode = SchedulingMode::FAIR;
    return result;
  }

  static JobSpec make_job(int id, int tasks, bool pools) {
    StageSpec stage;
    stage.id = StageId{id};
    stage.name = "stage " + std::to_string(id);
    stage.tasks = tasks;
    stage.is_result = true;
    JobSpec result;
    result.id = JobId{id};
    result.pool = pools ? "pool " + std::to_string(id) : "shared";
    result.stages.push_back(std::move(stage));
    return result;
  }

  void step(const JobsEvent& x) {
    now_ += std::chrono::milliseconds{1};
    for (const auto& effect : scheduler_.step(now_, x))
      if (const auto* start = std::get_if<StartTasks>(&effect))
        for (const auto& id : start->tasks)
          running_.emplace_back(start->exec_id, id);
  }

  JobScheduler scheduler_;
  Instant now_;
  std::deque<std::pair<int, TaskAttempt>> running_;
};

void measure_offers(int jobs, bool pools, int ends) {
  OfferedJobs offered{jobs, pools, ends};
  if (offered.running() < executor_count * cores_of_one)
    throw std::runtime_error("cores are left free");
  auto begin = BenchClock::now();
  for (int i = 0; i < ends; ++i)
    offered.end_one();
  auto seconds = seconds_since(begin);
  if (offered.running() < executor_count * cores_of_one)
    throw std::runtime_error("a core was left free");
  Figure{"task_offers"}
      .count("jobs", jobs)
      .count("pools", pools ? jobs : 1)
      .count("executors", executor_count)
      .number("us_per_task", seconds * 1e6 / ends)
      .print();
}

} // namespace

void task_offers(Extent extent) {
  auto ends = extent.of(20'000, 100);
  for (auto pools : {false, true})
    for (auto jobs : {1, 10, 100, extent.of(1000, 200)})
      measure_offers(jobs, pools, ends);
}

} // namespace stoker::benchmark
