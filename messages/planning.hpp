#pragma once

// Why things are as they are, and what would happen if.
//
//   command line            master
//     | RequestExplanation    |
//     |---------------------->|
//     |   ExplanationResponse |
//     |<----------------------|
//     | RequestPlan           |  changes nothing
//     |---------------------->|
//     |   PlanResponse        |
//     |<----------------------|

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/descriptions.hpp"
#include "messages/queues.hpp"
#include "messages/states.hpp"

namespace stoker {

// -- why ----------------------------------------------------------------------

/// Of an application, or of a driver.
struct RequestExplanation {
  AppId app_id;
  std::optional<DriverId> driver_id;
};
BOOST_DESCRIBE_STRUCT(RequestExplanation, (), (app_id, driver_id))

/// What keeps an application from being given another executor, or a driver from
/// being started.
enum class Blocker {
  /// It has all that it wants, or has ended.
  none,
  /// It waits in its user's queue, or what it wants more does.
  queue,
  /// Its company's cap or its user's limit leaves no more.
  cap,
  /// There is no worker, or none that runs such programs.
  no_workers,
  /// No worker could run its executors, even if it ran nothing else.
  too_large,
  /// There are fewer cores, or less memory, or fewer of a named resource, free
  /// than it needs.
  cores,
  memory,
  resource,
  /// There is enough of everything, but nowhere of all together.
  fragments,
  /// There is room for some of the executors that it needs at once, and not for all.
  gang,
  /// Others have to end first.
  dependency
};
BOOST_DESCRIBE_ENUM(Blocker, none, queue, cap, no_workers, too_large, cores,
                    memory, resource, fragments, gang, dependency)

/// When an application is expected to be given its first or next executor.
/// Always an estimate: what runs may end sooner or later than expected.
struct StartEstimate {
  /// Milliseconds from now.
  std::int64_t in_ms = 0;

  /// The application whose end would make room. Empty for a driver.
  AppId after;

  /// "its time limit", or what its end was guessed from.
  std::string basis;

  /// The driver whose end would make room, with that of its applications.
  std::optional<DriverId> after_driver;
};
BOOST_DESCRIBE_STRUCT(StartEstimate, (), (in_ms, after, basis, after_driver))

/// "driver-1" or "app-1"
inline const std::string& id_text(const StartEstimate& x) {
  return x.after_driver ? x.after_driver->value : x.after.value;
}

/// What the tasks of an application wait for, as its driver has said last.
struct TasksExplanation {
  /// How long ago, in milliseconds. Nothing has changed since, as long as the driver
  /// is connected.
  std::int64_t reported_ms_ago = 0;

  /// Jobs that run, tasks that do, and executors that have registered with the driver.
  int jobs = 0;
  std::int64_t running = 0;
  int executors = 0;

  /// In sentences: by stage what waits, then what the master knows of it.
  std::vector<std::string> reasons;
};
BOOST_DESCRIBE_STRUCT(TasksExplanation, (),
                      (reported_ms_ago, jobs, running, executors, reasons))

/// Of an application that waits for several executors at once.
struct GangExplanation {
  /// How many it needs at once.
  int needed = 0;

  /// For how many of them there is room, and for how many it is kept.
  int room = 0;
  int kept = 0;

  /// How long that is kept yet, in milliseconds. Unset: none is kept.
  std::optional<std::int64_t> kept_for_ms;
};
BOOST_DESCRIBE_STRUCT(GangExplanation, (), (needed, room, kept, kept_for_ms))

/// An application or driver that holds some of what is missing.
struct Holder {
  /// One of them is set.
  std::optional<AppId> app_id;
  std::optional<DriverId> driver_id;
  std::string name;
  std::string user;

  /// What it holds, with room that is kept for it.
  Resources held;

  /// Since when: its start, in milliseconds since 1970.
  std::int64_t since_ms = 0;
};
BOOST_DESCRIBE_STRUCT(Holder, (),
                      (app_id, driver_id, name, user, held, since_ms))

struct ExplanationResponse {
  bool found = false;
  AppId app_id;
  std::string name;
  std::string user;
  ApplicationState state = ApplicationState::UNKNOWN;

  /// Set of a driver. What is said of executors below is then said of the driver
  /// itself.
  std::optional<DriverId> driver_id;
  std::optional<DriverState> driver_state;

  /// What one executor needs.
  int cores_per_executor = 0;
  std::int64_t memory_per_executor_mb = 0;
  ResourceAmounts resources_per_executor;

  /// Of a program of Spark's: what it runs with, as "Spark 3.5".
  std::optional<std::string> spark;

  int executors = 0;
  int cores = 0;
  int cores_wanted = 0;

  /// How many executors it asks for in all, with dynamic allocation as many as its load
  /// wants. Unset: it has not said. Of these, those that are not there yet.
  std::optional<int> target;
  int pending = 0;

  Blocker blocker = Blocker::none;

  std::optional<GangExplanation> gang;

  /// Among those that are served and wait: 1 is the first; 0: it does not wait.
  int position = 0;

