#include "spark/message_writer.hpp"

#include "spark/frame.hpp"
#include "spark/java_builder.hpp"

namespace stoker::spark {

namespace {

constexpr const char* executor_states
    = "org.apache.spark.deploy.ExecutorState$";
constexpr const char* driver_states
    = "org.apache.spark.deploy.master.DriverState$";

std::string deploy_message(const char* name) {
  return std::string{"org.apache.spark.deploy.DeployMessages$"} + name;
}

NodeId master_endpoint(JavaBuilder& builder, const RpcAddress& where) {
  return builder.endpoint("Master", where);
}

} // namespace

// -- to drivers ---------------------------------------------------------------

std::string write(const VersionTable& table, const RegisteredApplication& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(deploy_message("RegisteredApplication"),
                     {{"appId", builder.text(x.app_id)},
                      {"master", master_endpoint(builder, x.master)}}));
}

std::string write(const VersionTable& table, const ExecutorAdded& x) {
  JavaBuilder builder{table};
  return builder.write(builder.object(deploy_message("ExecutorAdded"),
                                      {{"id", x.id},
                                       {"workerId", builder.text(x.worker_id)},
                                       {"hostPort", builder.text(x.host_port)},
                                       {"cores", x.cores},
                                       {"memory", x.memory_mb}}));
}

std::string write(const VersionTable& table, const ExecutorUpdated& x) {
  JavaBuilder builder{table};
  auto state = builder.enumeration(executor_states,
                                   static_cast<std::int32_t>(x.state));
  return builder.write(
      builder.object(deploy_message("ExecutorUpdated"),
                     {{"id", x.id},
                      {"state", state},
                      {"message", builder.option(x.message)},
                      {"exitStatus", builder.option(x.exit_status)},
                      {"workerHost", builder.option(x.worker_host)}}));
}

std::string write(const VersionTable& table, const WorkerRemoved& x) {
  JavaBuilder builder{table};
  return builder.write(builder.object(deploy_message("WorkerRemoved"),
                                      {{"id", builder.text(x.id)},
                                       {"host", builder.text(x.host)},
                                       {"message", builder.text(x.message)}}));
}

std::string write(const VersionTable& table, const ApplicationRemoved& x) {
  JavaBuilder builder{table};
  return builder.write(builder.object(deploy_message("ApplicationRemoved"),
                                      {{"message", builder.text(x.message)}}));
}

std::string write(const VersionTable& table, const MasterChanged& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(deploy_message("MasterChanged"),
                     {{"master", master_endpoint(builder, x.master)},
                      {"masterWebUiUrl", builder.text(x.web_ui_url)}}));
}

// -- to who submits -----------------------------------------------------------

// Their reference to the master is left null: nobody reads it, and its class would tell
// versions apart that look the same in what they have sent.

std::string write(const VersionTable& table, const SubmitDriverResponse& x) {
  JavaBuilder builder{table};
  return builder.write(
      builder.object(deploy_message("SubmitDriverResponse"),
                     {{"success", x.success ? 1 : 0},
                      {"driverId", builder.option(x.driver_id)},
                      {"message", builder.text(x.message)}}));
}

std::string write(const VersionTable& table, const KillDriverResponse& x) {
  JavaBuilder builder{table};
  return builder.write(builder.object(deploy_message("KillDriverResponse"),
                                      {{"driverId", builder.text(x.driver_id)},
                                       {"success", x.success ? 1 : 0},
                                       {"message", builder.text(x.message)}}));
}

std::string write(const VersionTable& table, const DriverStatusResponse& x) {
  JavaBuilder builder{table};
  auto state = x.state ? builder.some(builder.enumeration(
                   driver_states, static_cast<std::int32_t>(*x.state)))
                       : builder.none();
  return builder.write(
      builder.object(deploy_message("DriverStatusResponse"),
                     {{"found", x.found ? 1 : 0},
                      {"state", state},
                      {"workerId", builder.option(x.worker_id)},
                      {"workerHostPort", builder.option(x.worker_host_port)},
                      {"exception", builder.none()}}));
}

std::string_view written_boolean(bool x) {
  static const auto both = [] {
    const auto& table = version_tables().back();
    auto make = [&](bool value) {
      JavaBuilder builder{table};
      return builder.write(builder.boolean(value));
    };
    return std::pair{make(false), make(true)};
  }();
  return x ? both.second : both.first;
}

// -- frames -------------------------------------------------------------------

std::string one_way_frame(const RpcAddress& sender, const RpcAddress& receiver,
                          std::string_view endpoint, std::string_view content) {
  std::string body;
  append_rpc_message(body, {sender, receiver, std::string{endpoint}, content});
  std::string result;
  append_frame(result, {FrameType::one_way_message, 0, body});
  return result;
}

std::string response_frame(std::int64_t request, std::string_view content) {
  std::string result;
  append_frame(result, {FrameType::rpc_response, request, content});
  return result;
}

std::string failure_frame(std::int64_t request, std::string_view why) {
  std::string result;
  append_frame(result, {FrameType::rpc_failure, request, why});
  return result;
}

} // namespace stoker::spark
