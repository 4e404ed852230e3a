#pragma once

// Settings that have a name of their own, as `spark.worker.timeout`: given by
// `--conf NAME=VALUE` or in a configuration file.

#include <optional>
#include <string>
#include <vector>

#include "embedding/local_cluster.hpp"
#include "embedding/page_settings.hpp"
#include "embedding/resource_discovery.hpp"
#include "messages/descriptions.hpp"
#include "scheduling/master/config.hpp"
#include "scheduling/worker/worker_logic.hpp"

namespace stoker {

struct Setting {
  std::string name;
  std::string value;

  /// Where it was given, as "--conf" or "master.toml:3".
  std::string origin;
};

/// Splits NAME=VALUE. Returns nothing when there is no name or no '='.
std::optional<Setting> parse_setting(const std::string& text,
                                     const std::string& origin);

// Each applies settings in order, so that a later one wins. Fails at
// the first that is not known to this part or has a wrong value.

/// spark.deploy.*, spark.worker.timeout, spark.dead.worker.persistence,
/// stoker.reconnect.timeout, stoker.reservation.timeout, spark.ui.reverseProxy,
/// spark.ui.reverseProxyUrl.
Status apply_settings(const std::vector<Setting>& settings,
                      ClusterConfig& config, MasterStorage& storage,
                      PageSettings& pages);

/// stoker.orphan.grace, stoker.kill.grace, spark.worker.timeout,
/// stoker.worker.retainedDirectories, spark.worker.resource.NAME.amount and
/// .discoveryScript, spark.worker.resourcesFile.
Status apply_settings(const std::vector<Setting>& settings,
                      WorkerConfig& config, ResourceDiscovery& resources);

/// A master and its workers take both kinds.
Status apply_settings(const std::vector<Setting>& settings,
                      LocalClusterConfig& config, ResourceDiscovery& resources);

/// spark.app.name, spark.cores.max (or spark.app.cores.max),
/// spark.executor.cores, spark.executor.memory,
/// spark.executor.resource.NAME.amount, spark.app.task.memory.mb,
/// stoker.app.priority, stoker.app.sql, stoker.app.timeLimit.
Status apply_settings(const std::vector<Setting>& settings,
                      ApplicationDescription& description);

/// spark.app.name, spark.driver.cores, spark.driver.memory,
/// spark.driver.supervise, spark.driver.resource.NAME.amount.
Status apply_settings(const std::vector<Setting>& settings,
                      DriverDescription& description);

// The names that each of these takes, sorted. NAME stands for a resource's.

std::vector<std::string> master_setting_names();
std::vector<std::string> worker_setting_names();
std::vector<std::string> application_setting_names();
std::vector<std::string> driver_setting_names();

} // namespace stoker
