#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "messages/errc.hpp"
#include "scheduling/common/random.hpp"
#include "scheduling/master/cluster_books.hpp"
#include "scheduling/master/config.hpp"
#include "scheduling/master/step_result.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/records.hpp"
#include "scheduling/master/touched_records.hpp"
#include "scheduling/placement/executor_sizing.hpp"
#include "scheduling/placement/placement.hpp"
#include "scheduling/placement/pool.hpp"
#include "scheduling/planning/start_estimate.hpp"
#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker {

/// The master's decisions (document 000): who is admitted, what runs where, and
/// what follows when something ends or is lost. Deterministic: equal
/// configurations and events at equal instants give equal effects, so that a
/// log of events can be replayed.
///
/// A master:
///
///              ElectedLeader                all have answered,
///     STANDBY ---------------> RECOVERING -------------------> ALIVE
///                                           or time is up
///
/// A new leader goes on from what is stored as if all connections had broken:
/// it has the same books, workers are UNKNOWN until they have reported, and
/// drivers have the same time to come back. Until it is ALIVE it starts
/// nothing. With nothing stored it is ALIVE at once.
///
/// A worker:
///
///                      RegisterWorker
///     (unknown) --------------------------> ALIVE <---------+
///         ^                                  | |            | reported
///         | shown long enough   heartbeats   | | connection | in time
///         |                     stop         | v broke      |
///        DEAD <------------------------------+ UNKNOWN -----+
///         ^                                        |
///         +----------------------------------------+ did not
///     DECOMMISSIONED: takes nothing new; DEAD when it leaves.
///
/// An executor: LAUNCHING, RUNNING, then one of KILLED, FAILED, EXITED (as its
/// worker says) or LOST (with its worker). DECOMMISSIONED: its worker leaves;
/// it has left its application.
///
/// A driver: SUBMITTED, RUNNING, then one of FINISHED, FAILED, KILLED, ERROR;
/// RELAUNCHING under a new id when its worker is lost and it is supervised.
///
/// Every event that frees or adds resources, or adds work, ends in one
/// scheduling pass: drivers first, then applications in order of admission,
/// which without tenants is that of submission.
///
/// Invariants, after each step (`invariant_violation`):
/// - no worker gives more than it has, and no figure is negative;
/// - a worker's and an application's figures are the sums over their executors
///   and drivers;
/// - each executor is known to exactly one worker and one application;
/// - a wake-up is pending that is not later than the earliest deadline.
class Cluster : ClusterState {
public:
  /// @pre `!validate(config)`
  explicit Cluster(ClusterConfig config);

  /// Applies `what` at time `now` and returns the consequences, in order.
  /// @pre `now` does not go backwards from call to call.
  [[nodiscard]] StepResult step(Instant now, const Event& what);

  // -- queries ----------------------------------------------------------------

  [[nodiscard]] RecoveryState status() const noexcept {
    return status_;
  }

  /// The leadership that it speaks for, while it leads.
  [[nodiscard]] LeaderEpoch epoch() const noexcept {
    return epoch_;
  }

  /// The time of the last step.
  [[nodiscard]] Instant now() const noexcept {
    return now_;
  }

  [[nodiscard]] const ClusterConfig& config() const noexcept {
    return config_;
  }

  /// Everything, for people.
  [[nodiscard]] MasterStateResponse state() const;

  [[nodiscard]] DriverStatusResponse driver_status(const DriverId& id) const;

  /// The description of a present application.
  [[nodiscard]] const ApplicationDescription*
  description(const AppId& id) const;

  /// The same of a driver that is known.
  [[nodiscard]] const DriverDescription*
  driver_description(const DriverId& id) const;

  /// The worker that holds the output of an executor or driver, present or
  /// ended. `Errc::not_found`: no such thing is known; `Errc::not_running`: it
  /// has no worker yet, or that worker is not connected.
  [[nodiscard]] std::pair<Errc, EndpointId>
  log_holder(const RequestLog& request) const;

  /// Companies, users, and who is served in which order.
  [[nodiscard]] QueuesResponse queues(Instant now) const;

  /// Why an application waits, or runs where it runs. Looks at all workers and
  /// at the applications before it.
  [[nodiscard]] ExplanationResponse explain(Instant now, const AppId& id) const;

