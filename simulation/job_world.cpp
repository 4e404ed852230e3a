#include "simulation/job_world.hpp"

#include <ostream>
#include <utility>

#include "simulation/job_shapes.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

JobWorld::JobWorld(const Scenario& scenario, std::ostream* log,
                   std::ostream* message_log)
    : scenario_(scenario), dice_(scenario.seed, "job world"),
      barrier_dice_(scenario.seed, "barriers"), machines_(scenario.workers),
      referee_(queue_, values_, log), task_referee_(referee_.stats()),
      scheduler_(jobs_config_shape(scenario)), message_log_(message_log) {
  if (message_log_ == nullptr)
    return;
  TaskLogHeader header;
  header.config = scheduler_.state().config;
  *message_log_ << to_line(header);
}

void JobWorld::run() {
  for (int i = 0; i < scenario_.executors; ++i)
    start_executor_later();
  for (const auto& item : scenario_.items)
    queue_.after(item.at, [this, item] { happen(item); });
  queue_.run_until(queue_.now() + scenario_.chaos);
  in_chaos_ = false;
  heal();
  auto end = queue_.now() + minutes{30};
  while (!referee_.open().empty() && queue_.now() < end)
    queue_.run_until(queue_.now() + seconds{1});
  if (!referee_.open().empty())
    fail("job " + to_string(referee_.open().begin()->first)
         + " has not ended after half an hour without faults");
}

Outcome JobWorld::outcome() {
  Outcome result;
  result.digest = referee_.digest() ^ queue_.happened();
  result.simulated = queue_.since_begin();
  result.stats = referee_.stats();
  result.stats.count("simulated events", queue_.happened());
  return result;
}

// -- the driver ---------------------------------------------------------------

void JobWorld::step(const JobsEvent& what) {
  auto effects = scheduler_.step(queue_.now(), what);
  if (message_log_ != nullptr) {
    std::string line;
    append_step(line, queue_.now(), what, effects, logged_lines_);
    *message_log_ << line;
  }
  referee_.stepped(scheduler_, what);
  referee_.follow_together(effects);
  load_watch_.stepped(queue_.now(), what, effects, scheduler_.state());
  for (const auto& effect : effects) {
    referee_.follows(scheduler_, effect);
    carry_out(effect);
  }
}

void JobWorld::begin_together(const BarrierAttemptBegun& x) {
  task_referee_.begins_together(x);
  BarrierAttemptConfig config;
  config.stage = x.stage;
  config.attempt = x.attempt;
  config.exec_ids = x.exec_ids;
  for (auto exec_id : x.exec_ids)
    config.hosts.push_back(scheduler_.state().executors.find(exec_id)->host);
  attempts_.emplace(std::pair{x.stage, x.attempt},
                    BarrierAttempt{std::move(config)});
}

void JobWorld::hear(const JobExecutorProcess::Message& x) {
  if (const auto* updates = std::get_if<StatusUpdates>(&x))
    return step(*updates);
  const auto& ready = std::get<BarrierTasksReady>(x);
  hear_ready(ready);
  if (barrier_dice_.chance(10))
    queue_.after(message_delay(barrier_dice_),
                 [this, ready] { hear_ready(ready); });
}

void JobWorld::hear_ready(const BarrierTasksReady& x) {
  // Of attempts that are over nobody waits for an answer.
  auto found = attempts_.find({x.stage, x.attempt});
  if (found == attempts_.end())
    return;
  for (const auto& tell : found->second.ready(x))
    for (auto exec_id : tell.exec_ids)
      tell_beside(exec_id, std::get<BarrierTasksMayBegin>(tell.message));
}

