#pragma once

// Which Spark starts the executors of an application whose driver tells its version late.

#include <string>
#include <vector>

#include "messages/application.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

void handle(Step& step, const SetSparkVersion& x);

/// Gives each application that lacks a version the one with which its executors start
/// wherever its driver's answer could not change the choice of a worker: all workers have
/// one release only of those that the driver may have, and each worker has one Spark of it.
void choose_spark_versions(Step& step);

/// @param versions Those that a driver may have.
/// @return The versions of these releases that ALIVE workers have, each once, in order.
[[nodiscard]] std::vector<std::string>
versions_offered(const ClusterState& state,
                 const std::vector<std::string>& versions);

} // namespace stoker
