#include "scheduling/jobs/job_history.hpp"

#include <algorithm>
#include <utility>

#include "messages/printable.hpp"

namespace stoker {

namespace {

JobStatus status_of(JobOutcome x) {
  switch (x) {
  case JobOutcome::succeeded:
    return JobStatus::SUCCEEDED;
  case JobOutcome::failed:
    return JobStatus::FAILED;
  case JobOutcome::cancelled:
    break;
  }
  return JobStatus::KILLED;
}

/// A text that others chose, as a report has it.
std::string reported(const std::string& text, std::size_t max) {
  return shortened(as_utf8(text), max);
}

} // namespace

template <class StageOf>
void JobHistory::count_stages(JobInfo& info, const std::vector<StageId>& stages,
                              StageOf stage_of) {
  info.stages = static_cast<int>(stages.size());
  info.stages_complete = 0;
  info.tasks = info.running = info.done = info.failed = 0;
  for (auto id : stages) {
    const StageInfo& stage = stage_of(id);
    info.stages_complete += stage.status == StageStatus::COMPLETE ? 1 : 0;
    info.tasks += stage.tasks;
    info.running += stage.running;
    info.done += stage.done;
    info.failed += stage.failed;
  }
}

void JobHistory::before(Instant now, const JobsEvent& x) {
  if (const auto* submitted = std::get_if<JobSubmitted>(&x))
    add(now, submitted->job);
  else if (const auto* updates = std::get_if<StatusUpdates>(&x))
    count_use(*updates);
}

/// Also that of attempts that were given up: they have used it.
void JobHistory::count_use(const StatusUpdates& x) {
  for (const auto& task : x.ended) {
    auto* stage = find(task.id.stage);
    if (stage == nullptr)
      continue;
    auto& info = stage->info;
    info.core_ms += std::max<std::int64_t>(0, task.run_ms) * stage->cores;
    info.use.cpu_ms += std::max<std::int64_t>(0, task.cpu_ms);
    info.use.output_bytes += std::max<std::int64_t>(0, task.bytes_written);
    info.use.peak_memory_mb
        = std::max(info.use.peak_memory_mb, task.peak_memory_mb);
  }
}

void JobHistory::add(Instant now, const JobSpec& job) {
  auto& known = jobs_[job.id];
  auto& info = known.info;
  info.id = job.id;
  info.name = reported(job.name, reported_name_max);
  info.pool = reported(job.pool, reported_name_max);
  info.submitted_ms = to_ms(now);
  for (const auto& spec : job.stages) {
    known.stages.push_back(spec.id);
    auto& stage = stages_[spec.id];
    stage.info.id = spec.id;
    stage.info.name = reported(spec.name, reported_name_max);
    stage.info.tasks = spec.tasks;
    stage.cores = spec.cores;
    if (stage.info.status == StageStatus::SKIPPED
        || stage.info.status == StageStatus::FAILED) {
      stage.info.status = StageStatus::PENDING;
      stage.info.started_ms.reset();
      stage.info.ended_ms.reset();
    }
    ++stage.jobs;
    ++stage.running_jobs;
  }
}

JobHistory::KnownStage* JobHistory::find(StageId id) {
  auto found = stages_.find(id);
  return found == stages_.end() ? nullptr : &found->second;
}

void JobHistory::hear(Instant now, const JobsEffect& x) {
  if (const auto* started = std::get_if<StageStarted>(&x)) {
    if (auto* stage = find(started->stage)) {
      stage->info.status = StageStatus::ACTIVE;
      stage->info.started_ms = stage->info.started_ms.value_or(to_ms(now));
      stage->info.ended_ms.reset();
    }
  } else if (const auto* completed = std::get_if<StageCompleted>(&x)) {
    if (auto* stage = find(completed->stage)) {
      stage->info.status = StageStatus::COMPLETE;
      stage->info.ended_ms = to_ms(now);
      stage->info.done = stage->info.tasks;
      stage->info.running = 0;
    }
  } else if (const auto* failed = std::get_if<AttemptFailed>(&x)) {
    if (auto* stage = find(failed->id.stage); stage && failed->failures > 0)
      ++stage->info.failed;
  } else if (const auto* ended = std::get_if<JobEnded>(&x)) {
    end(now, *ended);
  }
}

void JobHistory::after(const JobsState& state) {
  for (auto id : state.active)
    if (auto* stage = find(id)) {
      const auto& known = state.stages.at(id);
      stage->info.running = running_tasks(state, known);
      stage->info.done = known.tasks->done();
    }
}

void JobHistory::stop(Instant now, const std::string& why) {
  std::vector<JobId> running;
  for (const auto& [id, job] : jobs_)
    if (!job.info.ended_ms)
      running.push_back(id);
  for (auto id : running)
    end(now, JobEnded{id, JobOutcome::cancelled, why, {}, {}});
}

void JobHistory::end(Instant now, const JobEnded& x) {
  auto found = jobs_.find(x.job);
  if (found == jobs_.end())
    return;
  auto& job = found->second;
  job.info.status = status_of(x.outcome);
  job.info.ended_ms = to_ms(now);
  job.info.message = reported(x.why, reported_text_max);
  for (auto id : job.stages) {
    auto& stage = stages_.at(id);
    if (--stage.running_jobs > 0)
      continue;
    auto& info = stage.info;
    info.running = 0;
    if (info.status == StageStatus::COMPLETE)
      continue;
    // The job may have got what it needed without it.
    auto failed = info.status == StageStatus::ACTIVE
                  && x.outcome != JobOutcome::succeeded;
    info.status = failed ? StageStatus::FAILED : StageStatus::SKIPPED;
    info.ended_ms = job.info.ended_ms;
  }
  // What later jobs do with its stages is not its own.
  count_stages(job.info, job.stages, [this](StageId id) -> const StageInfo& {
    return stages_.at(id).info;
  });
  job.info.running = 0;
  ended_.push_back(x.job);
  while (ended_.size() > 1
         && (ended_.size() > reported_jobs_max
             || stages_.size() > reported_stages_max)) {
    forget(ended_.front());
    ended_.pop_front();
    ++forgotten_;
  }
}

void JobHistory::forget(JobId id) {
  auto job = jobs_.extract(id);
  for (auto stage : job.mapped().stages)
    if (--stages_.at(stage).jobs == 0)
      stages_.erase(stage);
}

// -- the report ---------------------------------------------------------------

/// A stage with what the scheduler knows of it.
StageInfo JobHistory::stage_now(const JobsState& state, StageId id) const {
  const auto& known = stages_.at(id);
  auto result = known.info;
  auto found = state.stages.find(id);
  if (found == state.stages.end() || !found->second.tasks
      || known.running_jobs == 0)
    return result;
  const auto& stage = found->second;
  result.running = running_tasks(state, stage);
  result.done = stage.tasks->done();
  // What it reads was lost.
  if (result.status == StageStatus::ACTIVE && !stage.is_active)
    result.status = StageStatus::PENDING;
  return result;
}

ReportJobs JobHistory::report(Instant now, const JobsState& state) const {
  ReportJobs result;
  WaitingTasks waiting{state, now};
  for (const auto& [exec_id, executor] : state.executors.all())
    if (!executor.disconnected) {
      ++result.executors;
      result.cores += executor.cores;
    }
  for (const auto& [id, job] : jobs_)
    if (!job.info.ended_ms && result.jobs.size() < reported_jobs_max) {
      result.jobs.push_back(job.info);
      count_stages(result.jobs.back(), job.stages,
                   [&](StageId x) { return stage_now(state, x); });
    }
  for (auto id = ended_.rbegin();
       id != ended_.rend() && result.jobs.size() < reported_jobs_max; ++id)
    result.jobs.push_back(jobs_.at(*id).info);
  result.jobs_left_out
      = forgotten_ + static_cast<int>(jobs_.size() - result.jobs.size());
  add_stages(result, state, waiting);
  return result;
}

/// Those of the jobs in the report, active ones first if not all have room.
void JobHistory::add_stages(ReportJobs& result, const JobsState& state,
                            const WaitingTasks& waiting) const {
  std::map<StageId, std::vector<JobId>> jobs_of;
  for (const auto& job : result.jobs)
    for (auto id : jobs_.at(job.id).stages)
      jobs_of[id].push_back(job.id);
  std::map<StageId, StageInfo> shown;
  auto show = [&](StageId id) {
    if (shown.size() < reported_stages_max && jobs_of.contains(id))
      shown.try_emplace(id, stage_now(state, id));
  };
  for (auto id : state.active)
    show(id);
  for (const auto& job : result.jobs)
    for (auto id : jobs_.at(job.id).stages)
      show(id);
  result.stages_left_out = static_cast<int>(jobs_of.size() - shown.size());
  for (auto& [id, info] : shown) {
    info.jobs = std::move(jobs_of.at(id));
    auto goes_on = info.status == StageStatus::PENDING
                   || info.status == StageStatus::ACTIVE;
    if (auto stage = state.stages.find(id);
        goes_on && stage != state.stages.end())
      info.waits = shortened(waiting.why(stage->second), reported_text_max);
    result.stages.push_back(std::move(info));
  }
}

} // namespace stoker
