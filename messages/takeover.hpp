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

#include <string>
#include <vector>

#include "messages/worker.hpp"

namespace stoker {

// -- master to app client and worker ------------------------------------------

/// The sender leads from now on.
struct MasterChanged {
  std::string master_url;

  friend bool operator==(const MasterChanged&, const MasterChanged&) = default;
};
BOOST_DESCRIBE_STRUCT(MasterChanged, (), (master_url))

// -- app client to master -----------------------------------------------------

struct MasterChangeAcknowledged {
  AppId app_id;

  friend bool operator==(const MasterChangeAcknowledged&,
                         const MasterChangeAcknowledged&)
      = default;
};
BOOST_DESCRIBE_STRUCT(MasterChangeAcknowledged, (), (app_id))

// -- worker to master ---------------------------------------------------------

/// What the worker runs, for the new leader to reconcile with its records.
struct WorkerSchedulerStateResponse {
  WorkerId id;
  std::vector<ExecutorDescription> exec_responses;
  std::vector<DriverId> driver_responses;

  friend bool operator==(const WorkerSchedulerStateResponse&,
                         const WorkerSchedulerStateResponse&)
      = default;
};
BOOST_DESCRIBE_STRUCT(WorkerSchedulerStateResponse, (),
                      (id, exec_responses, driver_responses))

} // namespace stoker
