#pragma once

// What takes part in a simulated cluster: sizes and demands from a seed. All
// demands fit on every worker, or on the first one where they name resources,
// so that everything that is asked for can come to its end.

#include <cstdint>

#include "messages/descriptions.hpp"
#include "messages/tenants_config.hpp"
#include "scheduling/allocation/allocation_settings.hpp"
#include "scheduling/master/config.hpp"
#include "scheduling/worker/worker_logic.hpp"
#include "simulation/scenario.hpp"

namespace stoker::simulation {

ClusterConfig cluster_shape(const Scenario& scenario);
WorkerConfig worker_shape(const Scenario& scenario, int number);
ApplicationDescription application_shape(const Scenario& scenario,
                                         std::int64_t shape);

/// A small application that is ended after `limit`.
ApplicationDescription limited_shape(const Scenario& scenario,
                                     std::int64_t shape, Duration limit);

/// An application of instances whose output is read.
ApplicationDescription read_shape(const Scenario& scenario, std::int64_t shape);

/// An application that needs several executors at once. They fit on one worker.
ApplicationDescription gang_shape(const Scenario& scenario, std::int64_t shape);

/// An application whose executors follow its load.
struct ElasticShape {
  ApplicationDescription description;
  AllocationSettings settings;
};
ElasticShape elastic_shape(const Scenario& scenario, std::int64_t shape);

/// No worker is large enough for it, ever.
[[nodiscard]] bool never_fits(const ApplicationDescription& x);
DriverDescription driver_shape(const Scenario& scenario, std::int64_t shape);
TenantsConfig tenants_shape(const Scenario& scenario, std::int64_t shape);

} // namespace stoker::simulation
