#include "tests/pyspark/pyspark_cluster.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

namespace stoker::test {

namespace {

namespace fs = std::filesystem;

/// The virtual environment of that version.
fs::path environment_of(const std::string& version) {
  return fs::path{STOKER_ROOT} / "build/pyspark" / version;
}

/// What is Spark's home there.
std::string spark_home_of(const std::string& version) {
  for (const auto& python :
       fs::directory_iterator{environment_of(version) / "lib"})
    if (auto home = python.path() / "site-packages/pyspark"; fs::exists(home))
      return home;
  FAIL("no PySpark in " << environment_of(version));
  return {};
}

/// A driver's program has to have a jar, whatever is in it.
std::string any_jar_of(const std::string& version) {
  for (const auto& x : fs::directory_iterator{spark_home_of(version) + "/jars"})
    if (x.path().filename().string().starts_with("py4j-"))
      return x.path();
  FAIL("no jar in " << spark_home_of(version));
  return {};
}

} // namespace

std::vector<std::string> pyspark_versions() {
  if (std::system("java -version > /dev/null 2>&1") != 0) {
    skip_extra("no Java here, so nothing is tried with PySpark");
    return {};
  }
  std::vector<std::string> result;
  std::ifstream file{example("versions.txt")};
  for (std::string version; std::getline(file, version);) {
    if (!fs::exists(environment_of(version) / "complete")) {
      skip("no PySpark " + version
           + " here: examples/pyspark/setup fetches it");
      return {};
    }
    result.push_back(version);
  }
  REQUIRE(!result.empty());
  return result;
}

PySparkCluster::PySparkCluster(std::vector<std::string> all)
    : versions{std::move(all)} {
  if (const char* home = std::getenv("JAVA_HOME"))
    environment["JAVA_HOME"] = home;
  // Where drivers and executors listen.
  environment["SPARK_LOCAL_IP"] = "127.0.0.1";
  environment["PYTHONDONTWRITEBYTECODE"] = "1";
  // JVMs that live for seconds spend half of their time on compiling what hardly runs.
  environment["JAVA_TOOL_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";
}

std::vector<std::string> PySparkCluster::master_options() const {
  return {"--spark-port", std::to_string(spark_port), "--rest-port",
          std::to_string(rest_port)};
}

std::vector<std::string> PySparkCluster::worker_options() const {
  std::vector<std::string> result;
  for (const auto& version : versions) {
    result.emplace_back("--spark-home");
    result.push_back(spark_home_of(version));
  }
  return result;
}

Process& PySparkCluster::start_all() {
  auto words = master_options();
  auto more = worker_options();
  words.insert(words.end(), more.begin(), more.end());
  more = {"--workers", "2", "--cores", "3", "--memory", "3g", "--verbose"};
  words.insert(words.end(), more.begin(), more.end());
  return start_local(words);
}

PySparkCluster::Masters PySparkCluster::start_leader_and_standby() {
  auto& leader = start_master(master_options());
  auto& standby
      = start_standby({"--spark-port", std::to_string(standby_spark_port)});
  return {leader, standby};
}

void PySparkCluster::add_worker(int cores,
                                const std::vector<std::string>& words) {
  std::vector<std::string> all{
      "worker",     environment.at("STOKER_MASTER"),
      "--cores",    std::to_string(cores),
      "--memory",   std::to_string(cores) + "g",
      "--work-dir", path("added-" + std::to_string(++workers_added_))};
  auto spark = worker_options();
  all.insert(all.end(), spark.begin(), spark.end());
  all.insert(all.end(), words.begin(), words.end());
  await(stoker(all), "registered with");
}

std::vector<std::string>
PySparkCluster::submit_words(const std::string& version,
                             const std::vector<std::string>& words) const {
  auto bin = environment_of(version) / "bin";
  std::vector<std::string> result{"env",
                                  "PYSPARK_PYTHON=" + (bin / "python").string(),
                                  bin / "spark-submit",
                                  "--master",
                                  spark_master(),
                                  "--driver-memory",
                                  "512m",
                                  "--executor-memory",
                                  "512m"};
  result.insert(result.end(), words.begin(), words.end());
  return result;
}

Process& PySparkCluster::submit(const std::string& version,
                                const std::vector<std::string>& words) {
  return start(submit_words(version, words));
}

Process&
PySparkCluster::start_spark_worker(const std::string& version,
                                   const std::vector<std::string>& words) {
  auto home = spark_home_of(version);
  std::vector<std::string> all{"env",
                               "SPARK_HOME=" + home,
                               "SPARK_WORKER_DIR=" + path("worker " + version),
                               home + "/bin/spark-class",
                               "org.apache.spark.deploy.worker.Worker",
                               "--host",
                               "127.0.0.1",
                               "--webui-port",
                               "0",
                               "--cores",
                               "2",
                               "--memory",
                               "2g"};
  all.insert(all.end(), words.begin(), words.end());
  return start(all);
}

Process&
PySparkCluster::submit_to_cluster(const std::string& version, bool by_rest,
                                  const std::vector<std::string>& options,
                                  const std::vector<std::string>& program) {
  auto python = environment_of(version) / "bin/python";
  auto words = talk_to_master(by_rest);
  words.insert(words.end(),
               {"--deploy-mode", "cluster", "--conf",
                "spark.pyspark.python=" + python.string(), "--class",
                "org.apache.spark.deploy.PythonRunner"});
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("file:" + any_jar_of(version));
  words.push_back(program.front());
  // No further files in Python.
  words.emplace_back();
  words.insert(words.end(), program.begin() + 1, program.end());
  return submit(version, words);
}

void PySparkCluster::make_jar(const std::string& version,
                              const std::string& name, const std::string& jar) {
  auto source = path(name + ".scala");
  std::ofstream{source} << "object " << name << " { def of(x: Int): String = \""
                        << name << " \" + x }\n";
  auto classes = path("classes of " + name);
  fs::create_directory(classes);
  auto compiled
      = start({"java", "-cp", spark_home_of(version) + "/jars/*",
               "scala.tools.nsc.Main", "-usejavacp", "-d", classes, source})
            .result(patience_with_jvms);
  INFO(compiled.err);
  REQUIRE(compiled.status == 0);
  auto packed = start({"/usr/bin/python3", "-m", "zipfile", "-c", jar,
                       classes + '/' + name + ".class",
                       classes + '/' + name + "$.class"})
                    .result();
  INFO(packed.err);
  REQUIRE(packed.status == 0);
}

int PySparkCluster::ask_about(const std::string& version,
                              const std::string& option,
                              const std::string& id) {
  auto words = talk_to_master(true);
  words.insert(words.end(), {option, id});
  return submit(version, words).result(patience_with_jvms).status;
}

std::vector<std::string> PySparkCluster::talk_to_master(bool by_rest) const {
  if (!by_rest)
    return {};
  // The last of the same options counts.
  return {"--master", "spark://127.0.0.1:" + std::to_string(rest_port),
          "--conf", "spark.master.rest.enabled=true"};
}

std::string PySparkCluster::spark_master() const {
  return "spark://127.0.0.1:" + std::to_string(spark_port);
}

void await_output(Process& driver, const std::string& words) {
  auto is_so = eventually(
      [&] {
        return driver.out().find(words) != std::string::npos
               || !driver.running();
      },
      patience_with_jvms);
  INFO(driver.err());
  REQUIRE(is_so);
  REQUIRE(driver.out().find(words) != std::string::npos);
}

/// The only driver that the master knows, once it has that state.
boost::json::object driver_in(Cluster& cluster, const std::string& state) {
  boost::json::object result;
  auto is_so = eventually(
      [&] {
        auto status = cluster.status();
        for (const auto* list : {"active_drivers", "completed_drivers"})
          for (const auto& x : status.at(list).as_array())
            result = x.as_object();
        return !result.empty() && text_of(result, "state") == state;
      },
      patience_with_jvms);
  INFO(boost::json::serialize(result));
  REQUIRE(is_so);
  return result;
}

/// The only application that has ended, once it has.
boost::json::object ended_application(Cluster& cluster) {
  boost::json::array all;
  REQUIRE(eventually([&] {
    all = cluster.status().at("completed_apps").as_array();
    return !all.empty();
  }));
  REQUIRE(all.size() == 1);
  return all.front().as_object();
}

std::string example(const std::string& name) {
  return STOKER_ROOT "/examples/pyspark/" + name;
}

std::string program(const std::string& name) {
  return STOKER_TEST_DATA "/" + name;
}

} // namespace stoker::test
