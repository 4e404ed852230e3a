#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "messages/ids.hpp"
#include "messages/states.hpp"
#include "scheduling/application/output_progress.hpp"
#include "simulation/event_queue.hpp"
#include "simulation/network.hpp"
#include "simulation/shared_directory.hpp"
#include "simulation/stats.hpp"

namespace stoker::simulation {

class MasterProcess;
class OutputReading;
class ProgramOutput;
class WorkerProcess;
struct Program;

/// Checks decision 0048:
///
/// - every byte that a program writes is delivered, or its loss is reported;
/// - an executor gives its cores back once its processes are gone, whatever its reader does;
/// - an instance that has exited with 0 does not run again.
///
/// The decision also lists what is not promised.
class OutputReferee {
public:
  OutputReferee(const EventQueue& queue, const SharedDirectory& directory,
                const Network& network,
                const std::vector<WorkerProcess*>& workers,
                const std::vector<const MasterProcess*>& masters, Stats& stats)
      : queue_(queue), directory_(directory), network_(network),
        workers_(workers), masters_(masters), stats_(stats) {
  }

  // -- readers ----------------------------------------------------------------

  /// A run has learned what has become of an executor.
  void learned(const ExecutorId& id, ExecutorState state);

  /// A run gives up the rest of an output, as lost. Fails if nothing keeps it from reading.
  void given_up(const ExecutorId& id, const std::string& why) const;

  /// Its reader has taken something.
  /// @param lost The output is closed as that of an executor that was lost.
  void delivered(const ExecutorId& id, const OutputNews& x, bool lost);

  /// A run leaves that was not interrupted.
  void leaves(const AppId& id, const OutputReading& x) const;

  // -- programs ---------------------------------------------------------------

  /// @param stored_before_done The master ordered its start before it knew that its instance was
  /// done; the order may reach a worker late.
  void program_starts(const Program& program, bool stored_before_done);
  void program_ended(const Program& program, std::optional<int> exit_code);

  /// A master begins to lead. It hears of workers from now on.
  void leader_begins();

  /// An application asks for the end of an executor. If that has ended well, and the master
  /// does not know it yet, its instance may run again.
  void kills(const ExecutorId& id) {
    killed_.insert(id);
  }

  /// Fails when a leader still counts the cores of an executor whose end it could know.
  void check_that_ends_are_known(const MasterProcess& leader);

private:
  struct Delivered {
    /// Standard output, standard error: with what was dropped.
    std::array<std::int64_t, 2> bytes{};
    std::int64_t dropped = 0;

    /// As the application has learned.
    std::optional<ExecutorState> state;

    /// It was known to run.
    bool ran = false;
    bool closed = false;
    std::optional<std::string> loss;
  };

  struct Ended {
    ExecutorId id;
    WorkerId worker;
    Instant when;

    /// The instance that it ran and that is done.
    std::optional<int> done;
  };

  void judge(const ExecutorId& id, const Delivered& x) const;
  [[nodiscard]] const ProgramOutput* find(const ExecutorId& id) const;

  /// Returns true if a leader and a worker could talk to each other for long enough.
  [[nodiscard]] bool in_touch(const MasterProcess& leader,
                              const WorkerProcess& worker) const;
  [[nodiscard]] bool could_know(const MasterProcess& leader,
                                const Ended& x) const;

  const EventQueue& queue_;
  Instant last_takeover_;
  const SharedDirectory& directory_;
  const Network& network_;
  const std::vector<WorkerProcess*>& workers_;
  const std::vector<const MasterProcess*>& masters_;
  Stats& stats_;
  std::map<ExecutorId, Delivered> delivered_;

  /// Where executors were started.
  std::map<ExecutorId, WorkerId> places_;

  /// Ends that the leader may not know yet.
  std::vector<Ended> ended_;

  std::set<ExecutorId> killed_;

  /// Instances that have exited with 0 so long ago that all know it.
  std::set<std::pair<AppId, int>> done_;
};

} // namespace stoker::simulation
