#pragma once

#include <map>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "scheduling/worker/spark_home.hpp"

namespace stoker {

/// The Spark in a directory: the one in which `bin` and `jars/spark-core_*.jar` are,
/// whether it came as an archive or with Python's `pyspark`. Says what is missing.
/// @param environment Of the worker: JAVA_HOME and PATH say where Java is, and
/// SPARK_CONF_DIR where Spark's configuration.
Result<SparkHome>
read_spark_home(const std::string& directory,
                const std::map<std::string, std::string>& environment);

struct FoundSparkHomes {
  std::vector<SparkHome> homes;

  /// What will be missed, one line each.
  std::vector<std::string> warnings;
};

/// Those in the given directories; without any, that of SPARK_HOME; without that, the
/// one to which the first `spark-submit` on the PATH belongs. No program is started to
/// find out. Fails if a given directory is none.
Result<FoundSparkHomes>
find_spark_homes(const std::vector<std::string>& given,
                 const std::map<std::string, std::string>& environment);

} // namespace stoker
