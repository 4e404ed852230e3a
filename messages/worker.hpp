#pragma once

// A worker's life at the master.
//
//   worker                                  master
//     | RegisterWorker                        |
//     |-------------------------------------->|
//     |   RegisteredWorker                    |  or RegisterWorkerFailed,
//     |<--------------------------------------|  MasterInStandby, MasterChanged
//     | WorkerLatestState                     |  always, after ends that were
//     |-------------------------------------->|  not acknowledged
//     |   KillExecutor, KillDriver            |  what the master does not know
//     |<--------------------------------------|
//     | Heartbeat            (every interval) |
//     |-------------------------------------->|
//     |   ReconnectWorker    (unknown to it)  |
//     |<--------------------------------------|  worker registers again
//     |   DecommissionWorker                  |
//     |<--------------------------------------|
//     | WorkerDecommissioning                 |
//     |-------------------------------------->|  or of the worker's own accord
//     | WorkerLeft                            |
//     |-------------------------------------->|  nothing of it is left

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/connection_stamp.hpp"
#include "messages/ids.hpp"
#include "messages/named_resources.hpp"
#include "messages/state_question.hpp"
#include "messages/states.hpp"

namespace stoker {

// -- worker to master ---------------------------------------------------------

/// Offers a machine's cores and memory. Repeating it changes nothing; the same
/// id over a new connection is a worker that came back.
struct RegisterWorker {
  WorkerId id;
  EndpointId worker;
  std::string host;

  /// Where the worker listens; 0 when it does not. Two workers cannot listen at
  /// one address: the later one replaces the earlier.
  int port = 0;

  int cores = 0;
  std::int64_t memory_mb = 0;
  ResourceAddresses resources;

  /// One that is lower than that of the last registration does not count.
  ConnectionStamp stamp;

  /// It takes nothing new: it ends when what it runs has ended.
  bool leaving = false;

  /// It has programs, which a master may not know of: nothing is started there
  /// before it has told which.
  bool runs_programs = false;

  /// Of which versions of Spark it runs programs, as "3.5.9".
  std::vector<std::string> spark_versions;

  /// It runs nothing else.
  bool only_spark = false;

  /// Who has proven to be behind it, as "node w1": for the master to fill in.
  std::string identity;
};
BOOST_DESCRIBE_STRUCT(RegisterWorker, (),
                      (id, worker, host, port, cores, memory_mb, resources,
                       stamp, leaving, runs_programs, spark_versions,
                       only_spark, identity))

/// Sent every quarter of the time-out. Repeating it changes nothing.
struct Heartbeat {
  WorkerId worker_id;
  EndpointId worker;
};
BOOST_DESCRIBE_STRUCT(Heartbeat, (), (worker_id, worker))

/// An executor as its worker sees it.
struct ExecutorDescription {
  AppId app_id;
  int exec_id = 0;
  int cores = 0;
  std::int64_t memory_mb = 0;
  ExecutorState state = ExecutorState::LAUNCHING;
};
BOOST_DESCRIBE_STRUCT(ExecutorDescription, (),
                      (app_id, exec_id, cores, memory_mb, state))

/// What the worker runs, told after each registration. The master has what it
/// does not know ended, and counts as lost what it knows and is not listed.
struct WorkerLatestState {
  WorkerId id;
  std::vector<ExecutorDescription> executors;
  std::vector<DriverId> driver_ids;

  /// Applications that the worker has directories of and has not heard to have
  /// finished. It is told again of those that have.
  std::vector<AppId> applications;

  /// What is answered. It counts if it is the last one that was put; without one,
  /// it answers that.
  std::optional<StateQuestion> question;
};
BOOST_DESCRIBE_STRUCT(WorkerLatestState, (),
                      (id, executors, driver_ids, applications, question))

/// The worker takes nothing new and ends when what it runs has ended.
struct WorkerDecommissioning {
  WorkerId id;
  EndpointId worker_ref;
};
BOOST_DESCRIBE_STRUCT(WorkerDecommissioning, (), (id, worker_ref))

/// The worker ends now, in good order. One whose connection only breaks may come
/// back.
struct WorkerLeft {
  WorkerId id;
  EndpointId worker;
};
BOOST_DESCRIBE_STRUCT(WorkerLeft, (), (id, worker))

// -- master to worker ---------------------------------------------------------

/// The worker is admitted. `duplicate`: it was known already and keeps what it
/// runs.
struct RegisteredWorker {
  std::string master_url;
  bool duplicate = false;

  /// To be repeated in WorkerLatestState.
  std::optional<StateQuestion> question;
};
BOOST_DESCRIBE_STRUCT(RegisteredWorker, (), (master_url, duplicate, question))

/// The worker cannot be admitted; `message` says why. Trying again as it is
/// would end the same way.
struct RegisterWorkerFailed {
  std::string message;
};
BOOST_DESCRIBE_STRUCT(RegisterWorkerFailed, (), (message))

/// Another master is active: try that one, or this one later. `message` says why this one does
/// not lead; empty: it leads, and cannot take the sender yet.
struct MasterInStandby {
  std::string message;
};
BOOST_DESCRIBE_STRUCT(MasterInStandby, (), (message))

/// The master does not know the worker (any more): register again.
struct ReconnectWorker {
  std::string master_url;
};
BOOST_DESCRIBE_STRUCT(ReconnectWorker, (), (master_url))

/// The master gives the worker nothing more. Repeating it changes nothing.
struct DecommissionWorker {};
BOOST_DESCRIBE_STRUCT(DecommissionWorker, (), ())

} // namespace stoker
