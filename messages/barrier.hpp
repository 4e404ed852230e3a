#pragma once

// How the tasks of an attempt at a barrier stage begin together, and wait for each other
// (document 003). A coordinator in the driver's process has one attempt.
//
//   executor                                task scheduler, coordinator
//     | BarrierTasksReady                      |  it has its tasks of the attempt,
//     |--------------------------------------->|  and holds them
//     |   BarrierTasksMayBegin                 |  all executors have theirs
//     |<---------------------------------------|
//     | BarrierArrived                         |  tasks wait: at best one for all tasks of
//     |--------------------------------------->|  the executor
//     |   BarrierPassed                        |  all have come, or never will: the same
//     |<---------------------------------------|  for each executor
//
// Within a connection nothing is lost, and without it the attempt ends: nothing is
// repeated. What is said of attempts that are over is passed over.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "messages/describe.hpp"
#include "messages/job_ids.hpp"

namespace stoker {

/// What a task of a barrier stage calls. All tasks have to call the same.
enum class BarrierCall { BARRIER, ALL_GATHER };
BOOST_DESCRIBE_ENUM(BarrierCall, BARRIER, ALL_GATHER)

/// What all tasks say at one ALL_GATHER, at most, in bytes. Less than what a connection
/// takes as one message (network/basp_filter.hpp), which ends it otherwise.
inline constexpr std::size_t barrier_messages_max = 64'000'000;

// -- executor to task scheduler -----------------------------------------------

/// The executor has all that it was sent of the attempt, and begins none of it yet.
struct BarrierTasksReady {
  StageId stage;
  int attempt = 0;
  int exec_id = 0;

  /// If task 0 is there: a TCP port that nobody listened on just now, for what the
  /// tasks' programs have of their own; else 0.
  std::uint16_t port = 0;
};
BOOST_DESCRIBE_STRUCT(BarrierTasksReady, (), (stage, attempt, exec_id, port))

/// A task has come to a barrier.
struct BarrierArrival {
  /// In its stage, from 0.
  std::int32_t task = 0;

  /// How many calls it has made before in this attempt at the stage.
  std::int32_t epoch = 0;
  BarrierCall call = BarrierCall::BARRIER;

  /// Of ALL_GATHER.
  std::string message;
};
BOOST_DESCRIBE_STRUCT(BarrierArrival, (), (task, epoch, call, message))

/// Tasks of the executor have come to a barrier, each once, in this order. Their texts
/// have `barrier_messages_max` at most, all together.
struct BarrierArrived {
  StageId stage;
  int attempt = 0;
  std::vector<BarrierArrival> arrivals;
};
BOOST_DESCRIBE_STRUCT(BarrierArrived, (), (stage, attempt, arrivals))

// -- task scheduler to executor -----------------------------------------------

struct BarrierTasksMayBegin {
  StageId stage;
  int attempt = 0;

  /// Of the executors of all tasks, by task.
  std::vector<std::string> hosts;

  /// At the first of them.
  std::uint16_t port = 0;
};
BOOST_DESCRIBE_STRUCT(BarrierTasksMayBegin, (), (stage, attempt, hosts, port))

/// What follows for tasks that wait.
struct BarrierPassed {
  StageId stage;
  int attempt = 0;
  std::int32_t epoch = 0;

  /// Of any executors; empty: all tasks of the stage.
  std::vector<std::int32_t> tasks;

  /// What all tasks of the stage have said, by task; empty texts for BARRIER.
  std::vector<std::string> messages;

  /// In one line; empty: they may go on.
  std::string error;
};
BOOST_DESCRIBE_STRUCT(BarrierPassed, (),
                      (stage, attempt, epoch, tasks, messages, error))

} // namespace stoker
