#include "spark/descriptions.hpp"

namespace stoker::spark {

namespace {

Command read_command(const FieldReader& from) {
  Command result;
  result.main_class = from.text("mainClass");
  result.arguments = from.texts("arguments");
  result.environment = from.text_map("environment");
  result.class_path_entries = from.texts("classPathEntries");
  result.library_path_entries = from.texts("libraryPathEntries");
  result.java_opts = from.texts("javaOpts");
  return result;
}

std::vector<ResourceRequirement> read_requirements(const FieldReader& from,
                                                   std::string_view name) {
  std::vector<ResourceRequirement> result;
  for (const auto& x : from.elements(name)) {
    FieldReader one{from.values(), x.node(), "ResourceRequirement"};
    result.push_back({one.text("resourceName"), one.number("amount"),
                      one.number("numParts")});
  }
  return result;
}

/// What Spark 3.3 says of executors, as a profile.
ResourceProfile read_executor_size(const FieldReader& from) {
  ResourceProfile result;
  result.executor_resources["memory"] = from.number("memoryPerExecutorMB");
  if (auto cores = from.optional_number("coresPerExecutor"))
    result.executor_resources["cores"] = *cores;
  for (const auto& x : read_requirements(from, "resourceReqsPerExecutor"))
    result.executor_resources[x.name] = x.amount;
  return result;
}

/// Of a java.net.URI, or of a text.
std::optional<std::string> read_uri(const FieldReader& from,
                                    std::string_view name) {
  auto found = from.optional_reference(name);
  if (found == null_node)
    return {};
  if (from.values().view(found).is_object())
    return FieldReader{from.values(), found, "URI"}.text("string");
  return from.optional_text(name);
}

} // namespace

RpcAddress read_address(const FieldReader& from) {
  return {from.text("host"), from.number("port")};
}

EndpointRef read_endpoint(const FieldReader& from) {
  auto address = from.object("endpointAddress");
  EndpointRef result;
  result.name = address.text("name");
  // Of who does not listen there is none.
  if (address.reference("rpcAddress") != null_node)
    result.address = read_address(address.object("rpcAddress"));
  result.node = from.id();
  return result;
}

ResourceProfile read_profile(const FieldReader& from) {
  ResourceProfile result;
  result.id = from.number("_id");
  for (const auto& [key, value] : from.entries("executorResources")) {
    FieldReader request{from.values(), value.node(), "ExecutorResourceRequest"};
    result.executor_resources.insert_or_assign(from.values().text(key.node()),
                                               request.long_number("amount"));
  }
  for (const auto& [key, value] : from.entries("taskResources")) {
    FieldReader request{from.values(), value.node(), "TaskResourceRequest"};
    result.task_resources.insert_or_assign(from.values().text(key.node()),
                                           request.floating_number("amount"));
  }
  return result;
}

ApplicationDescription read_application(const FieldReader& from) {
  ApplicationDescription result;
  result.name = from.text("name");
  result.user = from.text_or_empty("user");
  result.max_cores = from.optional_number("maxCores");
  result.command = read_command(from.object("command"));
  result.app_ui_url = from.text_or_empty("appUiUrl");
  result.default_profile = from.has("defaultProfile")
                               ? read_profile(from.object("defaultProfile"))
                               : read_executor_size(from);
  result.event_log_dir = read_uri(from, "eventLogDir");
  result.event_log_codec = from.optional_text("eventLogCodec");
  result.initial_executor_limit = from.optional_number("initialExecutorLimit");
  result.node = from.id();
  return result;
}

DriverDescription read_driver(const FieldReader& from) {
  DriverDescription result;
  result.jar_url = from.text("jarUrl");
  result.memory_mb = from.number("mem");
  result.cores = from.number("cores");
  result.supervise = from.truth("supervise");
  result.command = read_command(from.object("command"));
  result.resources = read_requirements(from, "resourceReqs");
  result.node = from.id();
  return result;
}

ExecutorDescription read_executor(const FieldReader& from) {
  ExecutorDescription result;
  result.app_id = from.text("appId");
  result.exec_id = from.number("execId");
  if (from.has("rpId"))
    result.profile_id = from.number("rpId");
  if (from.has("memoryMb"))
    result.memory_mb = from.number("memoryMb");
  result.cores = from.number("cores");
  result.state = from.enumerator("state", ExecutorState::decommissioned);
  return result;
}

ResourceAddresses read_resources(const FieldReader& from,
                                 std::string_view name) {
  ResourceAddresses result;
  for (const auto& [key, value] : from.entries(name)) {
    FieldReader information{from.values(), value.node(), "ResourceInformation"};
    result.insert_or_assign(from.values().text(key.node()),
                            information.texts("addresses"));
  }
  return result;
}

} // namespace stoker::spark
