#include "simulation/job_referee.hpp"

#include <algorithm>
#include <ostream>

#include "scheduling/jobs/job_invariants.hpp"
#include "scheduling/jobs/render_jobs.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

JobReferee::JobReferee(const EventQueue& queue, ExpectedValues& values,
                       std::ostream* log)
    : queue_(queue), values_(values), log_(log) {
}

void JobReferee::write(const std::string& line) {
  for (unsigned char c : line)
    digest_ = (digest_ ^ c) * 0x100000001b3U;
  if (log_ != nullptr)
    *log_ << queue_.since_begin().count() << ' ' << line << '\n';
}

void JobReferee::note(const std::string& what) {
  write("# " + what);
}

void JobReferee::stepped(const JobScheduler& scheduler,
                         const JobsEvent& event) {
  stats_.count_event("driver", event);
  write(to_string(event));
  if (const auto* x = std::get_if<JobSubmitted>(&event))
    open_[x->job.id] = x->job;
  else if (const auto* gone = std::get_if<OutputsGone>(&event))
    full_disks_.erase(gone->worker_id);
  check_leaving(scheduler, event);
  check_silence(scheduler.state(), event);
  if (auto wrong = invariant_violation(scheduler.state()))
    fail(*wrong);
}

void JobReferee::follows(const JobScheduler& scheduler,
                         const JobsEffect& effect) {
  const auto& state = scheduler.state();
  stats_.count_event("driver's effect", effect);
  write("  " + to_string(effect));
  follow_leaving(effect);
  if (const auto* x = std::get_if<JobsWakeAt>(&effect)) {
    if (x->when <= queue_.now())
      fail("a wake-up is asked for that is not in the future");
  } else if (const auto* failed = std::get_if<AttemptFailed>(&effect)) {
    count_failure(state, *failed);
    if (failed->why.starts_with("no room is left"))
      found_full(state, *failed);
  } else if (const auto* start = std::get_if<StartTasks>(&effect)) {
    check_rest(state, *start);
  } else if (const auto* end = std::get_if<JobEnded>(&effect)) {
    ended(*end);
  } else if (const auto* completed = std::get_if<StageCompleted>(&effect)) {
    gangs_.erase(completed->stage);
  } else if (const auto* silent = std::get_if<ExecutorSilent>(&effect)) {
    follow_silent(state, *silent);
  } else if (std::holds_alternative<BarrierAttemptBegun>(effect)) {
    stats_.count("gangs that begin");
  }
}

void JobReferee::follow_together(const JobsEffects& effects) const {
  std::map<StageId, int> begun;
  std::map<StageId, int> counted;
  std::map<StageId, const StageSpec*> gangs;
  auto note = [&](StageId id, std::map<StageId, int>& count) {
    for (const auto& [job, spec] : open_)
      if (const auto* stage = find_stage(spec, id);
          stage != nullptr && stage->is_barrier) {
        gangs[id] = stage;
        ++count[id];
        return;
      }
  };
  for (const auto& x : effects)
    if (const auto* start = std::get_if<StartTasks>(&x)) {
      for (const auto& id : start->tasks)
        note(id.stage, begun);
    } else if (const auto* result = std::get_if<AcceptResult>(&x)) {
      note(result->id.stage, counted);
    }
  for (const auto& [id, stage] : gangs)
    for (auto* count : {&begun, &counted})
      if (auto found = count->find(id);
          found != count->end() && found->second != stage->tasks)
        fail("a part of barrier stage " + to_string(id)
             + (count == &begun ? " begins" : " counts"));
}

void JobReferee::count_failure(const JobsState& state, const AttemptFailed& x) {
  auto stage = state.stages.find(x.id.stage);
  auto is_gang = false;
  for (const auto& [job, spec] : open_)
    if (const auto* known = find_stage(spec, x.id.stage))
      is_gang = known->is_barrier;
  if (stage != state.stages.end())
    is_gang = stage->second.spec.is_barrier;
  auto& task = tasks_[{x.id.stage, x.id.task}];
  auto& gang = gangs_[x.id.stage];
  if (x.failures > 0
      && (is_gang ? ++gang.failures : ++task.failures) != x.failures)
    fail("failures of " + to_string(x.id) + " are not counted one by one");
  if (x.why.starts_with("its executor was lost"))
    ++(is_gang ? gang.lost_attempts : task.lost_attempts);
  if (is_gang)
    stats_.count("gangs that fail");
}

