#pragma once

#include <cstdint>
#include <string>

#include "spark/messages.hpp"
#include "spark/rpc_message.hpp"
#include "spark/version_tables.hpp"

namespace stoker::spark {

// What a master writes to workers of Spark's, in the form of the worker's version: Java
// streams, which go into one-way messages (Spark's DeployMessages). They throw WireError
// for a table that lacks one of their classes.

struct RegisteredWorker {
  RpcAddress master;
  std::string web_ui_url;

  /// As the worker has called the master.
  RpcAddress master_address;

  /// It was known already.
  bool duplicate = false;
};

/// The worker's process ends.
struct RegisterWorkerFailed {
  std::string message;
};

struct MasterInStandby {};

/// The worker registers again. A worker takes no order but from the `master_url` that it
/// has registered with, as "spark://127.0.0.1:7077".
struct ReconnectWorker {
  std::string master_url;
};

struct LaunchExecutor {
  std::string master_url;
  std::string app_id;
  std::int32_t exec_id = 0;
  ApplicationDescription app;
  std::int32_t cores = 0;
  std::int32_t memory_mb = 0;
  ResourceAddresses resources;

  /// Leave the application's profile out, which no worker needs.
  bool without_profile = false;
};

struct KillExecutor {
  std::string master_url;
  std::string app_id;
  std::int32_t exec_id = 0;
};

/// The worker removes what the application has left.
struct ApplicationFinished {
  std::string app_id;
};

struct LaunchDriver {
  std::string driver_id;
  DriverDescription driver;
  ResourceAddresses resources;
};

struct KillDriver {
  std::string driver_id;
};

struct DecommissionWorker {};

std::string write(const VersionTable& table, const RegisteredWorker& x);
std::string write(const VersionTable& table, const RegisterWorkerFailed& x);
std::string write(const VersionTable& table, const MasterInStandby& x);
std::string write(const VersionTable& table, const ReconnectWorker& x);
std::string write(const VersionTable& table, const LaunchExecutor& x);
std::string write(const VersionTable& table, const KillExecutor& x);
std::string write(const VersionTable& table, const ApplicationFinished& x);
std::string write(const VersionTable& table, const LaunchDriver& x);
std::string write(const VersionTable& table, const KillDriver& x);
std::string write(const VersionTable& table, const DecommissionWorker& x);

} // namespace stoker::spark
