#pragma once

// What a master receives, as Spark's classes name it (org.apache.spark.deploy
// .DeployMessages, ApplicationDescription, DriverDescription and others), of Spark 3.3 to
// 4.1. Who sends what, and what the answer is:
//
//     anybody    CheckExistence                        asks   Boolean
//     driver     RegisterApplication                   sends
//                RequestExecutors, KillExecutors       asks   Boolean
//                UnregisterApplication                 sends
//     worker     RegisterWorker, WorkerLatestState     sends
//                Heartbeat, WorkerDecommissioning      sends
//                ExecutorStateChanged                  asks   Boolean
//                DriverStateChanged                    sends
//     submitter  RequestSubmitDriver, RequestKillDriver,
//                RequestDriverStatus                   asks   a message each
//     driver or worker, after MasterChanged:
//                MasterChangeAcknowledged, WorkerSchedulerStateResponse   sends

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "spark/java_graph.hpp"
#include "spark/rpc_message.hpp"

namespace stoker::spark {

/// Whom to send something: what answers it comes over the connection that it came by.
struct EndpointRef {
  std::string name;
  RpcAddress address;

  /// In the graph that the message was read from.
  NodeId node = null_node;
};

/// How an executor or a driver is started. Words in "{{...}}" are to be replaced.
struct Command {
  std::string main_class;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::vector<std::string> class_path_entries;
  std::vector<std::string> library_path_entries;
  std::vector<std::string> java_opts;
};

/// What an executor, and a task in it, has of each resource.
struct ResourceProfile {
  /// 0: of those who ask for no other.
  std::int32_t id = 0;

  /// "memory" and the like in MiB, "cores" if they are limited, and custom ones.
  std::map<std::string, std::int64_t> executor_resources;
  std::map<std::string, double> task_resources;
};

struct ApplicationDescription {
  std::string name;
  std::string user;

  /// Of all executors together (spark.cores.max).
  std::optional<std::int32_t> max_cores;
  Command command;
  std::string app_ui_url;

  /// Spark 3.3 says memory, cores and resources without a profile: one with id 0 is made
  /// of them.
  ResourceProfile default_profile;

  /// A URI.
  std::optional<std::string> event_log_dir;
  std::optional<std::string> event_log_codec;

  /// How many executors the application wants at first: it allocates dynamically.
  std::optional<std::int32_t> initial_executor_limit;

  /// In the graph that the message was read from, to be written again for a worker of
  /// Spark.
  NodeId node = null_node;
};

struct ResourceRequirement {
  std::string name;
  std::int32_t amount = 0;
  std::int32_t parts = 1;
};

struct DriverDescription {
  std::string jar_url;
  std::int32_t memory_mb = 0;
  std::int32_t cores = 0;

  /// Start it again when it fails.
  bool supervise = false;
  Command command;
  std::vector<ResourceRequirement> resources;

  /// As that of an ApplicationDescription.
  NodeId node = null_node;
};

/// Numbers are Spark's ordinals.
enum class ExecutorState : std::uint8_t {
  launching,
  running,
  killed,
  failed,
  lost,
  exited,
  decommissioned,
};

enum class DriverState : std::uint8_t {
  submitted,
  running,
  finished,
  relaunching,
  unknown,
  killed,
  failed,
  error,
};

/// Addresses of a resource, by its name.
using ResourceAddresses = std::map<std::string, std::vector<std::string>>;

struct CheckExistence {
  /// Of an endpoint.
  std::string name;
};

struct RegisterApplication {
  ApplicationDescription app;
  EndpointRef driver;
};

struct UnregisterApplication {
  std::string app_id;
};

/// How many executors of a profile are wanted, with those that run.
struct ExecutorTotal {
  ResourceProfile profile;
  std::int32_t total = 0;
};

/// Spark 3.3 says one number, which is taken for the profile 0.
struct RequestExecutors {
  std::string app_id;
  std::vector<ExecutorTotal> totals;
};

struct KillExecutors {
  std::string app_id;

  /// Decimal numbers.
  std::vector<std::string> executor_ids;
};

struct MasterChangeAcknowledged {
  std::string app_id;
};

struct RegisterWorker {
  std::string id;
  std::string host;
  std::int32_t port = 0;
  EndpointRef worker;
  std::int32_t cores = 0;
  std::int32_t memory_mb = 0;
  std::string web_ui_url;

  /// How the worker calls the master, which has to say it back.
  RpcAddress master_address;
  ResourceAddresses resources;
};

struct Heartbeat {
  std::string worker_id;
  EndpointRef worker;
};

struct ExecutorDescription {
  std::string app_id;
  std::int32_t exec_id = 0;

  /// Spark 3.3 has neither.
  std::optional<std::int32_t> profile_id;
  std::optional<std::int32_t> memory_mb;
  std::int32_t cores = 0;
  ExecutorState state = ExecutorState::launching;
};

/// What a worker that has just registered runs.
struct WorkerLatestState {
  std::string id;
  std::vector<ExecutorDescription> executors;
  std::vector<std::string> driver_ids;
};

struct WorkerExecutorState {
  ExecutorDescription executor;
  ResourceAddresses resources;
};

struct WorkerDriverState {
  std::string driver_id;
  ResourceAddresses resources;
};

/// The same, for a master that is new.
struct WorkerSchedulerStateResponse {
  std::string id;
  std::vector<WorkerExecutorState> executors;
  std::vector<WorkerDriverState> drivers;
};

struct ExecutorStateChanged {
  std::string app_id;
  std::int32_t exec_id = 0;
  ExecutorState state = ExecutorState::launching;
  std::optional<std::string> message;

  /// 128 more than the signal that has ended it.
  std::optional<std::int32_t> exit_status;
};

struct DriverStateChanged {
  std::string driver_id;
  DriverState state = DriverState::submitted;

  /// The class of an exception and what it says.
  std::optional<std::string> exception;
};

struct RequestSubmitDriver {
  DriverDescription driver;
};

struct RequestKillDriver {
  std::string driver_id;
};

struct RequestDriverStatus {
  std::string driver_id;
};

struct WorkerDecommissioning {
  std::string id;
  EndpointRef worker;
};

/// Something that a master does not receive, or that is not known yet.
struct UnknownMessage {
  /// As "java.lang.String".
  std::string class_name;
};

using MessageToMaster
    = std::variant<CheckExistence, RegisterApplication, UnregisterApplication,
                   RequestExecutors, KillExecutors, MasterChangeAcknowledged,
                   RegisterWorker, Heartbeat, WorkerLatestState,
                   WorkerSchedulerStateResponse, ExecutorStateChanged,
                   DriverStateChanged, RequestSubmitDriver, RequestKillDriver,
                   RequestDriverStatus, WorkerDecommissioning, UnknownMessage>;

} // namespace stoker::spark
