#pragma once

// An executor's life.
//
//   app client            master                worker          supervisor
//     |                     | LaunchExecutor      |                 |
//     |                     |-------------------->| launch          |
//     |   ExecutorAdded     |                     |---------------->|
//     |<--------------------|                     |   running       |
//     |                     | ExecutorStateChanged|<----------------|
//     |   ExecutorUpdated   |<--------------------| RUNNING         |
//     |<--------------------| true                |                 |
//     |                     |-------------------->|   ended         |
//     |                     | ExecutorStateChanged|<----------------|
//     |   ExecutorUpdated   |<--------------------| EXITED | ...    |
//     |<--------------------| true                |                 |
//     |                     |-------------------->|                 |
//     | KillExecutors       | KillExecutor        |                 |
//     |-------------------->|-------------------->| end             |
//     |                     |                     |---------------->|
//
// ExecutorStateChanged is asked, not told: a worker repeats it until the master
// has answered, so that no end is ever lost with a connection.

#include <cstdint>
#include <optional>
#include <string>

#include "messages/descriptions.hpp"
#include "messages/end_number.hpp"
#include "messages/resource_use.hpp"
#include "messages/states.hpp"

namespace stoker {

// -- master to worker ---------------------------------------------------------

struct LaunchExecutor {
  std::string master_url;
  AppId app_id;
  int exec_id = 0;
  ApplicationDescription app_desc;
  int cores = 0;
  std::int64_t memory_mb = 0;

  /// Which of the application's instances this is.
  std::optional<int> index;

  /// Which of the worker's named resources are its own.
  ResourceAddresses resources;
};
BOOST_DESCRIBE_STRUCT(LaunchExecutor, (),
                      (master_url, app_id, exec_id, app_desc, cores, memory_mb,
                       index, resources))

/// Ends the executor's whole process tree. An unknown one is harmless.
struct KillExecutor {
  std::string master_url;
  AppId app_id;
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(KillExecutor, (), (master_url, app_id, exec_id))

// -- worker to master ---------------------------------------------------------

/// `exit_status` is 128 + n for a process that signal n ended.
struct ExecutorStateChanged {
  AppId app_id;
  int exec_id = 0;
  ExecutorState state = ExecutorState::LAUNCHING;
  std::optional<std::string> message;
  std::optional<int> exit_status;

  /// Of an end, where somebody counted.
  std::optional<ResourceUse> use;

  /// Of an end: how long ago it was when this was sent, by the worker's clock. Unset:
  /// it has just ended.
  std::optional<std::int64_t> ended_ago_ms;
};
BOOST_DESCRIBE_STRUCT(ExecutorStateChanged, (),
                      (app_id, exec_id, state, message, exit_status, use,
                       ended_ago_ms))

// -- master to app client -----------------------------------------------------

/// Said again, with the last ExecutorUpdated, when a driver comes back: of all
/// that are there, and of those that ended and are kept.
struct ExecutorAdded {
  int id = 0;
  WorkerId worker_id;
  std::string host_port;
  int cores = 0;
  std::int64_t memory_mb = 0;
  std::optional<int> index;
};
BOOST_DESCRIBE_STRUCT(ExecutorAdded, (),
                      (id, worker_id, host_port, cores, memory_mb, index))

/// `worker_host` is set when all that the host held is lost or leaving.
struct ExecutorUpdated {
  int id = 0;
  ExecutorState state = ExecutorState::LAUNCHING;
  std::optional<std::string> message;
  std::optional<int> exit_status;
  std::optional<std::string> worker_host;

  /// Of an end.
  EndNumber end_number;
};
BOOST_DESCRIBE_STRUCT(ExecutorUpdated, (),
                      (id, state, message, exit_status, worker_host,
                       end_number))

} // namespace stoker
