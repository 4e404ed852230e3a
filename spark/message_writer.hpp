#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "spark/messages.hpp"
#include "spark/rpc_message.hpp"
#include "spark/version_tables.hpp"

namespace stoker::spark {

// What a master writes to drivers and to those who submit drivers, in the form of the
// receiver's version: Java streams, which go into one-way messages or answers (Spark's
// DeployMessages). They throw WireError for a table that lacks one of their classes.

// -- to drivers ---------------------------------------------------------------

struct RegisteredApplication {
  std::string app_id;
  RpcAddress master;
};

struct ExecutorAdded {
  std::int32_t id = 0;
  std::string worker_id;
  std::string host_port;
  std::int32_t cores = 0;
  std::int32_t memory_mb = 0;
};

struct ExecutorUpdated {
  std::int32_t id = 0;
  ExecutorState state = ExecutorState::launching;
  std::optional<std::string> message;
  std::optional<std::int32_t> exit_status;
  std::optional<std::string> worker_host;
};

struct WorkerRemoved {
  std::string id;
  std::string host;
  std::string message;
};

/// The driver stops with an error.
struct ApplicationRemoved {
  std::string message;
};

struct MasterChanged {
  RpcAddress master;
  std::string web_ui_url;
};

// -- answers to who submits ---------------------------------------------------

struct SubmitDriverResponse {
  bool success = false;
  std::optional<std::string> driver_id;
  std::string message;
};

struct KillDriverResponse {
  std::string driver_id;
  bool success = false;
  std::string message;
};

struct DriverStatusResponse {
  bool found = false;
  std::optional<DriverState> state;
  std::optional<std::string> worker_id;
  std::optional<std::string> worker_host_port;
};

std::string write(const VersionTable& table, const RegisteredApplication& x);
std::string write(const VersionTable& table, const ExecutorAdded& x);
std::string write(const VersionTable& table, const ExecutorUpdated& x);
std::string write(const VersionTable& table, const WorkerRemoved& x);
std::string write(const VersionTable& table, const ApplicationRemoved& x);
std::string write(const VersionTable& table, const MasterChanged& x);
std::string write(const VersionTable& table, const SubmitDriverResponse& x);
std::string write(const VersionTable& table, const KillDriverResponse& x);
std::string write(const VersionTable& table, const DriverStatusResponse& x);

/// The same in all versions.
std::string_view written_boolean(bool x);

// -- frames -------------------------------------------------------------------

/// A message that nobody answers, from `sender` to the endpoint of this name there.
std::string one_way_frame(const RpcAddress& sender, const RpcAddress& receiver,
                          std::string_view endpoint, std::string_view content);

/// An answer to a request.
std::string response_frame(std::int64_t request, std::string_view content);

/// Says why a request has no answer; who asked throws an exception with this text.
std::string failure_frame(std::int64_t request, std::string_view why);

} // namespace stoker::spark
