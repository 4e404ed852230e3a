// Where a worker finds Spark and Java: embedding/spark_homes.hpp.

#include "embedding/spark_homes.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

/// A machine with directories that look like Sparks.
struct SparkMachine {
  TemporaryDirectory directory;
  std::map<std::string, std::string> environment{{"PATH", "/nowhere"}};

  [[nodiscard]] std::string path(const std::string& name) const {
    return directory.path(name);
  }

  void write(const std::string& name) const {
    std::filesystem::create_directories(
        std::filesystem::path{path(name)}.parent_path());
    directory.write(name, "");
  }

  void write_program(const std::string& name) const {
    write(name);
    ::chmod(path(name).c_str(), 0755);
  }

  std::string add_spark(const std::string& name,
                        const std::string& jar = "spark-core_2.12-3.5.9.jar") {
    write_program(name + "/bin/spark-submit");
    write(name + "/jars/slf4j-api-2.0.7.jar");
    write(name + "/jars/" + jar);
    return path(name);
  }

  [[nodiscard]] FoundSparkHomes find(const std::vector<std::string>& given
                                     = {}) const {
    auto result = find_spark_homes(given, environment);
    INFO((result ? "" : result.error().message));
    REQUIRE(result);
    return *result;
  }

  /// The only one's directory; or none.
  [[nodiscard]] std::string only_path() const {
    auto found = find();
    CHECK(found.homes.size() <= 1);
    return found.homes.empty() ? "none" : found.homes.front().path;
  }
};

} // namespace

TEST_CASE_METHOD(SparkMachine, "a Spark is what has its jars") {
  auto home = add_spark("spark");
  write_program("jdk/bin/java");
  environment["JAVA_HOME"] = path("jdk");
  auto found = find({home + '/'});
  REQUIRE(found.homes.size() == 1);
  const auto& x = found.homes.front();
  CHECK(x.path == home);
  CHECK(x.version == "3.5.9");
  CHECK(x.java == path("jdk/bin/java"));
  CHECK(x.conf_directory == home + "/conf");
  CHECK(x.first_jar.empty());
  CHECK(found.warnings.empty());
}

TEST_CASE_METHOD(SparkMachine,
                 "the version is that of Spark, whatever Scala's") {
  auto version = [&](const std::string& jar) {
    return find({add_spark(jar, jar)}).homes.front().version;
  };
  CHECK(version("spark-core_2.13-3.5.9.jar") == "3.5.9");
  CHECK(version("spark-core_2.13-4.2.0-preview4.jar") == "4.2.0-preview4");
}

TEST_CASE_METHOD(SparkMachine, "Spark 4 has a jar that comes first") {
  auto home = add_spark("spark", "spark-core_2.13-4.1.4.jar");
  CHECK(find({home}).homes.front().first_jar
        == home + "/jars/slf4j-api-2.0.7.jar");
}

TEST_CASE_METHOD(SparkMachine, "a directory that was given has to be a Spark") {
  std::filesystem::create_directories(path("empty"));
  write("jarless/bin/spark-submit");
  write("jarless/jars/spark-core.jar");
  write("binless/jars/spark-core_2.12-3.5.9.jar");
  for (const auto* name : {"absent", "empty", "jarless", "binless"}) {
    auto result = find_spark_homes({path(name)}, environment);
    REQUIRE_FALSE(result);
    CHECK(result.error().message
          == "--spark-home: there is no Spark in '" + path(name)
                 + "': it has no bin and jars/spark-core_*.jar");
  }
}

TEST_CASE_METHOD(SparkMachine, "several Sparks may be given") {
  auto a = add_spark("a");
  auto b = add_spark("b", "spark-core_2.13-4.1.4.jar");
  environment["SPARK_HOME"] = add_spark("c");
  auto found = find({b, a});
  REQUIRE(found.homes.size() == 2);
  CHECK(found.homes.front().path == b);
  CHECK(found.homes.back().path == a);
}

TEST_CASE_METHOD(SparkMachine, "without one that is given, SPARK_HOME counts") {
  environment["SPARK_HOME"] = add_spark("spark");
  add_spark("other");
  environment["PATH"] = path("other/bin");
  CHECK(only_path() == path("spark"));
  SECTION("and one that is none is warned of") {
    environment["SPARK_HOME"] = path("absent");
    auto found = find();
    CHECK(found.homes.empty());
    REQUIRE(found.warnings.size() == 1);
    CHECK(found.warnings.front()
          == "SPARK_HOME: there is no Spark in '" + path("absent")
                 + "': it has no bin and jars/spark-core_*.jar");
  }
}

TEST_CASE_METHOD(SparkMachine, "or the one whose spark-submit is on the PATH") {
  CHECK(only_path() == "none");
  SECTION("of an archive") {
    add_spark("spark");
    environment["PATH"] = "/nowhere:" + path("spark/bin");
    CHECK(only_path() == path("spark"));
  }
  SECTION("to which something links") {
    add_spark("spark");
    std::filesystem::create_directories(path("bin"));
    std::filesystem::create_symlink(path("spark/bin/spark-submit"),
                                    path("bin/spark-submit"));
    environment["PATH"] = path("bin");
    CHECK(only_path() == path("spark"));
  }
  SECTION("of a Python environment") {
    write_program("venv/bin/spark-submit");
    auto home = add_spark("venv/lib/python3.11/site-packages/pyspark");
    environment["PATH"] = path("venv/bin");
    CHECK(only_path() == home);
  }
  SECTION("of Debian's Python") {
    write_program("local/bin/spark-submit");
    std::filesystem::create_directories(path("local/lib/python3.9"));
    auto home = add_spark("local/lib/python3.11/dist-packages/pyspark");
    environment["PATH"] = path("local/bin");
    CHECK(only_path() == home);
  }
  SECTION("none, if it belongs to nothing that is known") {
    write_program("shims/spark-submit");
    environment["PATH"] = path("shims");
    CHECK(only_path() == "none");
  }
}

TEST_CASE_METHOD(SparkMachine, "Java is that of JAVA_HOME, or on the PATH") {
  auto home = add_spark("spark");
  auto java = [&] { return find({home}).homes.front().java; };
  write_program("bin/java");
  environment["PATH"] = path("bin");
  CHECK(java() == path("bin/java"));
  environment["JAVA_HOME"] = path("jdk");
  CHECK(java() == path("bin/java"));
  write("jdk/bin/java");
  CHECK(java() == path("bin/java"));
  write_program("jdk/bin/java");
  CHECK(java() == path("jdk/bin/java"));
}

TEST_CASE_METHOD(SparkMachine, "a Spark without a Java is warned of") {
  auto found = find({add_spark("spark")});
  CHECK(found.homes.front().java.empty());
  CHECK(
      found.warnings
      == std::vector<std::string>{"there is no Java for Spark: set JAVA_HOME, "
                                  "or have java on the PATH"});
  // Nobody needs it.
  CHECK(find().warnings.empty());
}

TEST_CASE_METHOD(SparkMachine, "Spark's configuration may be elsewhere") {
  environment["SPARK_CONF_DIR"] = "/etc/spark";
  CHECK(find({add_spark("spark")}).homes.front().conf_directory
        == "/etc/spark");
}
