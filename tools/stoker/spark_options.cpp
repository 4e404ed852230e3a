#include "tools/stoker/spark_options.hpp"

#include <utility>

#include <spdlog/spdlog.h>

#include "embedding/inherited_environment.hpp"
#include "embedding/spark_homes.hpp"
#include "network/address.hpp"

namespace stoker {

namespace {

constexpr const char* what_is_open
    = "its executors and its shuffle service would listen at ";

constexpr const char* what_it_means
    = ", and Spark's protocol proves and encrypts nothing";

} // namespace

std::vector<SparkHome> SparkOptions::find(const std::string& host) const {
  check(host);
  auto found = find_spark_homes(homes, inherited_environment());
  require_ok(exit_usage, found);
  auto is_open = !is_loopback(host) && !found->homes.empty();
  if (is_open && !insecure) {
    spdlog::warn("[spark-home] the worker runs no programs of Spark: {}{}{}; "
                 "start it with --spark-insecure if only trusted machines "
                 "reach it",
                 what_is_open, host, what_it_means);
    return {};
  }
  if (is_open)
    spdlog::warn("[spark-insecure] other machines may run code in Spark's "
                 "executors of this worker, and read what they exchange: they "
                 "listen at {}{}",
                 host, what_it_means);
  for (const auto& x : found->warnings)
    spdlog::warn("[spark-home] {}", x);
  for (const auto& x : found->homes)
    spdlog::info("[spark-home] programs of Spark {} run with {}", x.version,
                 x.path);
  return std::move(found->homes);
}

void SparkOptions::check(const std::string& host) const {
  require_ok(exit_usage, find_spark_homes(homes, inherited_environment()));
  if (!homes.empty() && !is_loopback(host) && !insecure)
    throw CommandError{exit_usage,
                       std::string{"--spark-home needs --spark-insecure here: "}
                           + what_is_open + host + what_it_means};
}

void add_spark_consent_option(CLI::App& app, SparkOptions& target) {
  app.add_flag("--spark-insecure", target.insecure,
               "Run programs of Spark although other machines reach the ports "
               "of executors and of the shuffle service: their protocol proves "
               "and encrypts nothing")
      ->envname("STOKER_SPARK_INSECURE");
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
