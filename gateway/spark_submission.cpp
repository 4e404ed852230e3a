#include "gateway/spark_submission.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gateway/agreed_versions.hpp"
#include "gateway/program_path.hpp"
#include "scheduling/common/java_options.hpp"
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

/// Returns the value of a property of the driver; empty if the property is not set.
std::string setting_of(const spark::RequestSubmitDriver& x,
                       std::string_view name) {
  return std::string{
      property_of(x.driver.command.java_opts, name).value_or("")};
}

/// Of a submitter's environment. Empty: it is not set.
std::string variable_of(const spark::RequestSubmitDriver& x,
                        const std::string& name) {
  const auto& environment = x.driver.command.environment;
  auto found = environment.find(name);
  return found == environment.end() ? std::string{} : found->second;
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
  result.command.spark = SparkProgram{version,
                                      driver.command.main_class,
                                      driver.command.class_path_entries,
                                      driver.command.library_path_entries,
                                      driver.command.java_opts,
                                      *jar};
  for (const auto& resource : driver.resources)
    if (resource.amount > 0)
      result.resources[resource.name] = resource.amount;
  return result;
}

DriverNames names_of(const spark::RequestSubmitDriver& x,
                     const std::string& user) {
  DriverNames result{user, {}, name_of(x.driver)};
  if (auto name = setting_of(x, "spark.app.name"); !name.empty())
    result.app = name;
  return result;
}

std::string user_of(const spark::RequestSubmitDriver& x) {
  for (const auto* name : {spark_user_variable, "USER", "LOGNAME"})
    if (auto user = variable_of(x, name); !user.empty())
      return user;
  return {};
}

// -- of which version it is ---------------------------------------------------

std::optional<SubmitterVersion>
stated_version(const std::vector<std::string>& agreed,
               const spark::RequestSubmitDriver& x) {
  if (auto said = variable_of(x, version_variable); is_of_these(said, agreed))
    return SubmitterVersion{said, "as its environment says"};
  // Spark 4.3 and later do not send the whole environment.
  auto said
      = setting_of(x, std::string{"spark.executorEnv."} + version_variable);
  if (is_of_these(said, agreed))
    return SubmitterVersion{said, "as its settings say"};
  return std::nullopt;
}

std::string spark_home_of(const spark::RequestSubmitDriver& x) {
  return variable_of(x, "SPARK_HOME");
}

std::optional<SubmitterVersion>
version_at_home(const std::vector<std::string>& agreed,
                const std::string& found) {
  if (!is_of_these(found, agreed))
    return std::nullopt;
  return SubmitterVersion{found, "as its SPARK_HOME has"};
}

SubmitterVersion assumed_version(const std::vector<std::string>& agreed,
                                 const std::vector<std::string>& of_workers) {
  for (const auto& version : agreed)
    for (const auto& known : of_workers)
      if (are_one_release(known, version))
        return {known, "the newest that agrees with its messages and that a "
                       "worker has"};
  return {agreed.front(), "the newest that agrees with its messages"};
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