void JobReferee::check_leaving(const JobScheduler& scheduler,
                               const JobsEvent& event) {
  if (const auto* x = std::get_if<DecommissionExecutor>(&event))
    leaving_.emplace(x->exec_id, queue_.now());
  const auto& state = scheduler.state();
  auto longest = state.config.leaving.force_kill_timeout;
  for (const auto& [exec_id, since] : leaving_) {
    const auto* executor = state.executors.find(exec_id);
    if (executor != nullptr && !executor->disconnected && !executor->is_drained
        && since + longest < queue_.now())
      fail("executor " + std::to_string(exec_id) + " takes too long to leave");
  }
}

void JobReferee::follow_leaving(const JobsEffect& effect) {
  if (const auto* start = std::get_if<StartTasks>(&effect)) {
    if (leaving_.contains(start->exec_id))
      fail(to_string(start->tasks.front()) + " starts on executor "
           + std::to_string(start->exec_id) + ", which is to leave");
  } else if (const auto* drained = std::get_if<ExecutorDrained>(&effect)) {
    if (!leaving_.contains(drained->exec_id)
        || !drained_.insert(drained->exec_id).second)
      fail("executor " + std::to_string(drained->exec_id)
           + " may be removed, which was not asked or said before");
    stats_.count("executors that may be removed");
  } else if (const auto* kept = std::get_if<ExecutorKept>(&effect)) {
    if (drained_.contains(kept->exec_id) || leaving_.erase(kept->exec_id) == 0)
      fail("executor " + std::to_string(kept->exec_id)
           + " is kept, which may be removed or was not to leave");
    stats_.count("executors that are kept");
  } else if (const auto* failed = std::get_if<AttemptFailed>(&effect)) {
    if (drained_.contains(failed->exec_id))
      fail(to_string(failed->id) + " fails on executor "
           + std::to_string(failed->exec_id) + ", which may be removed");
    if (leaving_.contains(failed->exec_id) && failed->failures > 0
        && failed->why.starts_with("its executor"))
      fail(to_string(failed->id) + " counts as failed because its executor "
           + "leaves");
  }
}

/// What was said a step ago is known, but not yet what follows from this one.
void JobReferee::check_silence(const JobsState& state, const JobsEvent& event) {
  const auto& config = state.config.heartbeats;
  if (config.interval.count() == 0)
    return;
  if (const auto* came = std::get_if<RegisterExecutor>(&event))
    heard_.emplace(came->exec_id, queue_.now());
  else if (const auto* spoke = std::get_if<ExecutorHeartbeat>(&event);
           spoke != nullptr && heard_.contains(spoke->exec_id))
    heard_[spoke->exec_id] = queue_.now();
  else if (const auto* broke = std::get_if<ExecutorDisconnected>(&event))
    heard_.erase(broke->exec_id);
  else if (const auto* ended = std::get_if<ExecutorEnded>(&event)) {
    heard_.erase(ended->exec_id);
    silent_.erase(ended->exec_id);
  }
  for (const auto& [exec_id, since] : heard_)
    if (since + config.timeout < queue_.now())
      fail("executor " + std::to_string(exec_id)
           + " has said nothing for too long, and is not lost");
  for (const auto& [exec_id, said] : silent_)
    if (said + config.interval < queue_.now())
      fail("nobody is asked again to end executor " + std::to_string(exec_id));
}

void JobReferee::follow_silent(const JobsState& state,
                               const ExecutorSilent& x) {
  const auto& config = state.config.heartbeats;
  auto name = "executor " + std::to_string(x.exec_id);
  if (state.executors.find(x.exec_id) != nullptr)
    fail(name + " is silent, and is not lost");
  if (auto heard = heard_.extract(x.exec_id)) {
    if (queue_.now() < heard.mapped() + config.timeout)
      fail(name + " is silent too soon");
    stats_.count("executors that are silent");
  } else if (auto said = silent_.find(x.exec_id); said == silent_.end()) {
    fail(name + " is to be ended, and is not expected to speak");
  } else if (queue_.now() < said->second + config.interval) {
    fail(name + " is to be ended again too soon");
  }
  silent_[x.exec_id] = queue_.now();
}

