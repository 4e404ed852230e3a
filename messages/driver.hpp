#pragma once

// A driver that runs on the cluster.
//
//   submitter             master                worker
//     | RequestSubmitDriver |                     |
//     |-------------------->|  recorded, then answered
//     |   SubmitDriver-     | LaunchDriver        |
//     |   Response          |-------------------->|
//     |<--------------------| DriverStateChanged  |
//     | RequestDriverStatus |<--------------------|
//     |-------------------->|                     |
//     |   DriverStatus-     |                     |
//     |   Response          |                     |
//     |<--------------------|                     |
//     | RequestKillDriver   | KillDriver          |
//     |-------------------->|-------------------->|
//     |   KillDriverResponse|                     |
//     |<--------------------|                     |

#include <cstdint>
#include <optional>
#include <string>

#include "messages/descriptions.hpp"
#include "messages/resource_use.hpp"
#include "messages/states.hpp"

namespace stoker {

// -- submitter to master ------------------------------------------------------

struct RequestSubmitDriver {
  DriverDescription driver_description;

  /// Different for each submission, and the same when it is repeated because its
  /// answer was lost: it then gives the driver that there is. Empty: each request
  /// gives another one.
  std::string submission;

  /// Who has proven to ask, as "user ann": for the master to fill in.
  std::string identity;
};
BOOST_DESCRIBE_STRUCT(RequestSubmitDriver, (),
                      (driver_description, submission, identity))

struct RequestKillDriver {
  DriverId driver_id;
};
BOOST_DESCRIBE_STRUCT(RequestKillDriver, (), (driver_id))

struct RequestDriverStatus {
  DriverId driver_id;
};
BOOST_DESCRIBE_STRUCT(RequestDriverStatus, (), (driver_id))

// -- master to submitter ------------------------------------------------------

struct SubmitDriverResponse {
  bool success = false;
  std::optional<DriverId> driver_id;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(SubmitDriverResponse, (), (success, driver_id, message))

/// Success means that the kill is on its way, not that the driver has ended.
struct KillDriverResponse {
  DriverId driver_id;
  bool success = false;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(KillDriverResponse, (), (driver_id, success, message))

struct DriverStatusResponse {
  bool found = false;
  std::optional<DriverState> state;
  std::optional<WorkerId> worker_id;
  std::optional<std::string> worker_host_port;

  /// What went wrong, if something did.
  std::optional<std::string> exception;
};
BOOST_DESCRIBE_STRUCT(DriverStatusResponse, (),
                      (found, state, worker_id, worker_host_port, exception))

// -- master to worker ---------------------------------------------------------

struct LaunchDriver {
  DriverId driver_id;
  DriverDescription driver_desc;

  /// Which of the worker's named resources are its own.
  ResourceAddresses resources;
};
BOOST_DESCRIBE_STRUCT(LaunchDriver, (), (driver_id, driver_desc, resources))

/// Ends the driver's whole process tree. An unknown one is harmless.
struct KillDriver {
  DriverId driver_id;
};
BOOST_DESCRIBE_STRUCT(KillDriver, (), (driver_id))

// -- worker to master ---------------------------------------------------------

/// Repeating it changes nothing.
struct DriverStateChanged {
  DriverId driver_id;
  DriverState state = DriverState::SUBMITTED;
  std::optional<std::string> exception;
  std::optional<int> exit_status;

  /// How often the worker has started it again, or is about to: `exception` then
  /// says how it ended last.
  int restarts = 0;

  /// Of an end, where somebody counted.
  std::optional<ResourceUse> use;

  /// As in ExecutorStateChanged.
  std::optional<std::int64_t> ended_ago_ms;
};
BOOST_DESCRIBE_STRUCT(DriverStateChanged, (),
                      (driver_id, state, exception, exit_status, restarts, use,
                       ended_ago_ms))

} // namespace stoker
