#include "tools/stoker/master_options.hpp"

#include <optional>
#include <random>
#include <utility>

#include <spdlog/spdlog.h>

#include "embedding/machine.hpp"
#include "network/free_port.hpp"
#include "tools/stoker/tenants_file.hpp"

namespace stoker {

namespace {

/// Reads a tenants file, and logs what is allowed and hardly meant.
Result<TenantsConfig> read_with_doubts(const std::string& path) {
  auto checked = check_tenants_file(path);
  if (!checked)
    return std::move(checked).error();
  for (const auto& doubt : checked->doubts)
    spdlog::warn("[tenants-doubtful] {}", doubt);
  return (*std::move(checked)).tenants;
}

} // namespace

std::shared_ptr<MessageLogWriter>
MasterOptions::open_log(const ClusterConfig& cluster) const {
  if (log.file.empty())
    return nullptr;
  return std::make_shared<MessageLogWriter>(log.file, cluster, log.limits());
}

std::uint64_t MasterOptions::seed_or_random() const {
  if (seed)
    return *seed;
  // Positive as a signed number, so that every JSON reader takes it.
  return (std::uint64_t{std::random_device{}()} << 31) ^ std::random_device{}();
}

MasterAddress MasterOptions::address() const {
  return {host, port == 0 ? free_port(host) : port};
}

void MasterOptions::check(const ActorNetwork& opened) const {
  const auto& credentials = opened.credentials();
  if (auto identity = credentials ? credentials->identity() : std::nullopt;
      identity && identity->role != Role::node)
    throw CommandError{exit_usage,
                       "a master needs the certificate of a node (stoker certs "
                       "--host), and this is that of "
                           + to_string(*identity)};
  require_ok(exit_usage, opened.check_host(host));
  web.check_host(opened.credentials());
  (void)spark.allowed();
  (void)web.allowed();
}

void MasterOptions::load_tenants(ClusterConfig& target) const {
  if (tenants.empty())
    return;
  auto loaded = read_with_doubts(tenants);
  // One that is not there may be soon, as on a volume that is mounted later.
  require_ok(loaded);
  target.tenants = *std::move(loaded);
}

std::function<Result<TenantsConfig>()> MasterOptions::tenants_loader() const {
  if (tenants.empty())
    return {};
  return [path = tenants] { return read_with_doubts(path); };
}

std::string MasterOptions::url(const MasterAddress& address) {
  return to_string(MasterAddress{public_host(address.host), address.port});
}

void add_master_options(CLI::App& app, MasterOptions& target) {
  app.add_option(
         "--host", target.host,
         "The address to listen on; any but loopback needs certificates")
      ->envname("STOKER_MASTER_HOST")
      ->capture_default_str();
  app.add_option("--port", target.port, "The port to listen on; 0 chooses one")
      ->envname("STOKER_MASTER_PORT")
      ->capture_default_str();
  app.add_option(
         "--data", target.data,
         "Where it stores what must outlive it; masters that share it elect "
         "one of them")
      ->envname("STOKER_DATA")
      ->type_name("DIR")
      ->capture_default_str();
  add_message_log_options(app, target.log);
  app.add_option("--tenants", target.tenants,
                 "Share the cluster among the companies and users of a file; "
                 "read again on SIGHUP and by 'stoker reload'")
      ->envname("STOKER_TENANTS")
      ->type_name("FILE");
  add_number_option(app, "--seed", target.seed, 0,
                    "Makes random choices (where drivers go) repeatable");
  add_network_options(app, target.network);
  add_spark_port_options(app, target.spark);
  add_web_options(app, target.web);
  add_program_log_options(app, target.program_log);
  add_config_options(app, target.config);
}

} // namespace stoker
