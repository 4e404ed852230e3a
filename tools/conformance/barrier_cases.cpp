#include "tools/conformance/barrier_cases.hpp"

#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <boost/json.hpp>

#include "scheduling/jobs/job_invariants.hpp"
#include "scheduling/jobs/job_scheduler.hpp"
#include "tools/conformance/case_fields.hpp"

namespace stoker::conformance {

namespace {

namespace json = boost::json;

/// One core is one free core: nothing else runs there.
std::vector<RegisterExecutor> executors_of(const json::object& from) {
  std::vector<RegisterExecutor> result;
  for (const auto& offer : from.at("offers").as_array()) {
    const auto& x = offer.as_object();
    allow(x, {"executor", "free_cores"});
    RegisterExecutor executor;
    executor.exec_id = static_cast<int>(result.size());
    executor.host = text(x.at("executor"));
    executor.worker_id = WorkerId{executor.host};
    executor.outputs.id = executor.host;
    executor.cores = x.at("free_cores").to_number<int>();
    if (executor.cores < 0)
      throw std::invalid_argument{"free_cores is below 0"};
    result.push_back(std::move(executor));
  }
  return result;
}

JobSubmitted job_of(const json::object& from) {
  JobSubmitted result;
  for (const auto& set : from.at("task_sets").as_array()) {
    const auto& x = set.as_object();
    allow(x, {"stage", "tasks", "barrier"});
    StageSpec stage;
    stage.id = StageId{static_cast<int>(result.job.stages.size())};
    stage.name = std::to_string(x.at("stage").to_number<int>());
    stage.tasks = x.at("tasks").to_number<int>();
    stage.cores = from.at("task_cpus").to_number<int>();
    stage.is_barrier = x.at("barrier").as_bool();
    stage.is_result = true;
    result.job.stages.push_back(std::move(stage));
  }
  if (auto valid = validate(result.job); !valid)
    throw std::invalid_argument{valid.error().message};
  return result;
}

} // namespace

json::value offers(const json::value& original) {
  const auto& from = original.as_object();
  allow(from, {"id", "kind", "spark_version", "note", "task_cpus", "offers",
               "task_sets", "expect"});
  if (text(from.at("kind")) != "barrier-offer")
    throw std::invalid_argument{"unknown kind: " + text(from.at("kind"))};
  JobsConfig config;
  // Spark sends no task to an executor before it has room.
  config.queued_tasks_max = 0;
  JobScheduler scheduler{config};
  for (const auto& executor : executors_of(from))
    static_cast<void>(scheduler.step(Instant{}, executor));
  auto job = job_of(from);
  std::vector<int> launched(job.job.stages.size());
  for (const auto& effect : scheduler.step(Instant{}, job))
    if (const auto* start = std::get_if<StartTasks>(&effect))
      for (const auto& task : start->tasks)
        ++launched.at(static_cast<std::size_t>(task.stage.value));
  if (auto wrong = invariant_violation(scheduler.state()))
    throw std::logic_error{*wrong};
  auto result = from;
  result["expect"] = {{"launched", json::value_from(launched)}};
  return result;
}

} // namespace stoker::conformance
