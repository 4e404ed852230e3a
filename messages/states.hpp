#pragma once

#include <string>

#include <boost/describe.hpp>

namespace stoker {

// Numbers of enumerators travel over the network and stand in logs: append,
// never reorder or reuse. Names are Spark's.

/// Of one master. Only ALIVE schedules; STANDBY only says that it is one.
enum class RecoveryState { STANDBY, ALIVE, RECOVERING, COMPLETING_RECOVERY };
BOOST_DESCRIBE_ENUM(RecoveryState, STANDBY, ALIVE, RECOVERING,
                    COMPLETING_RECOVERY)

/// UNKNOWN: its connection broke or a takeover is on, and it has not reported
/// yet. Only ALIVE ones are given work.
enum class WorkerState { ALIVE, DEAD, DECOMMISSIONED, UNKNOWN };
BOOST_DESCRIBE_ENUM(WorkerState, ALIVE, DEAD, DECOMMISSIONED, UNKNOWN)

enum class ApplicationState {
  WAITING,
  RUNNING,
  FINISHED,
  FAILED,
  KILLED,
  UNKNOWN
};
BOOST_DESCRIBE_ENUM(ApplicationState, WAITING, RUNNING, FINISHED, FAILED,
                    KILLED, UNKNOWN)

enum class ExecutorState {
  LAUNCHING,
  RUNNING,
  KILLED,
  FAILED,
  LOST,
  EXITED,
  DECOMMISSIONED
};
BOOST_DESCRIBE_ENUM(ExecutorState, LAUNCHING, RUNNING, KILLED, FAILED, LOST,
                    EXITED, DECOMMISSIONED)

enum class DriverState {
  SUBMITTED,
  RUNNING,
  FINISHED,
  RELAUNCHING,
  UNKNOWN,
  KILLED,
  FAILED,
  ERROR
};
BOOST_DESCRIBE_ENUM(DriverState, SUBMITTED, RUNNING, FINISHED, RELAUNCHING,
                    UNKNOWN, KILLED, FAILED, ERROR)

/// True for the states from which nothing follows. DECOMMISSIONED is not one:
/// the process may still run.
constexpr bool is_finished(ExecutorState x) {
  return x == ExecutorState::KILLED || x == ExecutorState::FAILED
         || x == ExecutorState::LOST || x == ExecutorState::EXITED;
}

constexpr bool is_finished(DriverState x) {
  return x == DriverState::FINISHED || x == DriverState::KILLED
         || x == DriverState::FAILED || x == DriverState::ERROR;
}

constexpr bool is_finished(ApplicationState x) {
  return x == ApplicationState::FINISHED || x == ApplicationState::FAILED
         || x == ApplicationState::KILLED;
}

/// The enumerator's name.
template <class Enum,
          class Enumerators = boost::describe::describe_enumerators<Enum>>
std::string to_string(Enum x) {
  return boost::describe::enum_to_string(x, "?");
}

} // namespace stoker
