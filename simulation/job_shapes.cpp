#include "simulation/job_shapes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "simulation/dice.hpp"

namespace stoker::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Adds the stage with all that it reads, directly or not.
void add_with_what_it_reads(std::map<StageId, StageSpec>& stages,
                            const std::vector<StageSpec>& had, StageId id) {
  auto found = std::find_if(had.begin(), had.end(),
                            [&](const auto& x) { return x.id == id; });
  if (!stages.emplace(id, *found).second)
    return;
  for (const auto& read : found->reads)
    add_with_what_it_reads(stages, had, read.stage);
}

void add_reads(Dice& dice, StageSpec& stage,
               const std::vector<StageSpec>& before) {
  for (auto n = dice.between(0, 2); n > 0; --n) {
    const auto& from = dice.any_of(before);
    auto known = std::any_of(stage.reads.begin(), stage.reads.end(),
                             [&](const auto& x) { return x.stage == from.id; });
    if (known)
      continue;
    auto narrow
        = dice.chance(40) && (stage.reads.empty() || stage.tasks == from.tasks);
    if (narrow)
      stage.tasks = from.tasks;
    stage.reads.push_back(
        {from.id, narrow ? DependencyKind::narrow : DependencyKind::shuffle});
  }
  // One that was narrow may have been given another number of tasks.
  std::erase_if(stage.reads, [&](const auto& x) {
    auto from = std::find_if(before.begin(), before.end(),
                             [&](const auto& y) { return y.id == x.stage; });
    return x.kind == DependencyKind::narrow && from->tasks != stage.tasks;
  });
}

StageSpec stage_shape(Dice& dice, const Scenario& scenario, StageId id) {
  StageSpec result;
  result.id = id;
  result.name = "stage-" + to_string(id);
  result.tasks = static_cast<int>(dice.chance(80) ? dice.between(1, 8)
                                                  : dice.between(10, 200));
  result.cores = dice.chance(80) ? 1 : 2;
  result.max_failures = static_cast<int>(dice.between(3, 6));
  if (dice.chance(5))
    result.time_limit = dice.lasting(seconds{1}, seconds{60});
  if (dice.chance(30)) {
    for (int task = 0; task < result.tasks; ++task) {
      auto& places = result.places.emplace_back();
      if (!dice.chance(70))
        continue;
      TaskPlace place{
          "host-" + std::to_string(dice.between(0, scenario.workers)), {}};
      if (dice.chance(30))
        place.exec_id = static_cast<int>(dice.between(0, 9));
      places.push_back(place);
    }
  }
  return result;
}

} // namespace

JobsConfig jobs_config_shape(const Scenario& scenario) {
  Dice dice{scenario.seed, "jobs config"};
  JobsConfig result;
  if (dice.chance(50))
    result.mode = SchedulingMode::FAIR;
  result.pools["a"]
      = {dice.chance(50) ? SchedulingMode::FAIR : SchedulingMode::FIFO,
         static_cast<int>(dice.between(1, 3)),
         static_cast<int>(dice.between(0, 4))};
  result.speculation.enabled = dice.chance(40);
  // No barrier stage bears it.
  for (const auto& item : scenario.items)
    if (item.what == "submit-gangs")
      result.speculation.enabled = false;
  result.exclusion.enabled = dice.chance(30);
  result.exclusion.timeout = dice.lasting(seconds{5}, seconds{60});
  if (dice.chance(30))
    result.queued_work = Duration{0};
  if (dice.chance(30))
    result.wait_for_process = result.wait_for_host = milliseconds{0};
  Dice leaving{scenario.seed, "leaving config"};
  result.leaving.tasks_may_end = leaving.chance(80);
  result.leaving.force_kill_timeout
      = leaving.lasting(milliseconds{0}, seconds{4});
  if (leaving.chance(30))
    result.leaving.kill_interval = leaving.lasting(milliseconds{0}, seconds{2});
  // Where none stands still, none is watched.
  result.heartbeats.interval = Duration{0};
  Dice heartbeats{scenario.seed, "heartbeats config"};
  for (const auto& item : scenario.items)
    if (item.what == "pause-executor") {
      result.heartbeats.interval
          = heartbeats.lasting(milliseconds{100}, seconds{5});
      result.heartbeats.timeout
          = result.heartbeats.interval
            + heartbeats.lasting(milliseconds{1}, seconds{20});
    }
  Dice barrier{scenario.seed, "barrier config"};
  // Each takes a step: hours of steps of 1 ms would take minutes to run.
  constexpr Duration least{20};
  result.barrier.reserve_after
      = std::max(least, barrier.lasting(milliseconds{0}, seconds{30}));
  result.barrier.reserve_for
      = std::max(least, barrier.lasting(milliseconds{0}, seconds{10}));
  result.barrier.slots_check_interval
      = barrier.lasting(milliseconds{100}, seconds{15});
  return result;
}

JobSpec job_shape(const Scenario& scenario, std::int64_t shape, JobId id,
                  std::int32_t next_stage, const std::vector<StageSpec>& had) {
  Dice dice{scenario.seed,
            "job " + std::to_string(shape) + " " + to_string(id)};
  JobSpec result;
  result.id = id;
  result.name = "job-" + to_string(id);
  result.pool = dice.chance(50) ? "a" : "b";
  std::map<StageId, StageSpec> stages;
  if (!had.empty() && dice.chance(50))
    add_with_what_it_reads(stages, had, dice.any_of(had).id);
  std::vector<StageSpec> before;
  for (const auto& [stage, spec] : stages)
    before.push_back(spec);
  auto count = dice.between(1, 4);
  for (std::int64_t i = 0; i < count; ++i) {
    auto stage = stage_shape(
        dice, scenario, StageId{next_stage + static_cast<std::int32_t>(i)});
    if (!before.empty())
      add_reads(dice, stage, before);
    if (!stage.places.empty())
      stage.places.resize(static_cast<std::size_t>(stage.tasks));
    before.push_back(stage);
  }
  std::set<StageId> read;
  for (const auto& stage : before)
    for (const auto& x : stage.reads)
      read.insert(x.stage);
  for (auto& stage : before)
    stage.is_result = stage.id.value >= next_stage && !read.contains(stage.id);
  result.stages = std::move(before);
  return result;
}

JobSpec with_barriers(const Scenario& scenario, JobSpec job,
                      std::int32_t next_stage) {
  Dice dice{scenario.seed, "barriers of job " + to_string(job.id)};
  // A few are larger than all executors together.
  for (auto& stage : job.stages)
    if (stage.id.value >= next_stage && stage.tasks <= 12)
      stage.is_barrier = dice.chance(70);
  return job;
}

} // namespace stoker::simulation
