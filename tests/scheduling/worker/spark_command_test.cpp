// How a worker starts programs of Spark's.

#include "scheduling/worker/spark_command.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/scheduling/worker/played_worker.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using stoker::test::PlayedWorker;

namespace {

using Environment = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

SparkHome home(const std::string& version) {
  return {"/opt/spark-" + version, version, "/usr/bin/java",
          "/opt/spark-" + version + "/conf", ""};
}

std::vector<SparkHome> homes(const Texts& versions) {
  std::vector<SparkHome> result;
  for (const auto& x : versions)
    result.push_back(home(x));
  return result;
}

/// Which of the versions a worker has is for a program of that version.
std::string chosen_of(const Texts& versions, const std::string& version) {
  auto all = homes(versions);
  const auto* result = choose_spark_home(all, version);
  return result == nullptr ? "none" : result->version;
}

WorkerConfig worker_with(std::vector<SparkHome> spark) {
  auto result = stoker::test::traced_worker();
  result.spark_homes = std::move(spark);
  result.spark_directory = "/local";
  result.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C"}};
  return result;
}

/// As a driver of Spark's asks for its executors.
LaunchExecutor spark_executor() {
  LaunchExecutor result;
  result.app_id = AppId{"app-7"};
  result.exec_id = 3;
  result.cores = 2;
  result.memory_mb = 1024;
  auto& command = result.app_desc.command;
  command.arguments = {"--driver-url",
                       "spark://S@h:1",
                       "--executor-id",
                       "{{EXECUTOR_ID}}",
                       "--hostname",
                       "{{HOSTNAME}}",
                       "--cores",
                       "{{CORES}}",
                       "--app-id",
                       "{{APP_ID}}",
                       "--worker-url",
                       "{{WORKER_URL}}",
                       "--resourceProfileId",
                       "{{RESOURCE_PROFILE_ID}}"};
  command.environment = {{"SPARK_USER", "ann"}};
  command.spark = SparkProgram{"3.5.9",
                               "org.apache.spark.executor.Backend",
                               {},
                               {},
                               {"-Dspark.driver.port=1"}};
  return result;
}

LaunchDriver spark_driver() {
  LaunchDriver result;
  result.driver_id = DriverId{"driver-1"};
  result.driver_desc.memory_mb = 512;
  result.driver_desc.command.arguments = {"{{WORKER_URL}}", "Main"};
  result.driver_desc.command.spark
      = SparkProgram{"3.5.9", "Wrapper", {}, {}, {"-Dmine=1"}};
  return result;
}

struct Started {
  std::vector<StartProcess> programs;
  std::vector<ExecutorStateChanged> executors;
  std::vector<DriverStateChanged> drivers;
};

Started effects_of(const WorkerEffects& effects) {
  Started result;
  for (const auto& effect : effects)
    if (const auto* start = std::get_if<StartProcess>(&effect))
      result.programs.push_back(*start);
    else if (const auto* ask = std::get_if<AskMaster>(&effect))
      result.executors.push_back(ask->message);
    else if (const auto* tell = std::get_if<SendWorkerMessage>(&effect))
      if (const auto* x = std::get_if<DriverStateChanged>(&tell->message))
        result.drivers.push_back(*x);
  return result;
}

template <class Order>
Started ordered(const WorkerConfig& config, const Order& order) {
  PlayedWorker worker{config};
  worker.start_registered({});
  return effects_of(worker.step({}, order));
}

template <class Order>
Command command_of(const WorkerConfig& config, const Order& order) {
  auto started = ordered(config, order);
  REQUIRE(started.programs.size() == 1);
  return started.programs.front().command;
}

/// What stands behind an argument.
std::string behind(const Texts& arguments, const std::string& name) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == name)
      return arguments[i + 1];
  return "nothing";
}

} // namespace

