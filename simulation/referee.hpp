#pragma once

#include <cstdint>
#include <deque>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduling/master/cluster.hpp"
#include "simulation/application_process.hpp"
#include "simulation/command_line.hpp"
#include "simulation/master_process.hpp"
#include "simulation/output_referee.hpp"
#include "simulation/stats.hpp"
#include "simulation/violation.hpp"
#include "simulation/worker_process.hpp"

namespace stoker::simulation {

/// Watches all that happens, and knows what has been promised to whom: that is
/// the model which a cluster is held against. It is told the truth, which
/// masters only hear of.
///
/// What it does not count as a broken promise: programs of a worker that has
/// died (its supervisors go on for their grace), and of one that its master has
/// given up because it could not be reached. Both are documented
/// (docs/develop/architecture.md, "Who dies, who notices, what happens").
class Referee {
public:
  /// `log`, if there is one, gets a line for whatever happens.
  Referee(const EventQueue& queue, SharedDirectory& directory,
          const Network& network, std::ostream* log)
      : queue_(queue), directory_(directory), network_(network), log_(log) {
  }

  /// Looks at the whole state of a master after one of so many steps only. Where it is
  /// large, that takes most of the time.
  void look_at_states_every(std::uint64_t steps) {
    look_every_ = steps;
  }

  [[nodiscard]] Stats& stats() const noexcept {
    return stats_;
  }

  [[nodiscard]] Instant now() const {
    return queue_.now();
  }

  /// Watches what executors write, and when they end.
  [[nodiscard]] OutputReferee& outputs() noexcept {
    return outputs_;
  }

  /// A fingerprint of all that masters did.
  [[nodiscard]] std::uint64_t digest() const noexcept {
    return digest_;
  }

  void watch(WorkerProcess& x) {
    workers_.push_back(&x);
  }
  void watch(const MasterProcess& x) {
    masters_.push_back(&x);
  }

  // -- masters ----------------------------------------------------------------

  void leads(const MasterProcess& master, LeaderEpoch epoch);
  void took_over(const MasterProcess& master) const;
  void stepped(const MasterProcess& master, const Event& what,
               const StepResult& result);
  void committed(const MasterProcess& master, LeaderEpoch by,
                 const Changes& changes);

  /// A commit that was asked for at `asked` has been answered.
  void store_answered(const MasterProcess& master, Instant asked) const;

  /// Fails when a leader recovers for longer than it may.
  void check_that_recovery_ends(const MasterProcess& master) const;

  /// Fails when an elastic application has waited for too long for what its leader
  /// needs to know.
  void check_that_elastic_ones_are_answered(const MasterProcess& master) const;

  /// A leader goes on that was stopped since `stopped`.
  void leader_resumes(const MasterProcess& leader, Instant stopped) const;

  // -- workers ----------------------------------------------------------------

  void program_starts(const WorkerProcess& worker, Program& program);
  void program_ended(const WorkerProcess& worker, const Program& program,
                     std::optional<int> exit_code);
  void acknowledged(const ExecutorStateChanged& x);

  // -- applications -----------------------------------------------------------

  void registered(const ApplicationProcess& process, const AppId& id);
  void leaves(const ApplicationProcess& process);
  void kills(const ExecutorId& id);
  void dead(const ApplicationProcess& process, const ApplicationDead& end);
  void watch(const ApplicationProcess& process);

  /// As which it was registered, whether it knows that or not.
  [[nodiscard]] const std::optional<AppId>&
  id_of(const ApplicationProcess& process) const {
    return applications_.at(process.endpoint()).id;
  }
  void elastic_driver_stepped(const Process& process,
                              const ElasticDriver& driver,
                              const ExecutorAllocationEffects& effects) const;

  /// Drivers that somebody knows to be submitted, in order of their ids.
  [[nodiscard]] std::vector<DriverId> acknowledged_drivers() const;

  // -- command lines ----------------------------------------------------------

  void asked(const Event& what);
  void answered(const Event& what, const Answer& answer);

private:
  struct ApplicationModel {
    const ApplicationProcess* process = nullptr;
    std::optional<AppId> id;

    /// The application knows that it is registered.
    bool acknowledged = false;
    bool leaves = false;

