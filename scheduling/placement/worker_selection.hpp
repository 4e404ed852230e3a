#pragma once

#include <boost/describe.hpp>

namespace stoker {

/// Which worker an executor goes to, of those that have room: the one with the
/// most or the least free, or the one whose id comes first. Spark 4's names
/// [spark.deploy.workerSelectionPolicy]. Between equals the id decides, as in
/// Spark 4: the smaller one, or with DESC the larger one; with CORES_FREE_DESC
/// it is the worker that registered later, as for Spark 3's.
enum class WorkerSelectionPolicy {
  CORES_FREE_DESC,
  CORES_FREE_ASC,
  MEMORY_FREE_DESC,
  MEMORY_FREE_ASC,
  WORKER_ID
};
BOOST_DESCRIBE_ENUM(WorkerSelectionPolicy, CORES_FREE_DESC, CORES_FREE_ASC,
                    MEMORY_FREE_DESC, MEMORY_FREE_ASC, WORKER_ID)

} // namespace stoker
