#include "gateway/spark_worker_reports.hpp"

namespace stoker {

namespace {

/// Both count their states in the same order.
ExecutorState to_state(spark::ExecutorState x) {
  return static_cast<ExecutorState>(x);
}

ExecutorDescription to_description(const spark::ExecutorDescription& x) {
  return {AppId{x.app_id}, x.exec_id, x.cores, x.memory_mb.value_or(0),
          to_state(x.state)};
}

} // namespace

RegisterWorker to_registration(const spark::RegisterWorker& x) {
  RegisterWorker result;
  result.id = WorkerId{x.id};
  result.worker = EndpointId{x.id};
  result.host = x.host;
  result.port = x.port;
  result.cores = x.cores;
  result.memory_mb = x.memory_mb;
  result.resources = x.resources;
  result.only_spark = true;
  // It says so only when it is registered.
  result.runs_programs = true;
  return result;
}

RegisterWorker to_registration(const StoredWorker& x) {
  RegisterWorker result;
  result.id = x.id;
  result.worker = x.endpoint;
  result.host = x.host;
  result.port = x.port;
  result.cores = x.cores;
  result.memory_mb = x.memory_mb;
  result.resources = x.resources;
  result.spark_versions = x.spark_versions;
  result.only_spark = true;
  result.runs_programs = true;
  return result;
}

WorkerLatestState to_report(const spark::WorkerLatestState& x) {
  WorkerLatestState result;
  result.id = WorkerId{x.id};
  for (const auto& executor : x.executors)
    result.executors.push_back(to_description(executor));
  for (const auto& driver : x.driver_ids)
    result.driver_ids.push_back(DriverId{driver});
  return result;
}

WorkerLatestState to_report(const spark::WorkerSchedulerStateResponse& x) {
  WorkerLatestState result;
  result.id = WorkerId{x.id};
  for (const auto& executor : x.executors)
    result.executors.push_back(to_description(executor.executor));
  for (const auto& driver : x.drivers)
    result.driver_ids.push_back(DriverId{driver.driver_id});
  return result;
}

ExecutorStateChanged to_change(const spark::ExecutorStateChanged& x) {
  return {AppId{x.app_id}, x.exec_id, to_state(x.state), x.message,
          x.exit_status};
}

DriverStateChanged to_change(const spark::DriverStateChanged& x) {
  DriverStateChanged result;
  result.driver_id = DriverId{x.driver_id};
  result.state = static_cast<DriverState>(x.state);
  result.exception = x.exception;
  return result;
}

} // namespace stoker
