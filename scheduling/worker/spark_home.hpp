#pragma once

#include <string>
#include <vector>

namespace stoker {

/// An Apache Spark on a worker's machine, and what is needed to start programs with
/// it. Executors find its `pyspark` below it by themselves.
struct SparkHome {
  /// Its directory, as Spark's SPARK_HOME.
  std::string path;

  /// As "3.5.9".
  std::string version;

  /// The program `java`; empty: there is none.
  std::string java;

  /// Where its configuration is, which comes before its jars.
  std::string conf_directory;

  /// The jar that has to come before all others, as Spark 4 wants it; or empty.
  std::string first_jar;
};

/// The one that runs programs of a version: of that version, or else of the same major
/// and minor version with the nearest patch level, preferably the newer one. Those
/// understand each other. Null: there is none.
const SparkHome* choose_spark_home(const std::vector<SparkHome>& homes,
                                   const std::string& version);

/// Each version once, in the order of `homes`.
std::vector<std::string> versions_of(const std::vector<SparkHome>& homes);

} // namespace stoker
