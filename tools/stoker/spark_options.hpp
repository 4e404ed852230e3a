#pragma once

#include <string>
#include <vector>

#include "scheduling/worker/spark_home.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

/// What `stoker worker` and `stoker local` take about programs of Spark's.
struct SparkOptions {
  std::vector<std::string> homes;

  /// Logs what there is, and what is missing.
  /// @throws CommandError
  [[nodiscard]] std::vector<SparkHome> find() const;

  /// Whether `find` would throw.
  /// @throws CommandError
  void check() const;
};

void add_spark_options(CLI::App& app, SparkOptions& target);

} // namespace stoker
