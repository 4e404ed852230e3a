#pragma once

#include <memory>

#include "messages/result.hpp"
#include "scheduling/worker/worker_config.hpp"
#include "storage/worker_identity.hpp"

namespace stoker {

/// Takes an identity in the work directory, for as long as it is kept. The worker
/// goes on as its predecessor, if there is one with the same figures: `config` then
/// has that one's names. What is found is logged. Fails as WorkerIdentity::take.
Result<std::shared_ptr<WorkerIdentity>> take_identity(WorkerConfig& config);

} // namespace stoker