  /// When applications that run are expected to end, soonest first, as far as
  /// that can be guessed.
  [[nodiscard]] std::vector<ExpectedEnd> expected_ends(Instant now) const;

  [[nodiscard]] std::size_t application_count() const noexcept {
    return apps_.size();
  }

  /// What ALIVE workers have in all, and free.
  [[nodiscard]] std::pair<Resources, Resources> capacity() const;

  [[nodiscard]] bool knows(const WorkerId& id) const {
    return find_worker(id).has_value();
  }

  /// Who is behind an endpoint; nobody: an empty id, or nothing.
  [[nodiscard]] WorkerId worker_at(const EndpointId& endpoint) const;
  [[nodiscard]] std::optional<AppId>
  application_at(const EndpointId& endpoint) const;

  /// What is wrong with the books, if anything. Walks all of them: for tests.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  [[nodiscard]] std::optional<std::string> named_violation() const;
  [[nodiscard]] bool wants_more(const Application& app) const;

  /// What placement vectors need and no event expresses
  /// (tests/scheduling/cluster_hook.hpp).
  friend struct ClusterHook;

  // -- one function for each event; cluster_<subject>.cpp ---------------------

  void on(const ElectedLeader& x);
  void on(const CheckForWorkerTimeOut& x);
  void on(const EndpointLost& x);

  void on(const RegisterWorker& x);
  void on(const Heartbeat& x);
  void on(const WorkerLatestState& x);
  void on(const WorkerSchedulerStateResponse& x);
  void on(const WorkerDecommissioning& x);
  void on(const DecommissionWorkers& x);

  void on(const RegisterApplication& x);
  void on(const UnregisterApplication& x);
  void on(const MasterChangeAcknowledged& x);
  void on(const RequestExecutors& x);
  void on(const KillExecutors& x);
  void on(const RequestKillApplication& x);

  void on(const ExecutorStateChanged& x);

  void on(const ReconfigureTenants& x);

  void on(const RequestSubmitDriver& x);
  void on(const RequestKillDriver& x);
  void on(const DriverStateChanged& x);

  // -- recovery ---------------------------------------------------------------

  /// What does not fit together is left out: workers report what they run, so
  /// that what is not in the books is ended.
  void restore(const StoredState& stored);
  void restore_worker(const StoredWorker& x);
  void restore_application(const StoredApplication& x);
  void restore_ended(const StoredApplication& x);
  void restore_executor(const StoredExecutor& x);
  void restore_ending(const StoredExecutor& x);
  void restore_driver(const StoredDriver& x);
  void restore_reservations(DriverKey key, const StoredDriver& x);
  void restore_queues(const StoredState& stored);

  /// Sees to their deadlines.
  void check_restored();

  /// Takes what a restored executor or driver holds out of what its worker has
  /// free. Returns whether it was.
  bool hold(WorkerKey key, ExecutorSize size,
            const ResourceAddresses& resources);

  /// Asks all who were restored to answer.
  void await_answers();

  /// Who was asked has answered, or will not.
  void answered(WorkerKey key);
  void answered(AppKey key);

  /// Schedules from now on, if nobody is waited for any more.
  void finish_recovery();

  // -- records ----------------------------------------------------------------

  // Remember that this step changes what is stored of something, or erases it.
  void touch(WorkerKey key);
  void touch(AppKey key);
  void touch(AppKey key, int exec_id);
  void touch(DriverKey key);
  void record(Change change);

  /// An application leaves the books; what of it has to end is still stored.
  void record_end(AppKey key);

  /// An executor that had to end has.
  void record_end(const ExecutorId& id);

  /// Puts what this step changes before its effects.
  void persist();

  [[nodiscard]] static StoredWorker stored(WorkerKey key, const Worker& worker);
  [[nodiscard]] StoredApplication stored(AppKey key,
                                         const Application& app) const;
  [[nodiscard]] StoredExecutor stored(const Application& app,
                                      const Executor& executor) const;
  [[nodiscard]] static StoredExecutor stored(const ExecutorInfo& x);
  [[nodiscard]] StoredExecutor stored(const ExecutorId& id,
                                      const PendingRelease& ending) const;
  [[nodiscard]] StoredDriver stored(DriverKey key, const Driver& driver) const;

