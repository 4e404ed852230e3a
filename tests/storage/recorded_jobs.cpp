#include "tests/storage/recorded_jobs.hpp"

#include <map>
#include <utility>
#include <variant>

#include "tests/support/catch.hpp"

namespace stoker::test {

RecordedJobs::RecordedJobs(const std::string& path, MessageLogLimits limits,
                           const JobsConfig& config)
    : scheduler_(config), writer_(path, config, limits) {
}

JobsEffects RecordedJobs::step(const JobsEvent& event) {
  now_ += Duration{1};
  ++steps_;
  auto effects = scheduler_.step(now_, event);
  REQUIRE(writer_.append(now_, event, effects));
  return effects;
}

void RecordedJobs::add_executor(int exec_id) {
  auto host = "h" + std::to_string(exec_id);
  step(RegisterExecutor{exec_id,
                        WorkerId{"worker-" + std::to_string(exec_id)},
                        host,
                        2,
                        {host, 7000, "/outputs", "id-" + host}});
}

TaskStatus RecordedJobs::status_of(const TaskAttempt& id) const {
  TaskStatus result;
  result.id = id;
  result.run_ms = 5;
  auto is_map = id.stage.value % 2 == 0;
  if (is_map && id.task == 0 && id.attempt == 0) {
    result.state = TaskState::FAILED;
    result.error = "exited with 3";
    result.exit_status = 3;
    result.last_lines = errors_;
  } else if (!is_map) {
    result.result = std::string(result_bytes_, '\x80');
  }
  return result;
}

void RecordedJobs::run_job(int tasks, std::size_t result_bytes,
                           const std::string& errors) {
  result_bytes_ = result_bytes;
  errors_ = errors;
  StageSpec map;
  map.id = StageId{2 * next_job_};
  map.name = "map";
  map.tasks = tasks;
  StageSpec reduce;
  reduce.id = StageId{2 * next_job_ + 1};
  reduce.name = "reduce";
  reduce.tasks = 2;
  reduce.reads = {{map.id, DependencyKind::shuffle}};
  reduce.is_result = true;
  auto effects = step(
      JobSubmitted{{JobId{next_job_++}, "job", "default", {map, reduce}}});
  for (auto ended = false; !ended;) {
    std::map<int, StatusUpdates> updates;
    for (const auto& effect : effects) {
      if (const auto* start = std::get_if<StartTasks>(&effect))
        for (const auto& id : start->tasks)
          updates[start->exec_id].ended.push_back(status_of(id));
      ended = ended || std::holds_alternative<JobEnded>(effect);
    }
    effects.clear();
    for (auto& [exec_id, update] : updates) {
      update.exec_id = exec_id;
      for (auto& effect : step(update))
        effects.push_back(std::move(effect));
    }
    if (updates.empty() && !ended) {
      // A task that failed waits for another executor.
      now_ += std::chrono::seconds{3};
      effects = step(JobsTick{});
    }
  }
}

} // namespace stoker::test
