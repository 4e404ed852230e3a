#pragma once

// What happens to an application's load and executors, and what is asked of the
// cluster then.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "messages/describe.hpp"
#include "messages/job_ids.hpp"
#include "scheduling/allocation/locality_hints.hpp"

namespace stoker {

/// One run over tasks of a stage. A stage has a further one when outputs of it were
/// lost. Counts up from 0 for each stage.
struct StageAttempt {
  StageId stage;
  std::int32_t attempt = 0;

  friend auto operator<=>(const StageAttempt&, const StageAttempt&) = default;
};
BOOST_DESCRIBE_STRUCT(StageAttempt, (), (stage, attempt))

// -- events: stages and tasks ---------------------------------------------------

/// What was said of this attempt before is replaced.
struct StageSubmitted {
  StageAttempt id;
  int tasks = 0;
  LocalityHints locality;

  /// They begin together or not at all: a barrier stage.
  bool at_once = false;
};
BOOST_DESCRIBE_STRUCT(StageSubmitted, (), (id, tasks, locality, at_once))

/// None of its tasks begins any more, whether it succeeded or not. Some may still run.
struct StageEnded {
  StageAttempt id;
};
BOOST_DESCRIBE_STRUCT(StageEnded, (), (id))

struct TaskBegan {
  TaskAttempt id;

  /// Of `id.stage`.
  std::int32_t stage_attempt = 0;
  int exec_id = 0;

  /// It is a second attempt beside another one.
  bool speculative = false;
};
BOOST_DESCRIBE_STRUCT(TaskBegan, (), (id, stage_attempt, exec_id, speculative))

/// failed: it will begin again. killed: it is not needed any more.
enum class TaskOutcome { succeeded, failed, killed };
BOOST_DESCRIBE_ENUM(TaskOutcome, succeeded, failed, killed)

struct TaskOver {
  TaskAttempt id;
  TaskOutcome outcome = TaskOutcome::succeeded;
};
BOOST_DESCRIBE_STRUCT(TaskOver, (), (id, outcome))

/// A second attempt at this task waits for a slot.
struct SpeculationWanted {
  StageAttempt stage;
  int task = 0;
};
BOOST_DESCRIBE_STRUCT(SpeculationWanted, (), (stage, task))

/// It does not wait any more, and has not begun.
struct SpeculationDropped {
  StageAttempt stage;
  int task = 0;
};
BOOST_DESCRIBE_STRUCT(SpeculationDropped, (), (stage, task))

// -- events: executors ----------------------------------------------------------

struct ExecutorJoined {
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(ExecutorJoined, (), (exec_id))

/// For whatever reason.
struct ExecutorLeft {
  int exec_id = 0;
};
BOOST_DESCRIBE_STRUCT(ExecutorLeft, (), (exec_id))

/// A partition of a dataset is in an executor's memory, and nowhere else.
struct BlockStored {
  int exec_id = 0;
  int dataset = 0;
  int partition = 0;
};
BOOST_DESCRIBE_STRUCT(BlockStored, (), (exec_id, dataset, partition))

struct BlockDropped {
  int exec_id = 0;
  int dataset = 0;
  int partition = 0;
};
BOOST_DESCRIBE_STRUCT(BlockDropped, (), (exec_id, dataset, partition))

/// All blocks of the dataset are dropped.
struct DatasetUnpersisted {
  int dataset = 0;
};
BOOST_DESCRIBE_STRUCT(DatasetUnpersisted, (), (dataset))

// -- events: answers, time ------------------------------------------------------

/// Whether the cluster has taken a WantTotal. That it cannot be reached is an answer,
/// too: no.
struct WantTotalAnswered {
  std::uint64_t number = 0;
  bool acknowledged = false;
};
BOOST_DESCRIBE_STRUCT(WantTotalAnswered, (), (number, acknowledged))

/// Which executors of an EndIdle will end.
struct EndIdleAnswered {
  std::uint64_t number = 0;
  std::vector<int> exec_ids;
};
BOOST_DESCRIBE_STRUCT(EndIdleAnswered, (), (number, exec_ids))

/// To be fed in every 100 ms, as Spark does it, or when the manager says.
struct AllocationTick {};
BOOST_DESCRIBE_STRUCT(AllocationTick, (), ())

using AllocationEvent
    = std::variant<StageSubmitted, StageEnded, TaskBegan, TaskOver,
                   SpeculationWanted, SpeculationDropped, ExecutorJoined,
                   ExecutorLeft, BlockStored, BlockDropped, DatasetUnpersisted,
                   WantTotalAnswered, EndIdleAnswered, AllocationTick>;
using AllocationEvents = std::vector<AllocationEvent>;

// -- actions --------------------------------------------------------------------

/// Tell the cluster how many executors the application wants in all. Feed
/// WantTotalAnswered back, once.
struct WantTotal {
  /// Counts up over all actions.
  std::uint64_t number = 0;
  int total = 0;

  /// Never null. It does not change any more.
  std::shared_ptr<const LocalityHints> locality;

  /// Fewer than so many executors are of no use: a barrier stage waits. 1: any are.
  int gang = 1;
};

/// End these executors, without asking for others in their place. Feed EndIdleAnswered
/// back, once.
struct EndIdle {
  std::uint64_t number = 0;
  std::vector<int> exec_ids;
};
BOOST_DESCRIBE_STRUCT(EndIdle, (), (number, exec_ids))

/// To be carried out in order.
using AllocationAction = std::variant<WantTotal, EndIdle>;
using AllocationActions = std::vector<AllocationAction>;

} // namespace stoker

template <>
struct std::hash<stoker::StageAttempt> {
  std::size_t operator()(const stoker::StageAttempt& x) const noexcept {
    return std::hash<std::uint64_t>{}(
        (std::uint64_t{static_cast<std::uint32_t>(x.stage.value)} << 32)
        | static_cast<std::uint32_t>(x.attempt));
  }
};