  // -- workers ----------------------------------------------------------------

  void add_worker(const RegisterWorker& x);
  void reregister_worker(WorkerKey key, const RegisterWorker& x);
  void clear_address(const RegisterWorker& x);
  void forget_endpoint(WorkerKey key);
  void remove_from_view(WorkerKey key);
  void lose_worker(WorkerKey key, const std::string& reason);
  void decommission(WorkerKey key);

  /// Brings the books and what the worker reports to agree.
  void reconcile(const WorkerId& id,
                 const std::vector<ExecutorDescription>& executors,
                 const std::vector<DriverId>& drivers);
  void check_worker(WorkerKey key);

  [[nodiscard]] std::optional<WorkerKey> find_worker(const WorkerId& id) const;

  // -- capacity ---------------------------------------------------------------

  /// Changes what the worker has to give, keeping the indexes of it true.
  template <class Change>
  void change(WorkerKey key, Change&& what) {
    what(workers_.at(key));
    index_worker(key);
  }

  void index_worker(WorkerKey key);

  /// Keeps true what the sizing of executors and the tenants know of a worker.
  void count_worker(WorkerKey key);

  /// The pool of a named resource, or of all workers for the empty name.
  Pool& pool(const std::string& resource);
  Pool& pool_of(const Application& app);

  [[nodiscard]] static FreeResources free_for(const Worker& worker,
                                              const ResourceAmounts& named);
  [[nodiscard]] static bool has_room(const Worker& worker, ExecutorSize size,
                                     const ResourceAmounts& named);

  /// Restores whether the application stands among those that want more.
  void update_demand(AppKey key);

  // -- applications -----------------------------------------------------------

  void remove_application(AppKey key, ApplicationState final_state,
                          const std::string& message);
  void check_application(AppKey key);

  /// Takes it out of all books.
  void forget_application(AppKey key);

  /// One line, when no worker could ever run what needs so much, and there is
  /// a worker to compare with. `what` names the thing that does not fit.
  [[nodiscard]] std::optional<std::string>
  why_never_fits(ExecutorSize size, const ResourceAmounts& named,
                 const std::string& what) const;

  void prefer_hosts(Application& app, std::map<std::string, int> hosts) const;

  [[nodiscard]] std::optional<AppKey> find_application(const AppId& id) const;

  [[nodiscard]] int cores_left(const Application& app) const;
  [[nodiscard]] static int executors_left(const Application& app);

  // -- admission --------------------------------------------------------------

  /// Cores that the application may have in all.
  [[nodiscard]] int cores_max_of(const Application& app) const;

  /// The size of executors that the application would be given now.
  [[nodiscard]] ExecutorSize size_for(const Application& app) const;

  /// What all its executors would take.
  [[nodiscard]] Resources request_of(const Application& app,
                                     ExecutorSize size) const;

  /// Puts the application into its user's queue. Returns why that cannot be.
  std::optional<std::string> join_queue(AppKey key);

  /// Lets the application have executors from now on.
  void admit(AppKey key);
  void admit_queued();

  /// Keeps the tenants' figures true.
  void update_tenant(AppKey key);

  // -- executors --------------------------------------------------------------

  /// Starts `count` executors that share `cores` evenly.
  void launch_executors(AppKey app, WorkerKey worker, int cores, int count);

  enum class Room { free_now, free_when_it_ends };

  /// Takes an executor out of the books of its application and its worker. An
  /// instance waits to be started again.
  void remove_executor(AppKey app, int exec_id, ExecutorState final_state,
                       std::optional<int> exit_status,
                       std::optional<std::string> message,
                       Room room = Room::free_now);

  /// Remembers an executor among those of its application that have ended.
  void record_exit(Application& app, const Executor& executor,
                   ExecutorState final_state, std::optional<int> exit_status,
                   std::optional<std::string> message, bool awaited);

  /// What an executor held is free once its worker says that it has ended.
  [[nodiscard]] static bool
  ends_before_its_room_is_free(const Application& app,
                               const Executor& executor);
  void hold_until_exit(AppKey key, const Executor& executor);
  void release_held(const ExecutorId& id);
  void drop_pending_releases(WorkerKey key);
  void free_index(const PendingRelease& ending);