  /// Those before it, at most the first ten.
  std::vector<WaitingApplication> ahead;

  /// With tenants.
  std::optional<QueuePlace> place;

  // What there is on workers that run such programs, and on how many of them an
  // executor of it has room.
  Resources total;
  Resources free;

  /// Of what is not free: room that is kept for the executors of drivers, and for a
  /// gang.
  Resources reserved;
  int workers = 0;
  int workers_with_room = 0;
  int workers_large_enough = 0;

  /// All of it in sentences, the most important first.
  std::vector<std::string> reasons;

  /// When it would start, as "one worker has 1 core and 512 MB free"; empty: nothing
  /// is missing.
  std::string remedy;

  std::optional<StartEstimate> estimate;

  /// Those that hold what is missing, the largest first, at most `holders_shown_max`: of
  /// the user or company whose limit or cap is reached, else of all. Empty: it waits for
  /// nothing that is held.
  std::vector<Holder> holders;
  std::int64_t holders_in_all = 0;

  static constexpr std::size_t holders_shown_max = 10;

  /// Set of an application that runs, and whose driver says what its jobs do.
  std::optional<TasksExplanation> tasks;
};
BOOST_DESCRIBE_STRUCT(ExplanationResponse, (),
                      (found, app_id, name, user, state, driver_id,
                       driver_state, cores_per_executor, memory_per_executor_mb,
                       resources_per_executor, spark, executors, cores,
                       cores_wanted, target, pending, blocker, gang, position,
                       ahead, place, total, free, reserved, workers,
                       workers_with_room, workers_large_enough, reasons, remedy,
                       estimate, holders, holders_in_all, tasks))

// -- what if ------------------------------------------------------------------

struct PlannedWorker {
  int count = 1;
  int cores = 1;
  std::int64_t memory_mb = 1024;
  std::string host;
  ResourceAddresses resources;

  /// As in RegisterWorker.
  std::vector<std::string> spark_versions;
};
BOOST_DESCRIBE_STRUCT(PlannedWorker, (),
                      (count, cores, memory_mb, host, resources,
                       spark_versions))

/// In this order: applications end, drivers end, workers leave, workers come, drivers
/// come, applications come.
struct RequestPlan {
  std::vector<AppId> end_apps;
  std::vector<WorkerId> remove_workers;
  std::vector<PlannedWorker> add_workers;
  std::vector<ApplicationDescription> add_apps;

  /// The applications of a driver end with it.
  std::vector<DriverId> end_drivers;
  std::vector<DriverDescription> add_drivers;
};
BOOST_DESCRIBE_STRUCT(RequestPlan, (),
                      (end_apps, remove_workers, add_workers, add_apps,
                       end_drivers, add_drivers))

/// Executors of one application that would be started on one worker.
struct PlannedStart {
  AppId app_id;
  std::string name;
  WorkerId worker_id;
  int executors = 0;
  int cores = 0;
  std::int64_t memory_mb = 0;
};
BOOST_DESCRIBE_STRUCT(PlannedStart, (),
                      (app_id, name, worker_id, executors, cores, memory_mb))

/// What would become of an application that the plan concerns.
struct PlannedOutcome {
  AppId app_id;
  std::string name;
  int executors_lost = 0;
  int executors_started = 0;

  /// What it would still wait for.
  int cores_wanted = 0;

  /// Why it would be refused or go on waiting; empty: neither.
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(PlannedOutcome, (),
                      (app_id, name, executors_lost, executors_started,
                       cores_wanted, reason))

/// What would become of a driver that the plan concerns: it would be started, end, or
/// come in the place of another.
struct PlannedDriver {
  /// Empty: it would be refused.
  DriverId driver_id;
  std::string name;

  /// Afterwards. RUNNING: it would be started. SUBMITTED: it would come, and wait.
  DriverState state = DriverState::SUBMITTED;

  /// Where it would run, or ran last. Unset: nowhere yet.
  std::optional<WorkerId> worker_id;
  int cores = 0;
  std::int64_t memory_mb = 0;

  /// The one that would go on in its place.
  std::optional<DriverId> relaunched_as;

  /// Why it would be refused, end or wait; empty: nothing of that.
  std::string reason;

  /// For how many executors of its application room would be kept.
  int executors_reserved = 0;
};
BOOST_DESCRIBE_STRUCT(PlannedDriver, (),
                      (driver_id, name, state, worker_id, cores, memory_mb,
                       relaunched_as, reason, executors_reserved))

struct PlanResponse {
  /// Why there is no plan, in one line; empty: there is.
  std::string problem;
  std::vector<PlannedStart> starts;
  std::vector<PlannedOutcome> outcomes;

  // Afterwards.
  Resources total;
  Resources free;

  /// In order of their arrival.
  std::vector<PlannedDriver> drivers;
};
BOOST_DESCRIBE_STRUCT(PlanResponse, (),
                      (problem, starts, outcomes, total, free, drivers))

} // namespace stoker
