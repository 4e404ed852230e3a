#include "spark/worker_messages.hpp"

#include <utility>
#include <vector>

#include "spark/java_builder.hpp"

namespace stoker::spark {

namespace {

std::string class_of_message(const char* name) {
  return std::string{"org.apache.spark.deploy.DeployMessages$"} + name;
}

NodeId command(JavaBuilder& builder, const Command& x) {
  std::vector<JavaBuilder::Entry> environment;
  for (const auto& [name, value] : x.environment)
    environment.push_back({builder.text(name), builder.text(value)});
  return builder.object(
      "org.apache.spark.deploy.Command",
      {{"mainClass", builder.text(x.main_class)},
       {"arguments", builder.list(x.arguments)},
       {"environment", builder.map(environment)},
       {"classPathEntries", builder.list(x.class_path_entries)},
       {"libraryPathEntries", builder.list(x.library_path_entries)},
       {"javaOpts", builder.list(x.java_opts)}});
}

// A worker shows what an executor has of its profile, and reads nothing else of it.
NodeId profile(JavaBuilder& builder, const ResourceProfile& x) {
  std::vector<JavaBuilder::Entry> of_executor;
  for (const auto& [name, amount] : x.executor_resources)
    of_executor.push_back(
        {builder.text(name),
         builder.object("org.apache.spark.resource.ExecutorResourceRequest",
                        {{"resourceName", builder.text(name)},
                         {"amount", amount},
                         {"discoveryScript", builder.text("")},
                         {"vendor", builder.text("")}})});
  return builder.object("org.apache.spark.resource.ResourceProfile",
                        {{"_id", x.id},
                         {"executorResources", builder.map(of_executor)},
                         {"taskResources", builder.empty_map()},
                         {"_executorResourceSlotsPerAddr", builder.none()},
                         {"_limitingResource", builder.none()},
                         {"_maxTasksPerExecutor", builder.none()}});
}

// Spark 3.3 has memory and cores beside the profile.
NodeId application(JavaBuilder& builder, const LaunchExecutor& x) {
  const auto& app = x.app;
  return builder.object(
      "org.apache.spark.deploy.ApplicationDescription",
      {{"name", builder.text(app.name)},
       {"user", builder.text(app.user)},
       {"maxCores", builder.option(app.max_cores)},
       {"command", command(builder, app.command)},
       {"appUiUrl", builder.text(app.app_ui_url)},
       {"defaultProfile",
        x.without_profile ? null_node : profile(builder, app.default_profile)},
       {"eventLogDir", builder.none()},
       {"eventLogCodec", builder.none()},
       {"initialExecutorLimit", builder.none()},
       {"memoryPerExecutorMB", x.memory_mb},
       {"coresPerExecutor", builder.option(std::optional{x.cores})},
       {"resourceReqsPerExecutor", builder.list(std::vector<NodeId>{})}});
}

NodeId driver(JavaBuilder& builder, const DriverDescription& x) {
  std::vector<NodeId> resources;
  for (const auto& needed : x.resources)
    resources.push_back(
        builder.object("org.apache.spark.resource.ResourceRequirement",
                       {{"resourceName", builder.text(needed.name)},
                        {"amount", needed.amount},
                        {"numParts", needed.parts}}));
  return builder.object("org.apache.spark.deploy.DriverDescription",
                        {{"jarUrl", builder.text(x.jar_url)},
                         {"mem", x.memory_mb},
                         {"cores", x.cores},
                         {"supervise", x.supervise ? 1 : 0},
                         {"command", command(builder, x.command)},
                         {"resourceReqs", builder.list(resources)}});
}

NodeId resources(JavaBuilder& builder, const ResourceAddresses& x) {
  std::vector<JavaBuilder::Entry> result;
  for (const auto& [name, addresses] : x)
    result.push_back(
        {builder.text(name),
         builder.object("org.apache.spark.resource.ResourceInformation",
                        {{"name", builder.text(name)},
                         {"addresses", builder.text_array(addresses)}})});
  return builder.map(result);
}

/// Of an object that there is one of.
std::string write_singleton(const VersionTable& table, const char* name) {
  JavaBuilder builder{table};
  return builder.write(builder.singleton(class_of_message(name)));
}

} // namespace

std::string write(const VersionTable& table, const RegisteredWorker& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(class_of_message("RegisteredWorker"),
                     {{"master", builder.endpoint("Master", x.master)},
                      {"masterWebUiUrl", builder.text(x.web_ui_url)},
                      {"masterAddress", builder.address(x.master_address)},
                      {"duplicate", x.duplicate ? 1 : 0}}));
}

std::string write(const VersionTable& table, const RegisterWorkerFailed& x) {
  JavaBuilder builder{table};
  return builder.write(builder.object(class_of_message("RegisterWorkerFailed"),
                                      {{"message", builder.text(x.message)}}));
}

std::string write(const VersionTable& table, const MasterInStandby&) {
  return write_singleton(table, "MasterInStandby$");
}

std::string write(const VersionTable& table, const ReconnectWorker& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(class_of_message("ReconnectWorker"),
                     {{"masterUrl", builder.text(x.master_url)}}));
}

std::string write(const VersionTable& table, const LaunchExecutor& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(class_of_message("LaunchExecutor"),
                     {{"masterUrl", builder.text(x.master_url)},
                      {"appId", builder.text(x.app_id)},
                      {"execId", x.exec_id},
                      {"rpId", x.app.default_profile.id},
                      {"appDesc", application(builder, x)},
                      {"cores", x.cores},
                      {"memory", x.memory_mb},
                      {"resources", resources(builder, x.resources)}}));
}

std::string write(const VersionTable& table, const KillExecutor& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(class_of_message("KillExecutor"),
                     {{"masterUrl", builder.text(x.master_url)},
                      {"appId", builder.text(x.app_id)},
                      {"execId", x.exec_id}}));
}

std::string write(const VersionTable& table, const ApplicationFinished& x) {
  JavaBuilder builder{table};
  return builder.write(builder.object(class_of_message("ApplicationFinished"),
                                      {{"id", builder.text(x.app_id)}}));
}

std::string write(const VersionTable& table, const LaunchDriver& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(class_of_message("LaunchDriver"),
                     {{"driverId", builder.text(x.driver_id)},
                      {"driverDesc", driver(builder, x.driver)},
                      {"resources", resources(builder, x.resources)}}));
}

std::string write(const VersionTable& table, const KillDriver& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(class_of_message("KillDriver"),
                     {{"driverId", builder.text(x.driver_id)}}));
}

std::string write(const VersionTable& table, const DecommissionWorker&) {
  return write_singleton(table, "DecommissionWorker$");
}

} // namespace stoker::spark
