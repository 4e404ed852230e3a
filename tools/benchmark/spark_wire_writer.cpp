#include "tools/benchmark/spark_wire_writer.hpp"

#include <unistd.h>

#include <optional>

#include "gateway/user_name.hpp"
#include "spark/java_builder.hpp"
#include "spark/message_writer.hpp"

namespace stoker::benchmark {

namespace {

using spark::JavaBuilder;
using spark::NodeId;

std::string deploy_class(const char* name) {
  return std::string{"org.apache.spark.deploy."} + name;
}

std::string message_class(const char* name) {
  return deploy_class("DeployMessages$") + name;
}

NodeId executor_state(JavaBuilder& builder, spark::ExecutorState x) {
  return builder.enumeration(deploy_class("ExecutorState$"),
                             static_cast<std::int32_t>(x));
}

/// As of a driver of PySpark's, with the options that its version gives each executor.
NodeId command_of_driver(JavaBuilder& builder, const spark::VersionTable& table,
                         const spark::RpcAddress& driver) {
  auto port = std::to_string(driver.port);
  auto url = "spark://CoarseGrainedScheduler@" + driver.host + ':' + port;
  std::vector<std::string> options{"-Dspark.driver.port=" + port};
  const auto& usual = table.java_options();
  options.insert(options.end(), usual.begin(), usual.end());
  std::vector<std::string> no_paths;
  return builder.object(
      deploy_class("Command"),
      {{"mainClass",
        builder.text("org.apache.spark.executor.CoarseGrainedExecutorBackend")},
       {"arguments",
        builder.list(std::vector<std::string>{
            "--driver-url", url, "--executor-id", "{{EXECUTOR_ID}}",
            "--hostname", "{{HOSTNAME}}", "--cores", "{{CORES}}", "--app-id",
            "{{APP_ID}}", "--worker-url", "{{WORKER_URL}}",
            "--resourceProfileId", "{{RESOURCE_PROFILE_ID}}"})},
       {"environment", builder.map({{builder.text("SPARK_USER"),
                                     builder.text(user_name(::geteuid()))}})},
       {"classPathEntries", builder.list(no_paths)},
       {"libraryPathEntries", builder.list(no_paths)},
       {"javaOpts", builder.list(options)}});
}

NodeId executor_request(JavaBuilder& builder, const char* name,
                        std::int64_t amount) {
  return builder.object("org.apache.spark.resource.ExecutorResourceRequest",
                        {{"resourceName", builder.text(name)},
                         {"amount", amount},
                         {"discoveryScript", builder.text("")},
                         {"vendor", builder.text("")}});
}

NodeId profile_of(JavaBuilder& builder, const WireAppFacts& x) {
  // A double, by its bits.
  constexpr std::int64_t one_cpu = 0x3FF0000000000000;
  auto of_task = builder.object(
      "org.apache.spark.resource.TaskResourceRequest",
      {{"resourceName", builder.text("cpus")}, {"amount", one_cpu}});
  return builder.object(
      "org.apache.spark.resource.ResourceProfile",
      {{"executorResources",
        builder.map(
            {{builder.text("cores"),
              executor_request(builder, "cores", x.cores_per_executor)},
             {builder.text("memory"),
              executor_request(builder, "memory", x.memory_per_executor_mb)}})},
       {"taskResources", builder.map({{builder.text("cpus"), of_task}})},
       {"_executorResourceSlotsPerAddr", builder.none()},
       {"_limitingResource", builder.none()},
       {"_maxTasksPerExecutor", builder.none()}});
}

} // namespace

// -- anybody ------------------------------------------------------------------

std::string SparkWireWriter::check_existence() const {
  JavaBuilder builder{table_};
  return builder.write(builder.object(
      "org.apache.spark.rpc.netty.RpcEndpointVerifier$CheckExistence",
      {{"name", builder.text("Master")}}));
}

std::string SparkWireWriter::request_driver_status() const {
  JavaBuilder builder{table_};
  return builder.write(builder.object(message_class("RequestDriverStatus"),
                                      {{"driverId", builder.text("none")}}));
}

// -- workers ------------------------------------------------------------------

std::string SparkWireWriter::register_worker(const WireWorkerFacts& x) const {
  JavaBuilder builder{table_};
  return builder.write(
      builder.object(message_class("RegisterWorker"),
                     {{"id", builder.text(x.id)},
                      {"host", builder.text(x.address.host)},
                      {"port", x.address.port},
                      {"worker", builder.endpoint("Worker", x.address)},
                      {"cores", x.cores},
                      {"memory", x.memory_mb},
                      {"workerWebUiUrl", builder.text(x.page_url)},
                      {"masterAddress", builder.address(master_)},
                      {"resources", builder.empty_map()}}));
}

std::string SparkWireWriter::heartbeat(const WireWorkerFacts& x) const {
  JavaBuilder builder{table_};
  return builder.write(
      builder.object(message_class("Heartbeat"),
                     {{"workerId", builder.text(x.id)},
                      {"worker", builder.endpoint("Worker", x.address)}}));
}

std::string
SparkWireWriter::worker_latest_state(const std::string& worker_id) const {
  JavaBuilder builder{table_};
  auto empty = builder.list(std::vector<NodeId>{});
  return builder.write(builder.object(message_class("WorkerLatestState"),
                                      {{"id", builder.text(worker_id)},
                                       {"executors", empty},
                                       {"driverIds", empty}}));
}

std::string SparkWireWriter::worker_scheduler_state_response(
    const std::string& worker_id,
    const std::vector<WireExecutor>& executors) const {
  JavaBuilder builder{table_};
  std::vector<NodeId> running;
  for (const auto& x : executors) {
    auto description = builder.object(
        deploy_class("ExecutorDescription"),
        {{"appId", builder.text(x.app_id)},
         {"execId", x.id},
         {"rpId", 0},
         {"cores", x.cores},
         {"memoryMb", x.memory_mb},
         {"state", executor_state(builder, spark::ExecutorState::running)}});
    running.push_back(builder.object(
        message_class("WorkerExecutorStateResponse"),
        {{"desc", description}, {"resources", builder.empty_map()}}));
  }
  return builder.write(builder.object(
      message_class("WorkerSchedulerStateResponse"),
      {{"id", builder.text(worker_id)},
       {"execResponses", builder.list(running)},
       {"driverResponses", builder.list(std::vector<NodeId>{})}}));
}

std::string
SparkWireWriter::executor_state_changed(const std::string& app_id,
                                        std::int32_t executor,
                                        spark::ExecutorState x) const {
  constexpr std::int32_t ended_by_sigterm = 143;
  std::optional<std::int32_t> status;
  if (x == spark::ExecutorState::killed)
    status = ended_by_sigterm;
  JavaBuilder builder{table_};
  return builder.write(
      builder.object(message_class("ExecutorStateChanged"),
                     {{"appId", builder.text(app_id)},
                      {"execId", executor},
                      {"state", executor_state(builder, x)},
                      {"message", builder.none()},
                      {"exitStatus", builder.option(status)}}));
}

// -- drivers ------------------------------------------------------------------

std::string SparkWireWriter::register_application(const WireAppFacts& x) const {
  JavaBuilder builder{table_};
  auto description = builder.object(
      deploy_class("ApplicationDescription"),
      {{"name", builder.text(x.name)},
       {"user", builder.text(user_name(::geteuid()))},
       {"maxCores", builder.option(std::optional{x.cores_max})},
       {"command", command_of_driver(builder, table_, x.driver)},
       {"appUiUrl", builder.text("")},
       {"defaultProfile", profile_of(builder, x)},
       {"eventLogDir", builder.none()},
       {"eventLogCodec", builder.none()},
       {"initialExecutorLimit", builder.none()}});
  return builder.write(
      builder.object(message_class("RegisterApplication"),
                     {{"appDescription", description},
                      {"driver", builder.endpoint("AppClient", x.driver)}}));
}

std::string
SparkWireWriter::unregister_application(const std::string& app_id) const {
  JavaBuilder builder{table_};
  return builder.write(builder.object(message_class("UnregisterApplication"),
                                      {{"appId", builder.text(app_id)}}));
}

std::string
SparkWireWriter::master_change_acknowledged(const std::string& app_id) const {
  JavaBuilder builder{table_};
  return builder.write(builder.object(message_class("MasterChangeAcknowledged"),
                                      {{"appId", builder.text(app_id)}}));
}

// -- frames -------------------------------------------------------------------

std::string SparkWireWriter::told(const spark::RpcAddress& sender,
                                  std::string_view content) const {
  return spark::one_way_frame(sender, master_, "Master", content);
}

std::string SparkWireWriter::asked(std::int64_t request,
                                   const spark::RpcAddress& sender,
                                   std::string_view endpoint,
                                   std::string_view content) const {
  std::string body;
  spark::append_rpc_message(body,
                            {sender, master_, std::string{endpoint}, content});
  std::string result;
  spark::append_frame(result, {spark::FrameType::rpc_request, request, body});
  return result;
}

} // namespace stoker::benchmark
