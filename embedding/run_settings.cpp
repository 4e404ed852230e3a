#include "embedding/run_settings.hpp"

#include "embedding/setting_parts.hpp"

namespace stoker {

namespace {

/// An executor of `stoker run` has one slot, however many cores it has.
Setters instance_setters_of(AllocationSettings& x) {
  auto result = allocation_setters(x);
  result.erase("spark.executor.cores");
  result.erase("spark.task.cpus");
  return result;
}

std::vector<SettingPart> parts_of(RunSettings& x) {
  return {application_part(x.application),
          {instance_setters_of(x.allocation), {}}};
}

} // namespace

Status apply_settings(const std::vector<Setting>& settings,
                      RunSettings& target) {
  if (auto applied = apply_settings(settings, parts_of(target)); !applied)
    return applied;
  return begin_allocation(target.allocation, target.application);
}

std::vector<std::string> run_setting_names() {
  RunSettings settings;
  return names_in(parts_of(settings));
}

} // namespace stoker