TEST_CASE("a program runs with the Spark that is nearest to its own version") {
  CHECK(chosen_of({}, "3.5.9") == "none");
  CHECK(chosen_of({"3.5.1", "3.5.9", "4.1.4"}, "3.5.9") == "3.5.9");
  CHECK(chosen_of({"3.5.1", "3.5.8", "4.1.4"}, "3.5.9") == "3.5.8");
  CHECK(chosen_of({"3.5.8", "3.5.10"}, "3.5.9") == "3.5.10");
  CHECK(chosen_of({"3.5.10", "3.5.8"}, "3.5.9") == "3.5.10");
  CHECK(chosen_of({"3.5.7", "3.5.10"}, "3.5.9") == "3.5.10");
  CHECK(chosen_of({"3.5.10", "3.5.20"}, "3.5.9") == "3.5.10");
  CHECK(chosen_of({"3.4.4", "4.1.4"}, "3.5.9") == "none");
  CHECK(chosen_of({"4.0.1"}, "4.1.4") == "none");
  CHECK(chosen_of({"3.5.9"}, "4.5.9") == "none");
  CHECK(chosen_of({"4.0.0-preview2", "4.0.5"}, "4.0.1") == "4.0.0-preview2");
  CHECK(chosen_of({"4.0.5", "4.0.0-preview2"}, "4.0.0-preview2")
        == "4.0.0-preview2");
  for (const auto* odd :
       {"", "3", "3.", "x", "3.5x", "-3.5.9", "99999999999999999999.5.9"})
    CHECK(chosen_of({"4.1.4"}, odd) == "none");
  CHECK(chosen_of({"3.5.9"}, "3.5") == "3.5.9");
}

TEST_CASE("a worker tells the master which versions of Spark it has") {
  PlayedWorker worker{worker_with(homes({"4.1.4", "3.5.9", "4.1.4"}))};
  (void)worker.step({}, WorkerStarted{});
  std::optional<RegisterWorker> sent;
  for (const auto& effect : worker.step({}, MasterConnected{}))
    if (const auto* x = std::get_if<SendWorkerMessage>(&effect))
      if (const auto* y = std::get_if<RegisterWorker>(&x->message))
        sent = *y;
  REQUIRE(sent);
  CHECK(sent->spark_versions == Texts{"4.1.4", "3.5.9"});
}

TEST_CASE("an executor of Spark's is a JVM that knows who and where it is") {
  auto command = command_of(worker_with(homes({"3.5.9"})), spark_executor());
  CHECK(command.arguments
        == Texts{"/usr/bin/java",
                 "-cp",
                 "/opt/spark-3.5.9/conf:/opt/spark-3.5.9/jars/*",
                 "-Xmx1024M",
                 "-Dspark.driver.port=1",
                 "org.apache.spark.executor.Backend",
                 "--driver-url",
                 "spark://S@h:1",
                 "--executor-id",
                 "3",
                 "--hostname",
                 "h1",
                 "--cores",
                 "2",
                 "--app-id",
                 "app-7",
                 "--worker-url",
                 "{{WORKER_URL}}",
                 "--resourceProfileId",
                 "0"});
  // Its supervisor puts the address in.
  CHECK(command.spark.has_value());
}

TEST_CASE("a Spark executor listens where other machines reach it") {
  auto config = worker_with(homes({"3.5.9"}));
  config.spark_host = "127.0.0.1";
  auto command = command_of(config, spark_executor());
  CHECK(behind(command.arguments, "--hostname") == "127.0.0.1");
}

TEST_CASE("a Spark executor has brackets around an IPv6 address") {
  auto config = worker_with(homes({"3.5.9"}));
  for (const auto* host : {"fd00::1", "[fd00::1]"}) {
    config.spark_host = host;
    auto command = command_of(config, spark_executor());
    CHECK(behind(command.arguments, "--hostname") == "[fd00::1]");
  }
}

TEST_CASE("a Spark executor fetches from the worker that has it, unless told "
          "not to") {
  auto config = worker_with(homes({"3.5.9"}));
  config.shuffle_port = 40'001;
  auto order = spark_executor();
  order.app_desc.command.spark->java_options
      = {"-Dspark.shuffle.readHostLocalDisk=true"};
  auto arguments = command_of(config, order).arguments;
  auto first = std::find(arguments.begin(), arguments.end(),
                         "-Dspark.shuffle.readHostLocalDisk=false");
  CHECK(std::find(first, arguments.end(),
                  "-Dspark.shuffle.readHostLocalDisk=true")
        != arguments.end());
}

TEST_CASE("a Spark executor is told where the shuffle service is, above all") {
  auto config = worker_with(homes({"3.5.9"}));
  config.shuffle_port = 40'001;
  auto order = spark_executor();
  order.app_desc.command.spark->java_options
      = {"-Dspark.shuffle.service.port=7337"};
  auto arguments = command_of(config, order).arguments;
  // Of the same options of a JVM the last one counts.
  auto first = std::find(arguments.begin(), arguments.end(),
                         "-Dspark.shuffle.service.port=7337");
  auto last
      = std::find(first, arguments.end(), "-Dspark.shuffle.service.port=40001");
  auto main_class
      = std::find(last, arguments.end(), "org.apache.spark.executor.Backend");
  CHECK(main_class != arguments.end());
  // A driver says itself what it uses.
  auto driver = command_of(config, spark_driver()).arguments;
  CHECK(std::none_of(driver.begin(), driver.end(), [](const auto& x) {
    return x.starts_with("-Dspark.shuffle");
  }));
}

