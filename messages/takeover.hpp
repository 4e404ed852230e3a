#pragma once

// A new leader takes over, or the old one comes back.
//
//   app client            new leader            worker
//     | RegisterApplication | RegisterWorker      |  their connections broke
//     |-------------------->|<--------------------|
//     |   MasterChanged     |   MasterChanged     |  to the application also
//     |<--------------------|-------------------->|  all of its executors
//     | MasterChange-       | WorkerScheduler-    |  after ends that were not
//     | Acknowledged        | StateResponse       |  acknowledged
//     |-------------------->|<--------------------|  when all are in: ALIVE

#include <optional>
#include <string>
#include <vector>

#include "messages/worker.hpp"

namespace stoker {

// -- master to app client and worker ------------------------------------------

/// The sender leads from now on.
struct MasterChanged {
  std::string master_url;

  /// Of a worker: to be repeated in WorkerSchedulerStateResponse.
  std::optional<StateQuestion> question;
};
BOOST_DESCRIBE_STRUCT(MasterChanged, (), (master_url, question))

// -- app client to master -----------------------------------------------------

struct MasterChangeAcknowledged {
  AppId app_id;
  EndpointId driver;
};
BOOST_DESCRIBE_STRUCT(MasterChangeAcknowledged, (), (app_id, driver))

// -- worker to master ---------------------------------------------------------

/// What the worker runs, for the new leader to reconcile with its records.
struct WorkerSchedulerStateResponse {
  WorkerId id;
  std::vector<ExecutorDescription> exec_responses;
  std::vector<DriverId> driver_responses;

  /// As in WorkerLatestState.
  std::vector<AppId> applications;

  /// As in WorkerLatestState.
  std::optional<StateQuestion> question;
};
BOOST_DESCRIBE_STRUCT(WorkerSchedulerStateResponse, (),
                      (id, exec_responses, driver_responses, applications,
                       question))

} // namespace stoker