void JobReferee::found_full(const JobsState& state, const AttemptFailed& x) {
  const auto& worker = state.executors.find(x.exec_id)->worker_id;
  auto [disk, is_new]
      = full_disks_.try_emplace(worker, FullDisk{queue_.now(), false});
  if (!is_new && disk->second.started)
    disk->second = {queue_.now(), false};
  auto& full = tasks_[{x.id.stage, x.id.task}].full;
  full.insert(worker);
  stats_.count("full disks found");
  // Other workers may be left out for what failed there. Of a stage that went with its
  // job it is not known how many cores it takes.
  auto stage = state.stages.find(x.id.stage);
  if (x.failures == 0 || state.config.exclusion.enabled
      || stage == state.stages.end() || stage->second.barrier)
    return;
  stats_.count("full disks that count");
  for (const auto& [exec_id, other] : state.executors.all())
    if (other.is_available() && other.cores >= stage->second.spec.cores
        && !full.contains(other.worker_id))
      fail("that " + to_string(x.id) + " found no room counts, and executor "
           + std::to_string(exec_id) + " is on another worker");
}

void JobReferee::check_rest(const JobsState& state, const StartTasks& x) {
  auto disk = full_disks_.find(state.executors.find(x.exec_id)->worker_id);
  if (disk == full_disks_.end())
    return;
  disk->second.started = true;
  if (queue_.now() < disk->second.since + full_disk_wait(1))
    fail("executor " + std::to_string(x.exec_id)
         + " gets tasks, and one has just found no room on its worker");
}

void JobReferee::accepted(const AcceptResult& x, std::uint64_t value) {
  auto job = open_.find(x.job);
  if (job == open_.end())
    fail("a result of " + to_string(x.id) + " counts, and its job has ended");
  const auto* stage = find_stage(job->second, x.id.stage);
  if (stage == nullptr || !stage->is_result)
    fail("a result of " + to_string(x.id) + " counts for a job without it");
  auto& task = tasks_[{x.id.stage, x.id.task}];
  if (std::exchange(task.accepted, true))
    fail("a second result of " + to_string(x.id) + " counts");
  if (value != values_.of(x.id.stage, x.id.task))
    fail("the result of " + to_string(x.id)
         + " does not follow from the right inputs");
  stats_.count("results");
}

void JobReferee::ended(const JobEnded& x) {
  auto job = open_.extract(x.job);
  if (!job)
    fail("job " + to_string(x.job) + " ends, and is not open");
  stats_.count("jobs " + to_string(x.outcome));
  if (x.outcome == JobOutcome::failed)
    check_failure(job.mapped(), x.why);
  if (x.outcome != JobOutcome::succeeded)
    return;
  for (const auto& stage : job.mapped().stages)
    if (stage.is_result)
      for (int task = 0; task < stage.tasks; ++task)
        if (!tasks_[{stage.id, task}].accepted)
          fail("job " + to_string(x.job) + " ends well without the result of "
               + to_string(TaskAttempt{stage.id, task, 0}));
}

/// Each reason has to be one that is there.
void JobReferee::check_failure(const JobSpec& job,
                               const std::string& why) const {
  auto any_task = [&](auto&& is_one) {
    return std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& x) {
      const auto* stage = find_stage(job, x.first.first);
      return stage != nullptr && is_one(*stage, x.second);
    });
  };
  auto has
      = [&](const char* words) { return why.find(words) != std::string::npos; };
  auto any_gang = [&](auto&& is_one) {
    return std::any_of(
        job.stages.begin(), job.stages.end(), [&](const StageSpec& stage) {
          auto found = gangs_.find(stage.id);
          return stage.is_barrier
                 && is_one(stage,
                           found == gangs_.end() ? Gang{} : found->second);
        });
  };
  auto is_there = true;
  if (has("at once, and has"))
    is_there = any_gang([](const StageSpec&, const Gang&) { return true; });
  else if (has("barrier stage") && has(" times, first"))
    is_there = any_gang([](const StageSpec& stage, const Gang& x) {
      return x.failures >= stage.max_failures;
    });
  else if (has("lost tasks with"))
    is_there = any_gang([](const StageSpec&, const Gang& x) {
      return x.lost_attempts >= JobsConfig{}.lost_executors_max;
    });
  else if (has("may run on none"))
    is_there = any_task([](const StageSpec&, const Task& x) {
                 return x.failures > 0;
               })
               || any_gang([](const StageSpec&, const Gang& x) {
                    return x.failures > 0;
                  });
  else if (has("time limit"))
    is_there = std::any_of(job.stages.begin(), job.stages.end(),
                           [](const auto& x) { return x.time_limit; });
  else if (has("failed"))
    is_there = any_task([](const StageSpec& stage, const Task& x) {
      return x.failures >= stage.max_failures;
    });
  else if (has("was lost with"))
    is_there = any_task([](const StageSpec&, const Task& x) {
      return x.lost_attempts >= JobsConfig{}.lost_executors_max;
    });
  if (!is_there)
    fail("a job fails for what has not happened: " + why);
}

} // namespace stoker::simulation
