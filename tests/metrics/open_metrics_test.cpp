// How metrics are written, for those who read OpenMetrics and those who do not.

#include "metrics/open_metrics.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace stoker;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

namespace {

std::string written(const MetricFamily& x) {
  return write_metrics({x}, MetricsFormat::open_metrics);
}

ClientMetric gauge(double value, std::vector<ClientMetric::Label> labels = {}) {
  ClientMetric result;
  result.label = std::move(labels);
  result.gauge.value = value;
  return result;
}

} // namespace

TEST_CASE("a counter's family has a name without _total", "[metrics]") {
  ClientMetric metric;
  metric.counter.value = 1'000'000;
  CHECK(written({"steps_total", "All of them", MetricType::Counter, {metric}})
        == "# TYPE steps counter\n# HELP steps All of them\n"
           "steps_total 1000000\n# EOF\n");
}

TEST_CASE("labels and texts cannot pass for something else", "[metrics]") {
  CHECK(written({"x",
                 "two\nlines",
                 MetricType::Gauge,
                 {gauge(0.0001, {{"a", "say \"a\\b\"\n"}, {"b", ""}})}})
        == "# TYPE x gauge\n# HELP x two\\nlines\n"
           "x{a=\"say \\\"a\\\\b\\\"\\n\",b=\"\"} 0.0001\n# EOF\n");
}

TEST_CASE("a histogram has its unit, and bounds that are fractions",
          "[metrics]") {
  ClientMetric metric;
  metric.label = {{"a", "b"}};
  metric.histogram.sample_count = 3;
  metric.histogram.sample_sum = 7.25;
  metric.histogram.bucket
      = {{1, 0.1}, {2, 1}, {3, std::numeric_limits<double>::infinity()}};
  CHECK(written({"wait_seconds", "Waits", MetricType::Histogram, {metric}})
        == "# TYPE wait_seconds histogram\n"
           "# UNIT wait_seconds seconds\n"
           "# HELP wait_seconds Waits\n"
           "wait_seconds_bucket{a=\"b\",le=\"0.1\"} 1\n"
           "wait_seconds_bucket{a=\"b\",le=\"1.0\"} 2\n"
           "wait_seconds_bucket{a=\"b\",le=\"+Inf\"} 3\n"
           "wait_seconds_count{a=\"b\"} 3\n"
           "wait_seconds_sum{a=\"b\"} 7.25\n# EOF\n");
}

TEST_CASE("who does not ask for OpenMetrics gets what Prometheus always read",
          "[metrics]") {
  CHECK(metrics_format("application/openmetrics-text;version=1.0.0,text/plain")
        == MetricsFormat::open_metrics);
  for (const auto* other : {"", "*/*", "text/plain;version=0.0.4"})
    CHECK(metrics_format(other) == MetricsFormat::text);
  // As Prometheus asks, and as somebody does who rather has the other.
  CHECK(metrics_format("application/openmetrics-text;version=1.0.0;q=0.5,"
                       "application/openmetrics-text;version=0.0.1;q=0.4,"
                       "text/plain;version=0.0.4;q=0.3,*/*;q=0.2")
        == MetricsFormat::open_metrics);
  for (const auto* other :
       {"text/plain, application/openmetrics-text;q=0.5",
        "application/openmetrics-text; q=0", "application/openmetrics-texts",
        "text/plain;q=1 , application/openmetrics-text ; version=1.0.0;q=0.9"})
    CHECK(metrics_format(other) == MetricsFormat::text);
  MetricFamily family{"x", "One", MetricType::Gauge, {gauge(2)}};
  CHECK(write_metrics({family}, MetricsFormat::text)
        == "# HELP x One\n# TYPE x gauge\nx 2\n");
  CHECK(content_type_of(MetricsFormat::open_metrics)
        == "application/openmetrics-text; version=1.0.0; charset=utf-8");
}
