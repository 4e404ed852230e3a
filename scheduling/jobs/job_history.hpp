#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "messages/jobs_report.hpp"
#include "scheduling/jobs/job_events.hpp"
#include "scheduling/jobs/job_state.hpp"
#include "scheduling/jobs/waiting_tasks.hpp"

namespace stoker {

/// What becomes of a driver's jobs, for people: also of the last ones that ended.
///
/// Invariants: there are the jobs that have not ended, and of those that have the last
/// one, and those before it as long as they are no more than `reported_jobs_max` and
/// all stages no more than `reported_stages_max`; and the stages of those jobs, and no
/// other.
class JobHistory {
public:
  /// To be called for each step of the JobScheduler: before it, for each effect in
  /// order, and after it.
  void before(Instant now, const JobsEvent& x);
  void hear(Instant now, const JobsEffect& x);
  void after(const JobsState& state);

  /// No step follows: what runs is cancelled.
  void stop(Instant now, const std::string& why);

  /// @param state After the last step.
  [[nodiscard]] ReportJobs report(Instant now, const JobsState& state) const;

private:
  struct KnownJob {
    JobInfo info;
    std::vector<StageId> stages;
  };

  struct KnownStage {
    StageInfo info;

    /// Of each task.
    int cores = 1;

    /// How many jobs have it: of those that are here, and of those that have not
    /// ended.
    int jobs = 0;
    int running_jobs = 0;
  };

  KnownStage* find(StageId id);
  void add(Instant now, const JobSpec& job);
  void count_use(const StatusUpdates& x);
  void end(Instant now, const JobEnded& x);
  void forget(JobId id);
  [[nodiscard]] StageInfo stage_now(const JobsState& state, StageId id) const;

  /// Adds the stages of a job up.
  /// @param stage_of Gives a StageInfo for an id.
  template <class StageOf>
  static void count_stages(JobInfo& info, const std::vector<StageId>& stages,
                           StageOf stage_of);
  void add_stages(ReportJobs& result, const JobsState& state,
                  const WaitingTasks& waiting) const;

  std::map<JobId, KnownJob> jobs_;
  std::map<StageId, KnownStage> stages_;

  /// In the order in which they ended.
  std::deque<JobId> ended_;
  int forgotten_ = 0;
};

} // namespace stoker
