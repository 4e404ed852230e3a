// The task scheduler alone: what it costs that one task ends and the next begins, and
// that a short job comes and ends, while more and more jobs of one application wait for
// the same cores.

#include <algorithm>
#include <deque>
#include <optional>
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
    for (; next_ < jobs; ++next_)
      step(JobSubmitted{make_job(next_, tasks, pools)});
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

  /// A job of one task that reads another comes, goes before the others, and ends.
  void run_short_job() {
    auto written = make_stage(next_++, 1);
    written.is_result = false;
    auto read = make_stage(next_++, 1);
    read.reads.push_back({written.id, DependencyKind::shuffle});
    JobSpec job;
    job.id = JobId{written.id.value};
    job.pool = "short";
    job.stages = {written, read};
    step(JobSubmitted{job});
    for (auto stage : {written.id, read.id}) {
      // Its cores are the next that become free.
      end_one();
      if (running_.empty() || running_.back().second.stage != stage)
        throw std::runtime_error("the short job waits");
      std::rotate(running_.begin(), running_.end() - 1, running_.end());
    }
    end_one();
    step(StagesReleased{{written.id}});
    if (ended_ != job.id)
      throw std::runtime_error("the short job has not ended");
  }

  [[nodiscard]] std::size_t running() const noexcept {
    return running_.size();
  }

private:
  static JobsConfig config() {
    JobsConfig result;
    result.mode = SchedulingMode::FAIR;
    result.pools["shared"].mode = SchedulingMode::FAIR;
    result.pools["short"].min_share = 1;
    return result;
  }

  static StageSpec make_stage(int id, int tasks) {
    StageSpec result;
    result.id = StageId{id};
    result.name = "stage " + std::to_string(id);
    result.tasks = tasks;
    result.is_result = true;
    return result;
  }

  static JobSpec make_job(int id, int tasks, bool pools) {
    JobSpec result;
    result.id = JobId{id};
    result.pool = pools ? "pool " + std::to_string(id) : "shared";
    result.stages.push_back(make_stage(id, tasks));
    return result;
  }

  void step(const JobsEvent& x) {
    now_ += std::chrono::milliseconds{1};
    for (const auto& effect : scheduler_.step(now_, x))
      if (const auto* start = std::get_if<StartTasks>(&effect))
        for (const auto& id : start->tasks)
          running_.emplace_back(start->exec_id, id);
      else if (const auto* end = std::get_if<JobEnded>(&effect))
        ended_ = end->job;
  }

  JobScheduler scheduler_;
  Instant now_;
  int next_ = 0;
  std::optional<JobId> ended_;
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

/// Jobs that come and end, while others wait.
void measure_turnover(int jobs, int samples) {
  // Each lets a task of the others end.
  OfferedJobs offered{jobs, false, samples};
  auto begin = BenchClock::now();
  for (int i = 0; i < samples; ++i)
    offered.run_short_job();
  auto seconds = seconds_since(begin);
  Figure{"job_turnover"}
      .count("jobs", jobs)
      .count("executors", executor_count)
      .number("us_per_job", seconds * 1e6 / samples)
      .print();
}

} // namespace

void task_offers(Extent extent) {
  for (auto jobs : {1, 10, 100, extent.of(1000, 200)})
    measure_turnover(jobs, extent.of(5'000, 50));
  auto ends = extent.of(20'000, 100);
  for (auto pools : {false, true})
    for (auto jobs : {1, 10, 100, extent.of(1000, 200)})
      measure_offers(jobs, pools, ends);
}

} // namespace stoker::benchmark