TEST_CASE("placeholders are replaced where Spark replaces them") {
  auto order = spark_executor();
  auto& command = order.app_desc.command;
  command.arguments = {"{{APP_ID}}", "x{{APP_ID}}", "{{USER_JAR}}"};
  command.spark->java_options
      = {"-Dlog=/var/{{APP_ID}}/{{EXECUTOR_ID}}-{{APP_ID}}.log",
         "-Dhost={{HOSTNAME}}"};
  auto arguments = command_of(worker_with(homes({"3.5.9"})), order).arguments;
  CHECK(Texts(arguments.begin() + 4, arguments.end())
        == Texts{"-Dlog=/var/app-7/3-app-7.log", "-Dhost={{HOSTNAME}}",
                 "org.apache.spark.executor.Backend", "app-7", "x{{APP_ID}}",
                 "{{USER_JAR}}"});
}

TEST_CASE("no secret is on the command line of a JVM") {
  auto order = spark_executor();
  order.app_desc.command.spark->java_options
      = {"-Da=1", "-Dspark.authenticate.secret=hush",
         "-Dspark.authenticate.secretFile=/x", "-Db=2"};
  auto arguments = command_of(worker_with(homes({"3.5.9"})), order).arguments;
  CHECK(Texts(arguments.begin() + 4, arguments.begin() + 6)
        == Texts{"-Da=1", "-Db=2"});
}

TEST_CASE(
    "the class path begins with the program's own and ends with Hadoop's") {
  auto spark = home("4.1.4");
  spark.first_jar = "/opt/spark-4.1.4/jars/slf4j-api-2.0.17.jar";
  auto config = worker_with({spark});
  config.environment["HADOOP_CONF_DIR"] = "/etc/hadoop";
  config.environment["SPARK_DIST_CLASSPATH"] = "/usr/lib/hadoop/*";
  auto order = spark_executor();
  auto& command = order.app_desc.command;
  command.spark->version = "4.1.4";
  command.spark->class_path_entries = {"/a.jar", "", "/b.jar"};
  SECTION("the worker's") {
    CHECK(behind(command_of(config, order).arguments, "-cp")
          == "/a.jar:/b.jar:/opt/spark-4.1.4/conf:"
             "/opt/spark-4.1.4/jars/slf4j-api-2.0.17.jar:"
             "/opt/spark-4.1.4/jars/*:/etc/hadoop:/usr/lib/hadoop/*");
  }
  SECTION("or the order's, where that names them") {
    command.environment["SPARK_CONF_DIR"] = "/my/conf";
    command.environment["HADOOP_CONF_DIR"] = "/my/hadoop";
    command.environment["YARN_CONF_DIR"] = "/my/yarn";
    CHECK(behind(command_of(config, order).arguments, "-cp")
          == "/a.jar:/b.jar:/my/conf:"
             "/opt/spark-4.1.4/jars/slf4j-api-2.0.17.jar:"
             "/opt/spark-4.1.4/jars/*:/my/hadoop:/my/yarn:/usr/lib/hadoop/*");
  }
}

TEST_CASE(
    "a JVM has the order's environment, what Spark needs, and the worker's") {
  auto config = worker_with(homes({"3.5.9"}));
  config.environment["SPARK_HOME"] = "/another";
  config.environment["SPARK_USER"] = "root";
  auto order = spark_executor();
  order.app_desc.command.environment["PYTHONPATH"] = "/ann/lib";
  order.app_desc.command.environment["SPARK_HOME"] = "/on/another/machine";
  order.app_desc.command.environment["SPARK_EXECUTOR_DIRS"] = "/elsewhere";
  auto environment = command_of(config, order).environment;
  std::erase_if(environment,
                [](const auto& x) { return x.first.starts_with("STOKER_"); });
  CHECK(environment
        == Environment{{"LANG", "C"},
                       {"PATH", "/usr/bin:/bin"},
                       {"PYTHONPATH", "/ann/lib"},
                       {"SPARK_EXECUTOR_DIRS", "/local/app-7"},
                       {"SPARK_HOME", "/opt/spark-3.5.9"},
                       {"SPARK_LAUNCH_WITH_SCALA", "0"},
                       {"SPARK_USER", "ann"}});
}

