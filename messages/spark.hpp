#pragma once

// What a master and a worker have to know of a program of Apache Spark's, which is a
// JVM and speaks Spark's own protocol (docs/spark.md).

#include <string>
#include <vector>

#include "messages/describe.hpp"
#include "messages/ids.hpp"

namespace stoker {

/// Names the driver that an application belongs to, in the environment of its executors.
inline constexpr const char* driver_id_variable = "STOKER_DRIVER_ID";

/// Names the user of Spark's programs, for which they otherwise take their process's owner.
inline constexpr const char* spark_user_variable = "SPARK_USER";

/// Options for the JVM of each `spark-submit`.
inline constexpr const char* submit_options_variable = "SPARK_SUBMIT_OPTS";

/// Returns the option for a driver's JVM by which its applications name the driver: Spark
/// sends the environment of executors when an application registers.
inline std::string driver_id_option(const DriverId& id) {
  return std::string{"-Dspark.executorEnv."} + driver_id_variable + '='
         + id.value;
}

/// Makes a command a class that a JVM runs, with the Spark that the worker has of this
/// version. `Command::arguments` are those of the class. Spark's name: Command.
struct SparkProgram {
  /// Of the driver's Spark, as "3.5.9". Empty for an application whose version is not
  /// known yet: nothing is started then (`SetSparkVersion`). The master fills it in where
  /// workers leave no choice (`SparkDriver::possible_versions`).
  std::string version;

  std::string main_class;

  /// Before Spark's own jars.
  std::vector<std::string> class_path_entries;

  /// Folders of native libraries.
  std::vector<std::string> library_path_entries;

  std::vector<std::string> java_options;

  /// Of a driver: the file with the user's program, which its worker must be able to read;
  /// empty: there is none, or it is not known.
  std::string jar;
};
BOOST_DESCRIBE_STRUCT(SparkProgram, (),
                      (version, main_class, class_path_entries,
                       library_path_entries, java_options, jar))

/// How a new leader reaches the driver of an application, which does not look for it.
struct SparkDriver {
  /// Where the driver listens.
  std::string host;
  int port = 0;

  /// Whose form of messages the driver understands, as "3.5.9".
  std::string wire_version;

  /// Its page; empty: it has none.
  std::string ui_url;

  /// The versions that its messages agree with, the newest first, until the master learns
  /// which one it is (`SetSparkVersion`); empty: the master knows it.
  std::vector<std::string> possible_versions;
};
BOOST_DESCRIBE_STRUCT(SparkDriver, (),
                      (host, port, wire_version, ui_url, possible_versions))

} // namespace stoker
