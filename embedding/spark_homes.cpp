#include "embedding/spark_homes.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "process/program_files.hpp"

namespace stoker {

namespace {

namespace fs = std::filesystem;

using Environment = std::map<std::string, std::string>;

/// Empty if it is not set.
std::string value_of(const Environment& environment, const std::string& name) {
  auto i = environment.find(name);
  return i == environment.end() ? std::string{} : i->second;
}

bool is_program(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored)
         && ::access(path.c_str(), X_OK) == 0;
}

/// The first of that name on the PATH; or empty.
std::string program_on_path(const std::string& name,
                            const Environment& environment) {
  auto files = process::program_files(name, environment);
  auto i = std::find_if(files.begin(), files.end(), is_program);
  return i == files.end() ? std::string{} : *i;
}

/// Sorted; none of a directory that cannot be read.
std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> result;
  std::error_code error;
  for (fs::directory_iterator i{directory, error}, end; !error && i != end;
       i.increment(error))
    result.push_back(i->path().filename());
  std::sort(result.begin(), result.end());
  return result;
}

/// What is between a beginning and an end, if the name has both.
std::optional<std::string>
between(std::string_view name, std::string_view begin, std::string_view end) {
  if (name.size() <= begin.size() + end.size() || !name.starts_with(begin)
      || !name.ends_with(end))
    return std::nullopt;
  name.remove_prefix(begin.size());
  name.remove_suffix(end.size());
  return std::string{name};
}

/// Of the jar that each Spark has: spark-core_SCALA-VERSION.jar.
std::optional<std::string> version_in(const std::vector<std::string>& jars) {
  for (const auto& jar : jars)
    if (auto versions = between(jar, "spark-core_", ".jar"))
      if (auto dash = versions->find('-');
          dash != std::string::npos && dash + 1 < versions->size())
        return versions->substr(dash + 1);
  return std::nullopt;
}

/// Since Spark 4 its launcher has this one before all others.
std::string first_jar(const fs::path& directory, const std::string& version,
                      const std::vector<std::string>& jars) {
  if (version.starts_with("3."))
    return {};
  for (const auto& jar : jars)
    if (between(jar, "slf4j-api-", ".jar"))
      return directory / jar;
  return {};
}

fs::path absolute(const std::string& path) {
  std::error_code error;
  auto result = fs::absolute(path, error).lexically_normal();
  // "/opt/spark/" ends with an empty name.
  return result.has_filename() ? result : result.parent_path();
}

/// Programs are started elsewhere.
std::string java_in(const Environment& environment) {
  if (auto home = value_of(environment, "JAVA_HOME"); !home.empty())
    if (auto java = home + "/bin/java"; is_program(java))
      return absolute(java);
  auto java = program_on_path("java", environment);
  return java.empty() ? java : absolute(java).string();
}

/// The folder of libraries of a Python that is installed with that `bin`.
std::vector<std::string> python_homes(const fs::path& prefix) {
  std::vector<std::string> result;
  for (const auto& python : names_in(prefix / "lib"))
    if (python.starts_with("python3"))
      for (const auto* packages : {"site-packages", "dist-packages"})
        result.push_back(prefix / "lib" / python / packages / "pyspark");
  return result;
}

/// Of a `spark-submit`: an archive has it in `bin`, and Python's package puts a copy
/// beside the interpreter.
std::optional<SparkHome> home_of_submit(const std::string& program,
                                        const Environment& environment) {
  std::error_code error;
  // A distribution may link to it from elsewhere.
  auto real = fs::canonical(program, error);
  std::vector<std::string> candidates;
  if (!error)
    candidates.push_back(real.parent_path().parent_path());
  for (auto& x : python_homes(absolute(program).parent_path().parent_path()))
    candidates.push_back(std::move(x));
  for (const auto& x : candidates)
    if (auto home = read_spark_home(x, environment))
      return *std::move(home);
  return std::nullopt;
}

void find_by_itself(const Environment& environment, FoundSparkHomes& result) {
  if (auto directory = value_of(environment, "SPARK_HOME");
      !directory.empty()) {
    if (auto home = read_spark_home(directory, environment))
      result.homes.push_back(*std::move(home));
    else
      result.warnings.push_back("SPARK_HOME: " + home.error().message);
    return;
  }
  if (auto submit = program_on_path("spark-submit", environment);
      !submit.empty())
    if (auto home = home_of_submit(submit, environment))
      result.homes.push_back(*std::move(home));
}

} // namespace

Result<SparkHome> read_spark_home(const std::string& directory,
                                  const Environment& environment) {
  auto path = absolute(directory);
  auto jars = names_in(path / "jars");
  auto version = version_in(jars);
  std::error_code ignored;
  if (!version || !fs::is_directory(path / "bin", ignored))
    return Error{Errc::invalid_request,
                 "there is no Spark in '" + directory
                     + "': it has no bin and jars/spark-core_*.jar"};
  auto configuration = value_of(environment, "SPARK_CONF_DIR");
  return SparkHome{path, *version, java_in(environment),
                   configuration.empty() ? (path / "conf").string()
                                         : configuration,
                   first_jar(path / "jars", *version, jars)};
}

Result<FoundSparkHomes> find_spark_homes(const std::vector<std::string>& given,
                                         const Environment& environment) {
  FoundSparkHomes result;
  for (const auto& directory : given) {
    auto home = read_spark_home(directory, environment);
    if (!home)
      return Error{home.error().code, "--spark-home: " + home.error().message};
    result.homes.push_back(*std::move(home));
  }
  if (given.empty())
    find_by_itself(environment, result);
  if (!result.homes.empty() && result.homes.front().java.empty())
    result.warnings.emplace_back(
        "there is no Java for Spark: set JAVA_HOME, or have java on the PATH");
  return result;
}

} // namespace stoker