void JobWorld::submit(std::int64_t shape, bool has_gangs) {
  auto job = job_shape(scenario_, shape, JobId{next_job_++}, next_stage_, had_);
  if (has_gangs)
    job = with_barriers(scenario_, std::move(job), next_stage_);
  for (const auto& stage : job.stages) {
    if (stage.id.value < next_stage_)
      continue;
    values_.add(stage.id, stage.tasks, stage.reads);
    if (!stage.is_result)
      had_.push_back(stage);
  }
  for (const auto& stage : job.stages)
    next_stage_ = std::max(next_stage_, stage.id.value + 1);
  if (auto valid = may_submit(scheduler_.state(), job); !valid)
    fail("a job of the simulation is wrong: " + valid.error().message);
  step(JobSubmitted{std::move(job)});
}

void JobWorld::release_stages() {
  StagesReleased released;
  for (const auto& stage : had_)
    released.stages.push_back(stage.id);
  had_.clear();
  step(released);
}

void JobWorld::fetch(const FetchResult& x) {
  queue_.after(message_delay(dice_) * 2, [this, x] {
    auto reading = machines_.read(queue_.now(), x.server, x.id);
    if (reading.value)
      fetched_[x.id] = *reading.value;
    step(ResultFetched{x.id, reading.value ? "" : "it cannot be fetched"});
  });
}

/// An attempt at a barrier stage begins when nothing of another one is left, but for
/// executors that cannot be reached.
void JobWorld::check_alone(const TaskAttempt& id) const {
  if (!scheduler_.state().stages.at(id.stage).barrier)
    return;
  for (const auto& [exec_id, x] : executors_)
    if (x.linked && !x.given_up && x.process->is_alive()
        && task_referee_.has_earlier(exec_id, id))
      fail(to_string(id) + " begins, and executor " + std::to_string(exec_id)
           + " has a task of an earlier attempt at its barrier stage");
}

void JobWorld::carry_out(const JobsEffect& effect) {
  if (const auto* stage = std::get_if<TellStage>(&effect)) {
    const auto& spec = scheduler_.state().stages.at(stage->stage).spec;
    tell_executor(stage->exec_id, [spec](auto& x) { x.know_stage(spec); });
  } else if (const auto* outputs = std::get_if<TellOutputs>(&effect)) {
    tell_executor(outputs->exec_id, [outputs = outputs->outputs](auto& x) {
      x.know_outputs(*outputs);
    });
  } else if (const auto* start = std::get_if<StartTasks>(&effect)) {
    for (const auto& id : start->tasks)
      check_alone(id);
    tell_executor(start->exec_id,
                  [tasks = start->tasks](auto& x) { x.start(tasks); });
  } else if (const auto* end = std::get_if<EndTask>(&effect)) {
    tell_executor(end->exec_id, [id = end->id](auto& x) { x.end_task(id); });
  } else if (const auto* ask = std::get_if<AskForTasks>(&effect)) {
    tell_executor(ask->exec_id,
                  [count = ask->count](auto& x) { x.return_tasks(count); });
  } else if (const auto* drained = std::get_if<ExecutorDrained>(&effect)) {
    remove_executor(drained->exec_id);
  } else if (const auto* silent = std::get_if<ExecutorSilent>(&effect)) {
    give_up(silent->exec_id);
  } else if (const auto* wanted = std::get_if<FetchResult>(&effect)) {
    fetch(*wanted);
  } else if (const auto* result = std::get_if<AcceptResult>(&effect)) {
    referee_.accepted(*result, result->result ? std::stoull(*result->result)
                                              : fetched_.at(result->id));
  } else if (const auto* together = std::get_if<BarrierAttemptBegun>(&effect)) {
    begin_together(*together);
  } else if (const auto* done = std::get_if<BarrierTaskFinished>(&effect)) {
    if (auto found = attempts_.find({done->id.stage, done->id.attempt});
        found != attempts_.end())
      static_cast<void>(found->second.task_finished(done->id.task));
  } else if (const auto* over = std::get_if<BarrierAttemptEnded>(&effect)) {
    attempts_.erase({over->stage, over->attempt});
  } else if (const auto* wake = std::get_if<JobsWakeAt>(&effect)) {
    queue_.at(wake->when, [this] { step(JobsTick{}); });
  }
}

} // namespace stoker::simulation
