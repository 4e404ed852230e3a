#include "tools/benchmark/spark_wire_master.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "network/free_port.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/spark_wire_connection.hpp"

namespace stoker::benchmark {

namespace {

namespace fs = std::filesystem;
using CommandWords = std::vector<std::string>;

const char* const wire_host = "127.0.0.1";

/// What fakes speak when no Spark is measured.
const char* const usual_version = "3.5.9";

/// Of a virtual environment: the folder of its package pyspark.
fs::path home_in(const fs::path& environment) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator{environment / "lib", none}) {
    auto home = entry.path() / "site-packages" / "pyspark";
    if (fs::is_directory(home / "jars"))
      return home;
  }
  throw std::runtime_error(environment.string() + " has no PySpark");
}

/// As "3.5.9", of "spark-core_2.12-3.5.9.jar".
std::string version_of(const fs::path& home) {
  for (const auto& entry : fs::directory_iterator{home / "jars"}) {
    auto name = entry.path().stem().string();
    if (name.starts_with("spark-core_"))
      return name.substr(name.find('-', std::string{"spark-core_"}.size()) + 1);
  }
  throw std::runtime_error(home.string() + " has no spark-core");
}

void append(CommandWords& out, const CommandWords& more) {
  out.insert(out.end(), more.begin(), more.end());
}

struct Ports {
  std::uint16_t wire = 0;
  std::uint16_t web = 0;
};

/// The JVM, as sbin/start-master.sh starts it in the end.
CommandWords words_of_spark(const std::string& home, const WireRecipe& recipe,
                            Ports ports, const std::string& directory) {
  const auto* java_home = std::getenv("JAVA_HOME");
  CommandWords result{
      "/usr/bin/env", "SPARK_HOME=" + home, "SPARK_CONF_DIR=" + directory,
      std::string{"SPARK_LOCAL_IP="} + wire_host,
      java_home != nullptr ? std::string{java_home} + "/bin/java" : "java",
      "-Xmx1g", "-Dspark.worker.timeout=" + std::to_string(recipe.timeout_s),
      // Its port is always the same one.
      "-Dspark.master.rest.enabled=false"};
  if (!recipe.state.empty())
    append(result, {"-Dspark.deploy.recoveryMode=FILESYSTEM",
                    "-Dspark.deploy.recoveryDirectory=" + recipe.state});
  append(result,
         {"-cp", home + "/jars/*", "org.apache.spark.deploy.master.Master",
          "--host", wire_host, "--port", std::to_string(ports.wire),
          "--webui-port", std::to_string(ports.web)});
  return result;
}

CommandWords words_of_stoker(const WireRecipe& recipe, Ports ports,
                             const std::string& directory) {
  return {stoker_path(),
          "master",
          "--host",
          wire_host,
          "--port",
          std::to_string(free_port(wire_host)),
          "--spark-port",
          std::to_string(ports.wire),
          "--web-port",
          std::to_string(ports.web),
          "--rest-port",
          "0",
          "--data",
          recipe.state.empty() ? directory + "/data" : recipe.state,
          "--conf",
          "spark.worker.timeout=" + std::to_string(recipe.timeout_s) + 's',
          "--conf",
          std::string{"spark.deploy.recoveryMode="}
              + (recipe.state.empty() ? "NONE" : "SQLITE")};
}

std::uint16_t port_or_free(std::uint16_t port) {
  return port != 0 ? port : free_port(wire_host);
}

} // namespace

std::vector<WireSystem> wire_systems() {
  std::vector<WireSystem> result;
  const auto* environment = std::getenv("STOKER_BENCH_SPARK");
  std::string version = usual_version;
  if (environment != nullptr) {
    auto home = home_in(environment);
    version = version_of(home);
    result.push_back({"spark-" + version, home, nullptr});
  } else {
    std::cerr << "no --spark: only Stoker's master is measured" << std::endl;
  }
  result.push_back({"stoker", {}, nullptr});
  for (auto& system : result)
    system.table = &spark::table_of_version(version);
  return result;
}

WireMaster::WireMaster(const WireSystem& system, const WireRecipe& recipe)
    : address_{wire_host, port_or_free(recipe.port)},
      web_port_(port_or_free(recipe.web_port)), is_spark_(system.is_spark()) {
  Ports ports{static_cast<std::uint16_t>(address_.port), web_port_};
  auto words = is_spark_ ? words_of_spark(system.spark_home, recipe, ports,
                                          directory_.path())
                         : words_of_stoker(recipe, ports, directory_.path());
  started_at_ = BenchClock::now();
  child_ = std::make_unique<ChildProcess>(std::move(words),
                                          directory_.path() + "/log");
}

bool WireMaster::listens() const {
  return can_be_connected(address_);
}

bool WireMaster::has_said(const std::string& words,
                          const std::string& other_words) {
  auto ended = child_->wait_for(std::chrono::milliseconds{0});
  if (!log_.is_open())
    log_.open(directory_.path() + "/log");
  // It has grown since its end was met.
  log_.clear();
  std::string more{std::istreambuf_iterator<char>{log_}, {}};
  seen_ += more;
  if (ended)
    throw std::runtime_error("a master has ended: " + seen_);
  return seen_.find(words) != std::string::npos
         || seen_.find(other_words) != std::string::npos;
}

bool WireMaster::has_begun_to_recover() {
  return is_spark_ ? has_said("New state: RECOVERING", "New state: ALIVE")
                   : has_said("RECOVERING at", "ALIVE at");
}

bool WireMaster::leads() {
  return is_spark_ ? has_said("New state: ALIVE", "Recovery complete")
                   : has_said("ALIVE at", "ALIVE at");
}

void WireMaster::await_leading() {
  constexpr std::chrono::seconds limit{60};
  auto deadline = BenchClock::now() + limit;
  while (!leads() || !listens()) {
    if (BenchClock::now() > deadline)
      throw std::runtime_error("a master does not lead: " + seen_);
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

} // namespace stoker::benchmark
