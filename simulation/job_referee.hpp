#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <set>
#include <string>

#include "scheduling/jobs/job_scheduler.hpp"
#include "simulation/event_queue.hpp"
#include "simulation/job_machines.hpp"
#include "simulation/stats.hpp"

namespace stoker::simulation {

/// What must hold while a simulated driver's jobs run:
/// - the invariants of the job scheduler's state (scheduling/jobs/job_invariants.hpp);
/// - of each task at most one result is accepted, and none after its job's end;
/// - a result that counts follows from the right inputs;
/// - a job that ends well has all of its results;
/// - a job fails only for what really happened as often as it may not;
/// - no task is started on an executor that is to leave, none counts there once it may be
///   removed, and that is in time;
/// - a worker where a task found no room gets no task for a second, and that is a failure
///   of the task only if there is no other worker for it;
/// - of a barrier stage all tasks begin in one step, and its results count in one step;
/// - a wake-up is asked for in the future.
class JobReferee {
public:
  JobReferee(const EventQueue& queue, ExpectedValues& values,
             std::ostream* log);

  /// A step was made.
  void stepped(const JobScheduler& scheduler, const JobsEvent& event);

  /// All of its effects.
  void follow_together(const JobsEffects& effects) const;

  /// The same, in order, each before it is carried out.
  void follows(const JobScheduler& scheduler, const JobsEffect& effect);

  /// A result that counts, with what it says.
  void accepted(const AcceptResult& x, std::uint64_t value);

  void note(const std::string& what);

  /// Jobs that were submitted and have not ended.
  [[nodiscard]] const std::map<JobId, JobSpec>& open() const noexcept {
    return open_;
  }
  [[nodiscard]] Stats& stats() noexcept {
    return stats_;
  }
  [[nodiscard]] std::uint64_t digest() const noexcept {
    return digest_;
  }

private:
  void ended(const JobEnded& x);
  void check_leaving(const JobScheduler& scheduler, const JobsEvent& event);
  void follow_leaving(const JobsEffect& effect);
  void check_silence(const JobsState& state, const JobsEvent& event);
  void follow_silent(const JobsState& state, const ExecutorSilent& x);
  void found_full(const JobsState& state, const AttemptFailed& x);
  void check_rest(const JobsState& state, const StartTasks& x);
  void count_failure(const JobsState& state, const AttemptFailed& x);
  void check_failure(const JobSpec& job, const std::string& why) const;
  void write(const std::string& line);

  const EventQueue& queue_;
  ExpectedValues& values_;
  std::ostream* log_;
  std::uint64_t digest_ = 0xcbf29ce484222325U;
  std::map<JobId, JobSpec> open_;

  /// What happened to a task, of any attempt.
  struct Task {
    int failures = 0;
    int lost_attempts = 0;
    int lost_outputs = 0;
    bool accepted = false;

    /// Workers where an attempt has found no room.
    std::set<WorkerId> full;
  };
  std::map<std::pair<StageId, int>, Task> tasks_;

  /// What happened to a barrier stage since it was complete.
  struct Gang {
    int failures = 0;
    int lost_attempts = 0;
  };
  std::map<StageId, Gang> gangs_;

  /// Executors that are to leave, since when, and those of them that may be removed.
  std::map<int, Instant> leaving_;
  std::set<int> drained_;

  /// When executors were heard that are expected to speak; and when it was said last of
  /// others that they are to be ended.
  std::map<int, Instant> heard_;
  std::map<int, Instant> silent_;

  /// Where a task has found no room: when, and whether others were started there since.
  /// What others find that had begun before says nothing new.
  struct FullDisk {
    Instant since;
    bool started = false;
  };
  std::map<WorkerId, FullDisk> full_disks_;
  Stats stats_;
};

} // namespace stoker::simulation
