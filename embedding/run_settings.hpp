#pragma once

#include <string>
#include <vector>

#include "embedding/settings.hpp"
#include "messages/descriptions.hpp"
#include "messages/result.hpp"
#include "scheduling/allocation/allocation_settings.hpp"

namespace stoker {

/// What the settings of an application of instances are about.
struct RunSettings {
  ApplicationDescription application;

  /// Whether and how the number of its executors follows what is left to do.
  AllocationSettings allocation;
};

/// Those of an application, and: spark.dynamicAllocation.*, spark.executor.instances. Says
/// in `application` with how many executors it begins. Fails as `apply_settings` of the
/// others.
Status apply_settings(const std::vector<Setting>& settings,
                      RunSettings& target);

/// The names that it takes, sorted. NAME stands for a resource's.
std::vector<std::string> run_setting_names();

} // namespace stoker
