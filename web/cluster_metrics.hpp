#pragma once

#include <cstddef>
#include <vector>

#include <prometheus/metric_family.h>

#include "messages/instant.hpp"
#include "web/cluster_copy.hpp"

namespace stoker {

/// Of so many companies it is told what each has; the others are added up, so that what is
/// measured stays bounded.
constexpr std::size_t measured_companies_max = 100;

/// What can be measured of a cluster now: gauges (docs/metrics.md). A master that does not
/// lead knows nothing but that.
/// @pre cluster.observation()
std::vector<prometheus::MetricFamily>
cluster_metrics(const ClusterCopy& cluster, Instant now);

/// What Spark's master counts, under its names.
struct SparkFigure {
  const char* name = "";
  const char* help = "";
  int value = 0;
};

/// The same figures alone. Empty for a master that does not lead.
/// @pre cluster.observation()
std::vector<SparkFigure> spark_figures(const ClusterCopy& cluster);

} // namespace stoker
