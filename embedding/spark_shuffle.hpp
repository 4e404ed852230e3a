#pragma once

#include <memory>

#include "actors/interfaces.hpp"
#include "gateway/shuffle_service.hpp"
#include "messages/result.hpp"
#include "scheduling/worker/worker_config.hpp"

namespace stoker {

/// Starts the shuffle service of a worker that has a Spark (null for others), where its
/// executors listen, and has the worker tell them. At the port that a worker of this place
/// had before, as its executors know it, unless another process has that now.
Result<std::unique_ptr<ShuffleService>>
start_shuffle_service(WorkerConfig& worker);

/// Has a shuffle service tell its worker which applications it serves.
/// @param service Null: the worker has none.
void report_served(ShuffleService* service, const WorkerActor& worker);

} // namespace stoker
