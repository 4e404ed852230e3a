#include "embedding/spark_shuffle.hpp"

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/internal.hpp"
#include "gateway/shuffle_registry.hpp"

namespace stoker {

namespace {

/// Beside the executors' files.
std::string port_file(const WorkerConfig& worker) {
  return worker.spark_directory + ".port";
}

/// 0: there was none.
std::uint16_t previous_port(const WorkerConfig& worker) {
  std::uint16_t result = 0;
  std::ifstream{port_file(worker)} >> result;
  return result;
}

} // namespace

Result<std::unique_ptr<ShuffleService>>
start_shuffle_service(WorkerConfig& worker) {
  if (worker.spark_homes.empty())
    return std::unique_ptr<ShuffleService>{};
  const auto& host
      = worker.spark_host.empty() ? worker.host : worker.spark_host;
  const auto previous = previous_port(worker);
  worker.shuffle_served
      = ShuffleRegistry::applications_in(worker.spark_directory);
  ShuffleServiceConfig config{{host, previous}, worker.spark_directory};
  auto result = ShuffleService::start(config);
  if (!result && config.listen.port != 0) {
    spdlog::warn(
        "[shuffle-moved] {}: executors that a worker before this one has "
        "started do not find their shuffle service",
        result.error().message);
    config.listen.port = 0;
    result = ShuffleService::start(config);
  }
  if (!result)
    return result;
  worker.shuffle_port = (*result)->port();
  // Nothing is new, and the disk may be full.
  if (worker.shuffle_port == previous)
    return result;
  std::ofstream file{port_file(worker), std::ios::trunc};
  file << worker.shuffle_port << '\n';
  file.close();
  if (!file)
    return Error{Errc::io, "cannot write " + port_file(worker)};
  return result;
}

void report_served(ShuffleService* service, const WorkerActor& worker) {
  if (service == nullptr)
    return;
  service->report_to([address = worker.address()](const AppId& app) {
    if (auto target = caf::actor_cast<WorkerActor>(address))
      caf::anon_send(target, WorkerInternal{ShuffleServed{app}});
  });
}

} // namespace stoker
