#include "scheduling/master/spark_settings.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduling/common/jvm_setting.hpp"
#include "scheduling/common/units.hpp"

namespace stoker {

namespace {

/// Spark's spark.executor.memory.
constexpr std::int64_t executor_memory_default_mb = 1024;

std::optional<int> positive(const std::vector<std::string>& options,
                            std::string_view name) {
  auto found = find_jvm_setting(options, name);
  auto result = found ? parse_count(found->value) : std::nullopt;
  return result && *result > 0 ? result : std::nullopt;
}

/// spark.executor.resource.NAME.amount
ResourceAmounts resources_in(const std::vector<std::string>& options) {
  constexpr std::string_view begin = "-Dspark.executor.resource.";
  constexpr std::string_view end = ".amount";
  ResourceAmounts result;
  for (std::string_view x : options) {
    auto name = x.substr(0, x.find('='));
    if (!name.starts_with(begin) || !name.ends_with(end)
        || name.size() <= begin.size() + end.size())
      continue;
    auto amount = parse_count(x.substr(std::min(name.size() + 1, x.size())));
    if (!amount || *amount <= 0)
      continue;
    name.remove_prefix(begin.size());
    name.remove_suffix(end.size());
    result[std::string{name}] = *amount;
  }
  return result;
}

} // namespace

ApplicationDescription described_by_settings(const DriverDescription& driver) {
  const auto& options = driver.command.spark->java_options;
  ApplicationDescription result;
  result.user = driver.user;
  result.command.spark = driver.command.spark;
  result.cores_per_executor = positive(options, "executor.cores");
  auto memory = find_jvm_setting(options, "executor.memory");
  auto memory_mb = memory ? parse_memory_mb(memory->value) : std::nullopt;
  result.memory_per_executor_mb
      = memory_mb && *memory_mb > 0 ? *memory_mb : executor_memory_default_mb;
  result.memory_per_task_mb = positive(options, "app.task.memory.mb");
  for (const auto* name : {"cores.max", "app.cores.max"})
    if (auto cores = positive(options, name))
      result.max_cores = std::min(result.max_cores.value_or(*cores), *cores);
  result.resources_per_executor = resources_in(options);
  return result;
}

} // namespace stoker
