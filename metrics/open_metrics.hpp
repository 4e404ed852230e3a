#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

namespace stoker {

/// How metrics are written.
enum class MetricsFormat {
  /// OpenMetrics 1.0.
  open_metrics,

  /// What Prometheus read before it: its text format 0.0.4.
  text,
};

/// Which one somebody takes who sends this field Accept; one who asks for neither gets
/// plain text.
MetricsFormat metrics_format(std::string_view accept);

/// As "text/plain; version=0.0.4; charset=utf-8".
std::string content_type_of(MetricsFormat format);

/// Writes counters, gauges and histograms; a counter's name ends in `_total`.
std::string write_metrics(const std::vector<prometheus::MetricFamily>& families,
                          MetricsFormat format);

} // namespace stoker
