#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/jobs/exclusions.hpp"
#include "scheduling/jobs/full_disks.hpp"
#include "scheduling/jobs/job_executors.hpp"
#include "scheduling/jobs/jobs_config.hpp"
#include "scheduling/jobs/known_stages.hpp"
#include "scheduling/jobs/silent_executors.hpp"
#include "scheduling/jobs/stage_needs.hpp"
#include "scheduling/jobs/stage_order.hpp"

namespace stoker {

/// One that has not ended.
struct Job {
  JobSpec spec;

  /// Stages whose results are missing.
  std::set<StageId> results_missing;
};

/// What a JobScheduler knows.
struct JobsState {
  JobsConfig config;
  std::map<JobId, Job> jobs;
  KnownStages stages;
  StageNeeds needs;

  /// Those that are active.
  std::set<StageId> active;
  StageOrder order;
  JobExecutors executors;
  OutputServers servers;
  Exclusions exclusions;
  FullDisks full_disks;

  /// Executors whose connection is gone, and whose end nobody has told yet.
  std::set<int> disconnected;

  SilentExecutors silent;

  /// Those that are to leave, and of which it was not said that they may be removed.
  std::set<int> leaving;

  /// Those of which that was said, and that are not known: they have not registered, or
  /// were lost with their connection. What they say may come after the master has told
  /// of their end.
  std::set<int> drained_unknown;

  /// When stages with a time limit have had it. Those that completed meanwhile are
  /// passed over.
  std::set<std::pair<Instant, StageId>> time_limits;

  /// When barrier stages that wait have to be looked at. Those whose time has changed
  /// meanwhile are passed over.
  std::set<std::pair<Instant, StageId>> barrier_looks;
};

/// How many tasks of a stage executors have begun.
/// @pre stage.tasks
inline int running_tasks(const JobsState& state, const Stage& stage) {
  return stage.tasks->running() - state.executors.sent_ahead(stage.spec.id);
}

} // namespace stoker