  void kill_executor(AppKey app, int exec_id, const std::string& reason);
  void lose_executor(ExecutorRef ref, const std::string& reason);

  /// Tells a driver that came back of all its executors again: what was said
  /// while it was away is lost.
  void resend_executors(const Application& app);

  /// What the end of an executor means for its application.
  void handle_executor_exit(AppKey key, const Executor& executor,
                            const ExecutorStateChanged& x);
  void handle_instance_exit(AppKey key, const Executor& executor,
                            const ExecutorStateChanged& x);

  // -- drivers ----------------------------------------------------------------

  Driver& add_driver(const DriverDescription& description);
  void launch_driver(DriverKey driver, WorkerKey worker);
  void end_driver(DriverKey key, DriverState final_state,
                  std::optional<std::string> message);
  void lose_driver(DriverKey key);
  void check_driver(DriverKey key);

  [[nodiscard]] std::optional<DriverKey> find_driver(const DriverId& id) const;

  // -- drivers together with the executors that they need ---------------------

  /// How many such executors there is room for.
  [[nodiscard]] std::int64_t slots_for(const DriverExecutors& wanted) const;

  /// Whether the executors would still fit with the driver on that worker.
  [[nodiscard]] static bool leaves_room(const Worker& worker,
                                        const DriverDescription& driver,
                                        std::int64_t slots_now);

  void reserve_executors(DriverKey key);
  void release(DriverKey key, const Reservation& reservation);
  void release_all(DriverKey key);

  /// Starts executors where they were reserved for the application's driver.
  void claim_reservations(AppKey key);

  // -- scheduling -------------------------------------------------------------

  void schedule();
  void schedule_drivers();
  void schedule_application(AppKey key);
  void schedule_on_preferred_hosts(AppKey key);
  void launch_on(AppKey key, const ExecutorDemand& demand,
                 const std::vector<WorkerKey>& workers);

  [[nodiscard]] ExecutorDemand demand_of(const Application& app) const;

  /// Those with free cores, in the order in which drivers take them.
  [[nodiscard]] std::vector<WorkerKey> workers_for_drivers();

  /// The next application of this pass, from `from` on, that may find room.
  [[nodiscard]] std::optional<QueuePosition>
  next_to_help(QueuePosition from) const;

  // -- time -------------------------------------------------------------------

  /// Has the worker, application or driver looked at when `when` has come.
  void check_at(Instant when, Due kind, std::uint32_t key);
  void arm();

  /// `app-20261121074600-0001`, for the present second.
  std::string make_id(const char* kind, std::uint32_t number);

  // -- output -----------------------------------------------------------------

  void send(const EndpointId& to, MasterMessage message) {
    out_.messages.push_back(Send{to, std::move(message)});
  }
  void reply(Answer answer) {
    out_.messages.push_back(Reply{std::move(answer)});
  }

  [[nodiscard]] ExecutorInfo info(const Application& app,
                                  const Executor& executor) const;
  [[nodiscard]] ApplicationInfo info(const Application& app) const;
  [[nodiscard]] static DriverInfo info(const Driver& driver);

  // -- explanations -----------------------------------------------------------

  [[nodiscard]] WaitingApplication waiting_info(const Application& app) const;

  /// Cores of the executors that an admitted application still waits for.
  [[nodiscard]] int cores_wanted(const Application& app) const;

  void explain_ended(ExplanationResponse& result) const;
  void explain_queued(const Application& app, Instant now,
                      ExplanationResponse& result) const;
  void explain_admitted(const Application& app,
                        ExplanationResponse& result) const;
  void explain_places(const Application& app,
                      ExplanationResponse& result) const;
  void find_blocker(const Application& app, ExplanationResponse& result) const;
  void count_room(const Application& app, ExecutorSize size,
                  ExplanationResponse& result) const;

  /// Nothing when no such thing is known; an empty id when it has no worker.
  [[nodiscard]] std::optional<WorkerId>
  executor_worker(const ExecutorId& id) const;
  [[nodiscard]] std::optional<WorkerId> driver_worker(const DriverId& id) const;
};

} // namespace stoker
