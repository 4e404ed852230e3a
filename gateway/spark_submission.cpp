#include "gateway/spark_submission.hpp"

#include <algorithm>
#include <utility>

#include "gateway/program_path.hpp"
#include "scheduling/common/spark_release.hpp"
#include "spark/message_writer.hpp"

namespace stoker {

namespace {

/// The class of the user's, which the arguments of Spark's DriverWrapper name behind the
/// worker's URL and the jar.
std::string name_of(const spark::DriverDescription& x) {
  constexpr std::size_t class_position = 2;
  const auto& arguments = x.command.arguments;
  return arguments.size() > class_position ? arguments[class_position]
                                           : x.command.main_class;
}

} // namespace

Result<DriverDescription> to_description(const spark::RequestSubmitDriver& x,
                                         const std::string& user,
                                         const std::string& version) {
  const auto& driver = x.driver;
  auto jar = program_path(driver.jar_url);
  if (!jar)
    return std::move(jar).error();
  DriverDescription result;
  result.name = name_of(driver);
  result.user = user;
  result.cores = driver.cores;
  result.memory_mb = driver.memory_mb;
  result.supervise = driver.supervise;
  result.command.arguments = driver.command.arguments;
  std::replace(result.command.arguments.begin(), result.command.arguments.end(),
               std::string{"{{USER_JAR}}"}, *jar);
  result.command.environment = driver.command.environment;
  result.command.spark = SparkProgram{
      version, driver.command.main_class, driver.command.class_path_entries,
      driver.command.library_path_entries, driver.command.java_opts};
  for (const auto& resource : driver.resources)
    if (resource.amount > 0)
      result.resources[resource.name] = resource.amount;
  return result;
}

std::string user_of(const spark::RequestSubmitDriver& x) {
  const auto& environment = x.driver.command.environment;
  for (const auto* name : {"SPARK_USER", "USER", "LOGNAME"})
    if (auto found = environment.find(name); found != environment.end())
      return found->second;
  return {};
}

// -- of which version it is ---------------------------------------------------

namespace {

/// Whether two versions are of one release. What is no version is of none.
bool are_one_release(const std::string& a, const std::string& b) {
  auto x = spark_release_of(a);
  auto y = spark_release_of(b);
  return x && y && *x == *y;
}

} // namespace

std::optional<SubmitterVersion>
stated_version(const std::vector<const spark::VersionTable*>& tables,
               const spark::RequestSubmitDriver& x,
               const VersionOfHome& version_of_home) {
  auto agrees = [&](const std::string& version) {
    return std::any_of(tables.begin(), tables.end(), [&](const auto* table) {
      return are_one_release(version, table->version());
    });
  };
  const auto& environment = x.driver.command.environment;
  if (auto said = environment.find("STOKER_SPARK_VERSION");
      said != environment.end() && agrees(said->second))
    return SubmitterVersion{said->second, "as its environment says"};
  auto home = environment.find("SPARK_HOME");
  auto found = home != environment.end() && version_of_home
                   ? version_of_home(home->second)
                   : std::nullopt;
  if (found && agrees(*found))
    return SubmitterVersion{*found, "as its SPARK_HOME has"};
  return std::nullopt;
}

SubmitterVersion
assumed_version(const std::vector<const spark::VersionTable*>& tables,
                const std::vector<std::string>& of_workers) {
  for (const auto* table : tables)
    for (const auto& version : of_workers)
      if (are_one_release(version, table->version()))
        return {version, "the newest that agrees with its messages and that "
                         "a worker has"};
  return {tables.front()->version(),
          "the newest that agrees with its messages"};
}

// -- answers ------------------------------------------------------------------

namespace {

template <class Id>
std::optional<std::string> text_of(const std::optional<Id>& x) {
  return x ? std::optional{x->value} : std::nullopt;
}

} // namespace

std::string to_content(const spark::VersionTable& table,
                       const SubmitDriverResponse& x) {
  return write(table, spark::SubmitDriverResponse{
                          x.success, text_of(x.driver_id), x.message});
}

std::string to_content(const spark::VersionTable& table,
                       const KillDriverResponse& x) {
  return write(table, spark::KillDriverResponse{x.driver_id.value, x.success,
                                                x.message});
}

std::string to_content(const spark::VersionTable& table,
                       const DriverStatusResponse& x) {
  spark::DriverStatusResponse result;
  result.found = x.found;
  if (x.state)
    result.state = static_cast<spark::DriverState>(*x.state);
  result.worker_id = text_of(x.worker_id);
  result.worker_host_port = x.worker_host_port;
  return write(table, result);
}

} // namespace stoker
