#include "tools/stoker/spark_options.hpp"

#include <utility>

#include <spdlog/spdlog.h>

#include "embedding/machine.hpp"
#include "embedding/spark_homes.hpp"

namespace stoker {

std::vector<SparkHome> SparkOptions::find() const {
  auto found = find_spark_homes(homes, inherited_environment());
  require_ok(exit_usage, found);
  for (const auto& x : found->warnings)
    spdlog::warn("[spark-home] {}", x);
  for (const auto& x : found->homes)
    spdlog::info("[spark-home] programs of Spark {} run with {}", x.version,
                 x.path);
  return std::move(found->homes);
}

void SparkOptions::check() const {
  require_ok(exit_usage, find_spark_homes(homes, inherited_environment()));
}

void add_spark_options(CLI::App& app, SparkOptions& target) {
  app.add_option("--spark-home", target.homes,
                 "An Apache Spark to run programs of its version with; may be "
                 "repeated, or DIR:DIR (default: that of SPARK_HOME or of "
                 "spark-submit)")
      ->type_name("DIR")
      ->delimiter(':')
      ->allow_extra_args(false);
}

} // namespace stoker