TEST_CASE("native libraries are looked for in the program's folders first") {
  auto config = worker_with(homes({"3.5.9"}));
  config.environment["LD_LIBRARY_PATH"] = "/worker";
  auto order = spark_executor();
  auto& command = order.app_desc.command;
  auto path = [&] {
    return command_of(config, order).environment.at("LD_LIBRARY_PATH");
  };
  CHECK(path() == "/worker");
  command.spark->library_path_entries = {"/a", "/b"};
  CHECK(path() == "/a:/b:/worker");
  command.environment["LD_LIBRARY_PATH"] = "/order";
  CHECK(path() == "/a:/b:/order:/worker");
}

TEST_CASE("an order may name the Java on the worker's machine") {
  auto spark = home("3.5.9");
  auto order = spark_executor();
  SECTION("instead of the worker's") {
  }
  SECTION("where the worker has none") {
    spark.java.clear();
  }
  order.app_desc.command.environment["JAVA_HOME"] = "/opt/jdk";
  CHECK(command_of(worker_with({spark}), order).arguments.front()
        == "/opt/jdk/bin/java");
}

TEST_CASE(
    "an executor fails at once where it cannot be started, and says why") {
  std::vector<SparkHome> spark;
  std::string expected;
  SECTION("no Spark at all") {
    expected = "the worker on h1 has no Spark 3.5.9; start it with "
               "--spark-home DIR";
  }
  SECTION("none of that version") {
    spark = homes({"4.1.4", "3.4.4"});
    expected = "the worker on h1 has no Spark 3.5.9, only 4.1.4, 3.4.4; start "
               "it with --spark-home DIR";
  }
  SECTION("no Java") {
    spark = homes({"3.5.9"});
    spark.front().java.clear();
    expected = "the worker on h1 has no Java for Spark 3.5.9; start it with "
               "JAVA_HOME set";
  }
  auto started = ordered(worker_with(spark), spark_executor());
  CHECK(started.programs.empty());
  REQUIRE(started.executors.size() == 1);
  CHECK(started.executors.front().state == ExecutorState::FAILED);
  CHECK(started.executors.front().message == expected);
}

TEST_CASE("a driver of Spark's is a JVM that may look into Java") {
  auto command = command_of(worker_with(homes({"3.5.9"})), spark_driver());
  const auto& arguments = command.arguments;
  CHECK(Texts(arguments.begin(), arguments.begin() + 5)
        == Texts{"/usr/bin/java", "-cp",
                 "/opt/spark-3.5.9/conf:/opt/spark-3.5.9/jars/*", "-Xmx512M",
                 "-XX:+IgnoreUnrecognizedVMOptions"});
  CHECK(std::count(arguments.begin(), arguments.end(),
                   "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")
        == 1);
  // The last option counts, and so the application names this driver in any case.
  CHECK(Texts(arguments.end() - 5, arguments.end())
        == Texts{"-Dmine=1", "-Dspark.executorEnv.STOKER_DRIVER_ID=driver-1",
                 "Wrapper", "{{WORKER_URL}}", "Main"});
  CHECK(command.environment.at("SPARK_HOME") == "/opt/spark-3.5.9");
  CHECK_FALSE(command.environment.contains("SPARK_EXECUTOR_DIRS"));
  CHECK(command.spark.has_value());
}

TEST_CASE("a driver of Spark's runs its application for its own user") {
  auto order = spark_driver();
  order.driver_desc.user = "ann";
  order.driver_desc.command.environment = {{"SPARK_USER", "ben"}};
  auto command = command_of(worker_with(homes({"3.5.9"})), order);
  CHECK(command.environment.at("SPARK_USER") == "ann");
}

TEST_CASE("a driver ends at once where it cannot be started, and says why") {
  auto order = spark_driver();
  order.driver_desc.supervise = true;
  auto started = ordered(worker_with({}), order);
  CHECK(started.programs.empty());
  REQUIRE(started.drivers.size() == 1);
  CHECK(started.drivers.front().state == DriverState::ERROR);
  CHECK(started.drivers.front().exception
        == "the worker on h1 has no Spark 3.5.9; start it with "
           "--spark-home DIR");
}
