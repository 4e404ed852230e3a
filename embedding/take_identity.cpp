#include "embedding/take_identity.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

namespace stoker {

Result<std::shared_ptr<WorkerIdentity>> take_identity(WorkerConfig& config) {
  IdentityRecord wanted;
  wanted.id = config.id;
  wanted.endpoint = config.endpoint;
  wanted.host = config.host;
  wanted.cores = config.cores;
  wanted.memory_mb = config.memory_mb;
  wanted.resources = config.resources;
  auto taken = WorkerIdentity::take(config.work_directory, std::move(wanted));
  if (!taken)
    return std::move(taken).error();
  std::shared_ptr<WorkerIdentity> identity = *std::move(taken);
  for (const auto& warning : identity->warnings())
    spdlog::warn("[worker-identity] {}", warning);
  auto successor = identity->record().id != config.id;
  config.id = identity->record().id;
  config.endpoint = identity->record().endpoint;
  config.life = identity->record().life;
  const auto& found = identity->found().programs;
  auto own = std::count_if(found.begin(), found.end(), [&](const auto& x) {
    return x.worker_id == config.id && !(x.driver && x.driver->ended);
  });
  if (successor)
    spdlog::info(
        "[worker-restarted] going on as {}, with {} programs found again",
        config.id.value, own);
  auto others = std::count_if(found.begin(), found.end(), [&](const auto& x) {
    return x.worker_id != config.id && !(x.driver && x.driver->ended);
  });
  if (others > 0)
    spdlog::info("[foreign-programs] ending {} programs of a dead worker that "
                 "was not like this "
                 "one",
                 others);
  return identity;
}

} // namespace stoker
