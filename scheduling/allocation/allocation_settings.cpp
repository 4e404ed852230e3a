#include "scheduling/allocation/allocation_settings.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "scheduling/common/units.hpp"

namespace stoker {

namespace {

using Expected = std::optional<std::string>;
using AllocationSetter
    = Expected (*)(AllocationSettings& x, std::string_view value);

template <class T, class Value>
Expected store(T& target, const std::optional<Value>& value,
               const char* expected) {
  if (!value)
    return expected;
  target = *value;
  return std::nullopt;
}

/// Spark takes a '+' before a number.
std::string_view without_plus(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  return text;
}

template <class T>
Expected store_count(T& target, std::string_view text) {
  return store(target, parse_count(without_plus(text)),
               "a whole number of at most 2147483647");
}

template <class T>
Expected store_time(T& target, std::string_view text) {
  return store(target, parse_seconds(text), "a duration like 60s");
}

Expected store_flag(bool& target, std::string_view text) {
  std::string lower{trim(text)};
  for (auto& c : lower)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return store(target, parse_flag(lower), "true or false");
}

/// Of a setting that has no effect.
Expected check_flag(AllocationSettings& /*unused*/, std::string_view text) {
  bool ignored = false;
  return store_flag(ignored, text);
}

struct NamedSetter {
  const char* name;
  AllocationSetter set;
};

constexpr NamedSetter allocation_setters[] = {
    {"spark.dynamicAllocation.cachedExecutorIdleTimeout",
     [](auto& x, auto text) {
       return store_time(x.cached_idle_timeout, text);
     }},
    {"spark.dynamicAllocation.enabled",
     [](auto& x, auto text) { return store_flag(x.enabled, text); }},
    {"spark.dynamicAllocation.executorAllocationRatio",
     [](auto& x, auto text) {
       return store(x.ratio, parse_fraction(without_plus(text)),
                    "a number like 0.5");
     }},
    {"spark.dynamicAllocation.executorIdleTimeout",
     [](auto& x, auto text) { return store_time(x.idle_timeout, text); }},
    {"spark.dynamicAllocation.initialExecutors",
     [](auto& x, auto text) { return store_count(x.initial_executors, text); }},
    {"spark.dynamicAllocation.maxExecutors",
     [](auto& x, auto text) { return store_count(x.max_executors, text); }},
    {"spark.dynamicAllocation.minExecutors",
     [](auto& x, auto text) { return store_count(x.min_executors, text); }},
    {"spark.dynamicAllocation.schedulerBacklogTimeout",
     [](auto& x, auto text) { return store_time(x.backlog_timeout, text); }},
    {"spark.dynamicAllocation.shuffleTracking.enabled", check_flag},
    {"spark.dynamicAllocation.shuffleTracking.timeout",
     [](auto& /*unused*/, auto text) {
       std::chrono::seconds ignored{};
       return store_time(ignored, text);
     }},
    {"spark.dynamicAllocation.sustainedSchedulerBacklogTimeout",
     [](auto& x, auto text) {
       return store_time(x.sustained_backlog_timeout, text);
     }},
    {"spark.executor.cores",
     [](auto& x, auto text) { return store_count(x.executor_cores, text); }},
    {"spark.executor.instances",
     [](auto& x, auto text) {
       return store_count(x.executor_instances, text);
     }},
    {"spark.shuffle.service.enabled", check_flag},
    {"spark.task.cpus",
     [](auto& x, auto text) { return store_count(x.task_cores, text); }},
};

const NamedSetter* find_setter(const std::string& name) {
  const auto* end = std::end(allocation_setters);
  const auto* found
      = std::find_if(std::begin(allocation_setters), end,
                     [&](const NamedSetter& x) { return name == x.name; });
  return found == end ? nullptr : found;
}

Error wrong_allocation(const std::string& name, const std::string& what) {
  return invalid("spark.dynamicAllocation." + name + " " + what);
}

Status validate_times(const AllocationSettings& x) {
  if (x.backlog_timeout.count() <= 0)
    return wrong_allocation("schedulerBacklogTimeout", "is below 1 s");
  if (x.sustained_backlog_timeout && x.sustained_backlog_timeout->count() <= 0)
    return wrong_allocation("sustainedSchedulerBacklogTimeout", "is below 1 s");
  if (x.idle_timeout.count() < 0)
    return wrong_allocation("executorIdleTimeout", "is below 0");
  if (x.cached_idle_timeout && x.cached_idle_timeout->count() < 0)
    return wrong_allocation("cachedExecutorIdleTimeout", "is below 0");
  return {};
}

} // namespace

int initial_target(const AllocationSettings& x) {
  return std::max({x.min_executors, x.initial_executors.value_or(0),
                   x.executor_instances.value_or(0)});
}

int slots(const AllocationSettings& x) {
  return x.executor_cores / x.task_cores;
}

Status validate(const AllocationSettings& x) {
  if (x.min_executors < 0)
    return wrong_allocation("minExecutors", "is below 0");
  if (x.max_executors <= 0)
    return wrong_allocation("maxExecutors", "is below 1");
  if (x.min_executors > x.max_executors)
    return wrong_allocation("minExecutors",
                            "is above spark.dynamicAllocation.maxExecutors");
  if (auto valid = validate_times(x); !valid)
    return valid;
  if (!(x.ratio > 0 && x.ratio <= 1))
    return wrong_allocation("executorAllocationRatio",
                            "is not above 0 and at most 1");
  if (x.task_cores < 1)
    return invalid("spark.task.cpus is below 1");
  if (x.executor_cores < x.task_cores)
    return invalid("spark.executor.cores is below spark.task.cpus: no task "
                   "could run");
  return {};
}

std::vector<std::string> allocation_setting_names() {
  std::vector<std::string> result;
  for (const auto& x : allocation_setters)
    result.emplace_back(x.name);
  return result;
}

std::optional<std::string> set_allocation(AllocationSettings& x,
                                          const std::string& name,
                                          const std::string& value) {
  const auto* setter = find_setter(name);
  assert(setter != nullptr);
  return setter->set(x, value);
}

Result<AllocationSettings>
read_allocation_settings(const std::map<std::string, std::string>& settings) {
  AllocationSettings result;
  for (const auto& [name, value] : settings) {
    if (find_setter(name) == nullptr)
      return invalid(name + " is not a setting of dynamic allocation");
    if (auto expected = set_allocation(result, name, value))
      return invalid(name + " is '" + value + "', which is not " + *expected);
  }
  if (auto valid = validate(result); !valid)
    return valid.error();
  return result;
}

} // namespace stoker
