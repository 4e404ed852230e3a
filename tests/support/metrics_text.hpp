#pragma once

#include <map>
#include <string>

namespace stoker::test {

/// Reads an answer of `/metrics`, in either format (Prometheus text 0.0.4, OpenMetrics 1.0.0), and
/// fails the test unless families are in one piece with one HELP and one TYPE, each series is there
/// once, values are numbers, and buckets of histograms rise up to `+Inf`.
/// @return The value of each series, by its name and labels.
std::map<std::string, double> read_metrics(const std::string& text);

} // namespace stoker::test
