#include "embedding/gang_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "scheduling/common/format.hpp"

namespace stoker {

namespace {

/// What the settings allow at most, and which one of them.
struct Limit {
  std::string setting;
  std::int64_t slots = 0;
};

/// @param executor_cores Unset: they have what there is.
std::optional<Limit> limit_of(const StageSpec& stage,
                              const JobSettings& settings,
                              std::optional<int> executor_cores) {
  std::optional<Limit> result;
  auto allow
      = [&](std::string setting, std::int64_t value, std::int64_t slots) {
          if (!result || slots < result->slots)
            result = {std::move(setting) + "=" + std::to_string(value), slots};
        };
  const auto& application = settings.application;
  if (const auto& cores = application.max_cores) {
    auto slots = executor_cores ? std::int64_t{*cores / *executor_cores}
                                      * (*executor_cores / stage.cores)
                                : std::int64_t{*cores / stage.cores};
    allow("spark.cores.max", *cores, slots);
  }
  if (!executor_cores)
    return result;
  auto slots_of_one = std::int64_t{*executor_cores / stage.cores};
  const auto& allocation = settings.allocation;
  if (allocation.enabled)
    allow("spark.dynamicAllocation.maxExecutors", allocation.max_executors,
          allocation.max_executors * slots_of_one);
  else if (const auto& instances = allocation.executor_instances)
    allow("spark.executor.instances", *instances, *instances * slots_of_one);
  return result;
}

} // namespace

int executors_at_once(const JobSpec& job, int executor_cores) {
  auto result = 0;
  for (const auto& stage : job.stages) {
    if (!stage.is_barrier || stage.cores > executor_cores)
      continue;
    auto together = executor_cores / stage.cores;
    result = std::max(result, (stage.tasks + together - 1) / together);
  }
  return result;
}

Status may_begin_together(const JobSpec& job, const JobSettings& settings) {
  for (const auto& stage : job.stages) {
    if (!stage.is_barrier)
      continue;
    auto limit
        = limit_of(stage, settings, settings.application.cores_per_executor);
    if (limit && limit->slots < stage.tasks)
      return invalid("barrier stage '" + stage.name + "' needs "
                     + format_count(stage.tasks, "slot") + " of "
                     + format_cores(stage.cores) + " at once, and "
                     + limit->setting + " allows "
                     + std::to_string(limit->slots));
  }
  return {};
}

} // namespace stoker