    /// Why it has ended, once that is committed.
    std::optional<std::string> ended;

    /// Ends of its programs that nobody had asked for and that were bad.
    int bad_ends = 0;
    std::map<int, int> bad_ends_of_index;

    /// By worker: the number of the next executor when one there ended last
    /// without a status, as far as this leader has seen.
    std::map<WorkerId, int> failed_before;

    /// Instances whose good end is stored.
    std::set<int> done;
  };

  struct DriverModel {
    /// The one that was lost, in whose place it runs: who ends that one ends this one.
    std::optional<DriverId> before;
    bool acknowledged = false;
    bool kill_asked = false;
    bool kill_acknowledged = false;
    std::optional<DriverState> final_state;
    std::optional<WorkerId> started_on;

    /// Where it was to run, and whether that worker was given up since.
    std::optional<WorkerId> meant_for;
    bool given_up = false;
    bool ended_well = false;
    bool ended_badly = false;
  };

  struct ExecutorModel {
    /// Where it was started, if it was.
    std::optional<WorkerId> worker;
    std::optional<int> index;

    /// Where it was to run, and whether that worker was given up since.
    std::optional<WorkerId> meant_for;
    bool running_acknowledged = false;
    bool kill_asked = false;
    bool given_up = false;

    /// Its worker was decommissioned: it may run on, for no application.
    bool has_left = false;

    /// It was to run before its instance was known to be done by another one.
    bool stored_before_done = false;
  };

  void judge(const MasterProcess& master, const Event& what,
             const Changes& changes);
  void handle_executor_exit(const MasterProcess& master,
                            const StoredApplication& x,
                            const ApplicationModel& model) const;
  void judge_limits(const MasterProcess& master,
                    const StepResult& result) const;
  void judge_number(const StoredApplication& x);
  void judge_driver(const StoredDriver& x, const Event& what);

  /// Whether it holds for a driver, or for one in whose place it runs.
  [[nodiscard]] bool holds_for(const DriverId& id,
                               bool DriverModel::*what) const;
  void judge_lost_worker(const MasterProcess& master, const WorkerId& id) const;
  void judge_outage(const MasterProcess& master, const Event& what);
  void give_up(const WorkerId& id);
  void take_back(const ExecutorId& id);
  void check_executor(Program& program);
  void check_driver(Program& program);

  /// Whether a program of it runs that its master knows to run.
  [[nodiscard]] bool surely_runs(const MasterProcess& master,
                                 const AppId& id) const;
  ApplicationModel* find(const AppId& id);

  /// The highest number of an executor that was stored; -1: none was.
  [[nodiscard]] int last_executor_of(const AppId& id) const;
  void note(const std::string& who, const std::string& what) const;
  void fold(std::uint64_t x) {
    digest_ = (digest_ ^ x) * 0x100000001b3U;
  }

  const EventQueue& queue_;
  SharedDirectory& directory_;
  const Network& network_;
  std::ostream* log_;
  mutable Stats stats_;
  std::uint64_t digest_ = 0xcbf29ce484222325U;
  std::uint64_t look_every_ = 1;
  std::uint64_t steps_ = 0;
  LeaderEpoch last_epoch_;
  Instant last_takeover_;
  std::vector<WorkerProcess*> workers_;
  std::vector<const MasterProcess*> masters_;
  OutputReferee outputs_{queue_,   directory_, network_,
                         workers_, masters_,   stats_};

  std::map<EndpointId, ApplicationModel> applications_;
  std::map<std::uint32_t, AppId> app_numbers_;

  /// Workers that the present leader has given up of late, or taken leave of.
  struct ErasedWorker {
    Instant when;
    bool lost = false;
  };
  std::deque<ErasedWorker> erased_workers_;

  /// Whose end the present leader has decided, committed or not.
  std::set<AppId> ending_;
  std::set<AppId> kill_asked_;
  std::set<AppId> kill_acknowledged_;
  std::map<DriverId, DriverModel> drivers_;
  std::map<std::uint32_t, DriverId> driver_numbers_;
  std::map<std::string, DriverId> submissions_;
  std::map<ExecutorId, ExecutorModel> executors_;
};

} // namespace stoker::simulation
