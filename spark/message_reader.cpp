#include "spark/message_reader.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "spark/descriptions.hpp"
#include "spark/java_text.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

MessageToMaster read_check(const FieldReader& from) {
  return CheckExistence{from.text("name")};
}

MessageToMaster read_register_application(const FieldReader& from) {
  return RegisterApplication{read_application(from.object("appDescription")),
                             read_endpoint(from.object("driver"))};
}

MessageToMaster read_unregister(const FieldReader& from) {
  return UnregisterApplication{from.text("appId")};
}

MessageToMaster read_request_executors(const FieldReader& from) {
  RequestExecutors result{from.text("appId"), {}};
  if (from.has("requestedTotal")) {
    result.totals.push_back({{}, from.number("requestedTotal")});
    return result;
  }
  for (const auto& [key, value] : from.entries("resourceProfileToTotalExecs")) {
    FieldReader profile{from.values(), key.node(), "ResourceProfile"};
    result.totals.push_back(
        {read_profile(profile), from.values().number(value)});
  }
  return result;
}

MessageToMaster read_kill_executors(const FieldReader& from) {
  return KillExecutors{from.text("appId"), from.texts("executorIds")};
}

MessageToMaster read_acknowledged(const FieldReader& from) {
  return MasterChangeAcknowledged{from.text("appId")};
}

MessageToMaster read_register_worker(const FieldReader& from) {
  RegisterWorker result;
  result.id = from.text("id");
  result.host = from.text("host");
  result.port = from.number("port");
  result.worker = read_endpoint(from.object("worker"));
  result.cores = from.number("cores");
  result.memory_mb = from.number("memory");
  result.web_ui_url = from.text_or_empty("workerWebUiUrl");
  result.master_address = read_address(from.object("masterAddress"));
  result.resources = read_resources(from, "resources");
  return result;
}

MessageToMaster read_heartbeat(const FieldReader& from) {
  return Heartbeat{from.text("workerId"), read_endpoint(from.object("worker"))};
}

MessageToMaster read_latest_state(const FieldReader& from) {
  WorkerLatestState result{from.text("id"), {}, from.texts("driverIds")};
  for (const auto& x : from.elements("executors"))
    result.executors.push_back(read_executor(
        FieldReader{from.values(), x.node(), "ExecutorDescription"}));
  return result;
}

MessageToMaster read_scheduler_state(const FieldReader& from) {
  WorkerSchedulerStateResponse result{from.text("id"), {}, {}};
  for (const auto& x : from.elements("execResponses")) {
    FieldReader one{from.values(), x.node(), "WorkerExecutorStateResponse"};
    result.executors.push_back(
        {read_executor(one.object("desc")), read_resources(one, "resources")});
  }
  for (const auto& x : from.elements("driverResponses")) {
    FieldReader one{from.values(), x.node(), "WorkerDriverStateResponse"};
    result.drivers.push_back(
        {one.text("driverId"), read_resources(one, "resources")});
  }
  return result;
}

MessageToMaster read_executor_change(const FieldReader& from) {
  ExecutorStateChanged result;
  result.app_id = from.text("appId");
  result.exec_id = from.number("execId");
  result.state = from.enumerator("state", ExecutorState::decommissioned);
  result.message = from.optional_text("message");
  result.exit_status = from.optional_number("exitStatus");
  return result;
}

MessageToMaster read_driver_change(const FieldReader& from) {
  DriverStateChanged result;
  result.driver_id = from.text("driverId");
  result.state = from.enumerator("state", DriverState::error);
  auto thrown = from.optional_reference("exception");
  if (thrown == null_node)
    return result;
  FieldReader exception{from.values(), thrown, "Exception"};
  from.values().spend(exception.class_name().size());
  result.exception = to_utf8(exception.class_name());
  if (exception.has("detailMessage"))
    if (auto text = exception.text_or_empty("detailMessage"); !text.empty())
      *result.exception += ": " + text;
  return result;
}

MessageToMaster read_submit_driver(const FieldReader& from) {
  return RequestSubmitDriver{read_driver(from.object("driverDescription"))};
}

MessageToMaster read_kill_driver(const FieldReader& from) {
  return RequestKillDriver{from.text("driverId")};
}

MessageToMaster read_driver_status(const FieldReader& from) {
  return RequestDriverStatus{from.text("driverId")};
}

MessageToMaster read_decommissioning(const FieldReader& from) {
  return WorkerDecommissioning{from.text("id"),
                               read_endpoint(from.object("workerRef"))};
}

/// How a class of messages is read.
struct KnownMessage {
  std::string_view name;
  MessageToMaster (*read)(const FieldReader&);
};

constexpr std::string_view deploy_messages
    = "org.apache.spark.deploy.DeployMessages$";
constexpr std::string_view check_existence
    = "org.apache.spark.rpc.netty.RpcEndpointVerifier$CheckExistence";

constexpr std::array known_messages{
    KnownMessage{"DriverStateChanged", read_driver_change},
    KnownMessage{"ExecutorStateChanged", read_executor_change},
    KnownMessage{"Heartbeat", read_heartbeat},
    KnownMessage{"KillExecutors", read_kill_executors},
    KnownMessage{"MasterChangeAcknowledged", read_acknowledged},
    KnownMessage{"RegisterApplication", read_register_application},
    KnownMessage{"RegisterWorker", read_register_worker},
    KnownMessage{"RequestDriverStatus", read_driver_status},
    KnownMessage{"RequestExecutors", read_request_executors},
    KnownMessage{"RequestKillDriver", read_kill_driver},
    KnownMessage{"RequestSubmitDriver", read_submit_driver},
    KnownMessage{"UnregisterApplication", read_unregister},
    KnownMessage{"WorkerDecommissioning", read_decommissioning},
    KnownMessage{"WorkerLatestState", read_latest_state},
    KnownMessage{"WorkerSchedulerStateResponse", read_scheduler_state},
};

/// Spark's name for an error, without where the class is.
std::string_view short_name(std::string_view name) {
  return name.substr(name.rfind('$') + 1);
}

MessageToMaster read_known(ScalaReader& in, NodeId root,
                           std::string_view name) {
  FieldReader from{in, root, short_name(name)};
  if (name == check_existence)
    return read_check(from);
  if (name.starts_with(deploy_messages)) {
    auto rest = name.substr(deploy_messages.size());
    const auto* found
        = std::find_if(known_messages.begin(), known_messages.end(),
                       [&](const KnownMessage& x) { return x.name == rest; });
    if (found != known_messages.end())
      return found->read(from);
  }
  return UnknownMessage{to_utf8(name)};
}

} // namespace

Result<MessageToMaster> read_message_to_master(const JavaGraph& graph,
                                               NodeId root) {
  try {
    JavaView view{graph, root};
    if (view.kind() == JavaKind::text)
      return MessageToMaster{UnknownMessage{"java.lang.String"}};
    // Singletons of Scala 2.13 are known by another object.
    ScalaReader in{graph};
    if (auto module = in.module_name(root); !module.empty())
      return MessageToMaster{UnknownMessage{to_utf8(module)}};
    if (!view.is_object())
      return MessageToMaster{UnknownMessage{to_utf8(view.class_name())}};
    return read_known(in, root, view.class_name());
  } catch (const WireError& e) {
    return Error{Errc::corrupt,
                 std::string{"a message to the master: "} + e.what()};
  }
}

} // namespace stoker::spark
