// Dynamic allocation, as jobs and runs take it.

#include "embedding/setting_parts.hpp"

namespace stoker {

Setters allocation_setters(AllocationSettings& x) {
  Setters result;
  for (const auto& name : allocation_setting_names())
    result.emplace(name, [&x, name](const std::string& value) {
      return set_allocation(x, name, value);
    });
  return result;
}

Status begin_allocation(const AllocationSettings& allocation,
                        ApplicationDescription& application) {
  if (!allocation.enabled) {
    if (allocation.executor_instances && *allocation.executor_instances < 1)
      return invalid("spark.executor.instances is below 1: nothing would run");
    if (allocation.executor_instances)
      application.initial_executor_limit = allocation.executor_instances;
    return {};
  }
  if (auto valid = validate(allocation); !valid)
    return valid;
  application.initial_executor_limit = initial_target(allocation);
  return {};
}

} // namespace stoker
