#include "scheduling/worker/spark_command.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace stoker {

namespace {

using Environment = std::map<std::string, std::string>;

/// Packages of Java that Spark looks into (org.apache.spark.launcher.
/// JavaModuleOptions). Those who ask for executors name them in their options; who
/// submits a driver does not.
constexpr std::array opened_packages{
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
};

/// A secret on a command line would be everybody's.
constexpr const char* secret_option = "-Dspark.authenticate.secret";

/// The order's, or else the worker's.
std::string configured_value(const std::string& name, const Environment& order,
                             const Environment& worker) {
  for (const auto* environment : {&order, &worker})
    if (auto i = environment->find(name);
        i != environment->end() && !i->second.empty())
      return i->second;
  return {};
}

/// Parts that are not empty, with ':' between them.
std::string colon_separated(const std::vector<std::string>& parts) {
  std::string result;
  for (const auto& x : parts)
    if (!x.empty())
      result += (result.empty() ? "" : ":") + x;
  return result;
}

std::string with_placeholder(std::string text, const std::string& name,
                             const std::string& value) {
  for (auto i = text.find(name); i != std::string::npos;
       i = text.find(name, i + value.size()))
    text.replace(i, name.size(), value);
  return text;
}

std::string class_path(const WorkerConfig& config, const SparkHome& home,
                       const Command& command) {
  auto configured = [&](const char* name) {
    return configured_value(name, command.environment, config.environment);
  };
  auto parts = command.spark->class_path_entries;
  auto own = command.environment.find("SPARK_CONF_DIR");
  parts.push_back(own == command.environment.end() ? home.conf_directory
                                                   : own->second);
  parts.push_back(home.first_jar);
  // The JVM reads the directory.
  parts.push_back(home.path + "/jars/*");
  parts.push_back(configured("HADOOP_CONF_DIR"));
  parts.push_back(configured("YARN_CONF_DIR"));
  parts.push_back(configured("SPARK_DIST_CLASSPATH"));
  return colon_separated(parts);
}

/// Options hold placeholders anywhere, and only these two.
std::vector<std::string> java_options(const WorkerConfig& config,
                                      const SparkProgram& program,
                                      const SparkLaunch& launch) {
  std::vector<std::string> result;
  if (launch.driver) {
    // A Java 8 has no modules.
    result.emplace_back("-XX:+IgnoreUnrecognizedVMOptions");
    for (const auto* x : opened_packages)
      result.push_back(std::string{"--add-opens="} + x + "=ALL-UNNAMED");
    result.emplace_back("-Djdk.reflect.useDirectMethodHandle=false");
  }
  // Executors ask their own worker where others of the machine write, and that worker does
  // not know those of another. A driver may say otherwise.
  if (config.shuffle_port != 0 && !launch.driver)
    result.emplace_back("-Dspark.shuffle.readHostLocalDisk=false");
  for (auto option : program.java_options) {
    if (option.starts_with(secret_option))
      continue;
    for (const auto* name : {"{{APP_ID}}", "{{EXECUTOR_ID}}"})
      if (auto i = launch.values.find(name); i != launch.values.end())
        option = with_placeholder(std::move(option), name, i->second);
    result.push_back(std::move(option));
  }
  // A driver that submits this one may have named itself before.
  if (launch.driver)
    result.push_back(driver_id_option(*launch.driver));
  // It comes last, and so counts more than a driver's.
  if (config.shuffle_port != 0 && !launch.driver)
    result.push_back("-Dspark.shuffle.service.port="
                     + std::to_string(config.shuffle_port));
  if (launch.driver && !launch.resources_file.empty())
    result.push_back("-Dspark.driver.resourcesFile=" + launch.resources_file);
  return result;
}

std::vector<std::string> command_line(const WorkerConfig& config,
                                      const SparkHome& home,
                                      const Command& command,
                                      const SparkLaunch& launch) {
  auto own_java = command.environment.find("JAVA_HOME");
  std::vector<std::string> result{
      own_java == command.environment.end() ? home.java
                                            : own_java->second + "/bin/java",
      "-cp", class_path(config, home, command),
      "-Xmx" + std::to_string(launch.memory_mb) + "M"};
  for (auto& x : java_options(config, *command.spark, launch))
    result.push_back(std::move(x));
  result.push_back(command.spark->main_class);
  for (const auto& x : command.arguments) {
    auto i = launch.values.find(x);
    result.push_back(i == launch.values.end() ? x : i->second);
  }
  if (!launch.driver && !launch.resources_file.empty()) {
    result.emplace_back("--resourcesFile");
    result.push_back(launch.resources_file);
  }
  return result;
}

void complete_environment(Environment& environment, const WorkerConfig& config,
                          const SparkHome& home, const SparkProgram& program,
                          const SparkLaunch& launch) {
  if (auto folders = program.library_path_entries; !folders.empty()) {
    constexpr const char* name = "LD_LIBRARY_PATH";
    folders.push_back(configured_value(name, environment, {}));
    folders.push_back(configured_value(name, config.environment, {}));
    environment[name] = colon_separated(folders);
  }
  environment["SPARK_HOME"] = home.path;
  environment["SPARK_LAUNCH_WITH_SCALA"] = "0";
  if (!launch.local_directory.empty())
    environment["SPARK_EXECUTOR_DIRS"] = launch.local_directory;
}

Error no_spark_home(const WorkerConfig& config, const std::string& version) {
  std::string known;
  for (const auto& x : versions_of(config.spark_homes))
    known += (known.empty() ? "" : ", ") + x;
  return {Errc::failed,
          "the worker on " + config.host + " has no Spark "
              + (version.empty() ? "of an unnamed version" : version)
              + (known.empty() ? "" : ", only " + known)
              + "; start it with --spark-home DIR"};
}

} // namespace

Result<Command> spark_command(const WorkerConfig& config, Command command,
                              const SparkLaunch& launch) {
  const auto& version = command.spark->version;
  const auto* home = choose_spark_home(config.spark_homes, version);
  if (home == nullptr)
    return no_spark_home(config, version);
  if (home->java.empty() && !command.environment.contains("JAVA_HOME"))
    return Error{Errc::failed, "the worker on " + config.host
                                   + " has no Java for Spark " + version
                                   + "; start it with JAVA_HOME set"};
  auto arguments = command_line(config, *home, command, launch);
  complete_environment(command.environment, config, *home, *command.spark,
                       launch);
  command.arguments = std::move(arguments);
  return command;
}

} // namespace stoker
