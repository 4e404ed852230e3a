#include "tools/stoker/resource_options.hpp"

#include <filesystem>

#include <spdlog/spdlog.h>

#include "embedding/machine.hpp"

namespace stoker {

ResourceDiscovery WorkerResourceOptions::plan() const {
  require_each_once("--resource", given);
  ResourceDiscovery result;
  for (const auto& x : given)
    require_ok(exit_usage, add_resource_by_hand(x, result));
  return result;
}

void add_resource_options(CLI::App& app, WorkerResourceOptions& target) {
  app.add_option("--resource", target.given,
                 "GPUs and the like to offer, each by an address: gpu=0,1,2; "
                 "may be repeated")
      ->type_name("NAME=ADDRESS,...")
      ->allow_extra_args(false);
}

ResourceAddresses discovered(const ResourceDiscovery& plan) {
  auto result = discover_resources(plan);
  require_ok(exit_failure, result);
  return *std::move(result);
}

ResourcesLock locked(const ResourceDiscovery& plan,
                     const std::string& work_directory) {
  auto result
      = lock_resources_file(plan, std::filesystem::absolute(work_directory),
                            default_state_directory());
  require_ok(exit_failure, result);
  if (!result->warning.empty())
    spdlog::warn("[resources-file-locked] {}", result->warning);
  return *std::move(result);
}

void add_resource_amount_option(CLI::App& app, const std::string& name,
                                std::vector<std::string>& target,
                                const std::string& description) {
  add_list_option(app, name, target, description + ": gpu=2; may be repeated",
                  [](const std::string& text) {
                    ResourceAmounts alone;
                    return add_resource_amount(text, alone);
                  })
      ->type_name("NAME=AMOUNT");
}

void add_amounts(const std::string& option,
                 const std::vector<std::string>& given,
                 ResourceAmounts& amounts) {
  require_each_once(option, given);
  for (const auto& x : given)
    require_ok(exit_usage, add_resource_amount(x, amounts));
}

} // namespace stoker
