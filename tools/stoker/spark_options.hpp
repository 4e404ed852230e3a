#pragma once

#include <string>
#include <vector>

#include "scheduling/worker/spark_home.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

/// What `stoker worker` and `stoker local` take about programs of Spark's.
struct SparkOptions {
  std::vector<std::string> homes;

  /// Other machines may reach what executors and the shuffle service listen at.
  bool insecure = false;

  /// Logs what there is, and what is missing. Without consent to ports that other machines
  /// reach there is nothing.
  /// @param host where executors and the shuffle service would listen
  /// @throws CommandError also where there is no consent, and homes were named
  [[nodiscard]] std::vector<SparkHome> find(const std::string& host) const;

  /// Whether `find` would throw.
  /// @throws CommandError
  void check(const std::string& host) const;
};

/// The option of a worker that agrees to ports which other machines reach.
void add_spark_consent_option(CLI::App& app, SparkOptions& target);

void add_spark_options(CLI::App& app, SparkOptions& target);

} // namespace stoker
