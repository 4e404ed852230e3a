#pragma once

#include <string>
#include <vector>

#include "embedding/resource_discovery.hpp"
#include "embedding/resources_lock.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

/// What `stoker worker` and `stoker local` take about named resources.
struct WorkerResourceOptions {
  std::vector<std::string> given;

  /// @throws CommandError
  [[nodiscard]] ResourceDiscovery plan() const;
};

void add_resource_options(CLI::App& app, WorkerResourceOptions& target);

/// @throws CommandError
ResourceAddresses discovered(const ResourceDiscovery& plan);

/// Locks the resources file of the plan (`lock_resources_file`).
/// @throws CommandError
[[nodiscard]] ResourcesLock locked(const ResourceDiscovery& plan,
                                   const std::string& work_directory);

/// What `stoker run` and `stoker submit` take: `--resource gpu=2`, or under another name.
/// @param description Of what needs it.
void add_resource_amount_option(CLI::App& app, const std::string& name,
                                std::vector<std::string>& target,
                                const std::string& description);

/// @param option As "--resource".
/// @throws CommandError
void add_amounts(const std::string& option,
                 const std::vector<std::string>& given,
                 ResourceAmounts& amounts);

} // namespace stoker
