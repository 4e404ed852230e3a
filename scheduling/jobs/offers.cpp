#include "scheduling/jobs/offers.hpp"

#include <algorithm>
#include <cmath>

#include "scheduling/jobs/barrier_waiting.hpp"
#include "scheduling/jobs/jobs.hpp"
#include "scheduling/jobs/sending_ahead.hpp"
#include "scheduling/jobs/stages.hpp"
#include "scheduling/jobs/time_limits.hpp"

namespace stoker {

namespace {

/// Looks for a slot for one task of a stage.
class Offer {
public:
  Offer(JobStep& step, Stage& stage)
      : step_(step), executors_(step.state.executors), stage_(stage),
        tasks_(*stage.tasks) {
  }

  /// Begins a task if there is room for one. Returns whether it has.
  bool make() {
    if (stage_.looked_everywhere ? try_changed() : try_free() || try_ahead())
      return true;
    stage_.looked_everywhere = true;
    if (refused_)
      stage_.locality_wait.refused(step_.now);
    stage_.look_again
        = stage_.locality_wait.next(step_.now, step_.state.config);
    for (const auto& retry : tasks_.retries())
      if (retry.until > step_.now)
        stage_.look_again = earlier(stage_.look_again, retry.until);
    return false;
  }

private:
  bool try_free() {
    for (const auto& x : executors_.by_free_cores()) {
      if (x.free_cores < stage_.spec.cores)
        return false;
      if (try_executor(*executors_.find(x.exec_id)))
        return true;
    }
    return false;
  }

  /// Sends short tasks ahead to who has the fewest of them.
  bool try_ahead() {
    if (stage_.run_times.count() == 0)
      return false;
    for (const auto& [waiting, exec_id] : executors_.by_waiting()) {
      const auto& executor = *executors_.find(exec_id);
      if (waiting >= allowed_ahead(executor))
        return false;
      if (try_executor(executor))
        return true;
    }
    return false;
  }

  /// The others have no room, or none for these tasks.
  bool try_changed() {
    const auto& changed = executors_.changed();
    return std::any_of(changed.begin(), changed.end(), [this](int exec_id) {
      const auto& executor = *executors_.find(exec_id);
      auto has_room = executor.free_cores() >= stage_.spec.cores
                      || (stage_.run_times.count() > 0
                          && executor.waiting < allowed_ahead(executor));
      return has_room && try_executor(executor);
    });
  }

  /// How many tasks may wait there: what is done in `queued_work`.
  [[nodiscard]] int allowed_ahead(const JobExecutor& executor) const {
    const auto& config = step_.state.config;
    auto slots = executor.cores / stage_.spec.cores;
    auto tasks = tasks_ahead_of_slot(config, stage_) * slots;
    return static_cast<int>(
        std::min<double>(std::floor(tasks), config.queued_tasks_max));
  }

  bool try_executor(const JobExecutor& executor) {
    if (executor.cores < stage_.spec.cores
        || !may_run_on(step_.state, stage_, executor, step_.now)
        || step_.state.full_disks.holds(executor.worker_id))
      return false;
    if (begin_retry(executor))
      return true;
    auto task = take(executor);
    if (!task)
      return false;
    begin(executor, *task, tasks_.begin(*task, executor.exec_id));
    return true;
  }

  bool begin_retry(const JobExecutor& executor) {
    const auto& retries = tasks_.retries();
    for (std::size_t i = 0; i < retries.size(); ++i) {
      if (!may_retry(retries[i], executor))
        continue;
      auto begun = tasks_.begin_retry(i, executor.exec_id);
      begin(executor, begun.task, begun.attempt);
      return true;
    }
    return false;
  }

  [[nodiscard]] bool may_retry(const TaskSet::Retry& x,
                               const JobExecutor& executor) const {
    if (!may_retry_on(step_.state, stage_, x.task, executor))
      return false;
    const auto* failed = tasks_.failure_places(x.task);
    // Another one is better as long as that does not take longer than room may take
    // to come here.
    if (failed->was_full(executor.worker_id) && step_.now < x.until)
      return false;
    return !failed->has(executor.exec_id) || step_.now >= x.until
           || !another_is_left(*failed);
  }

  /// Whether it has not failed on all that get tasks.
  [[nodiscard]] bool another_is_left(const FailurePlaces& failed) const {
    auto available = 0;
    for (const auto& [exec_id, times] : failed.executors())
      if (const auto* x = executors_.find(exec_id); x && x->is_available())
        ++available;
    return available < executors_.available();
  }

  std::optional<int> take(const JobExecutor& executor) {
    auto& waiting = tasks_.waiting();
    if (!waiting.has_places())
      return waiting.take_anywhere();
    if (auto task = waiting.take_for_process(executor.exec_id))
      return task;
    auto allowed = allowed_locality();
    if (allowed >= Locality::host)
      if (auto task = waiting.take_on_host(executor.host))
        return task;
    if (auto task = waiting.take_unplaced())
      return task;
    if (allowed == Locality::any)
      return waiting.take_anywhere();
    refused_ = refused_ || waiting.size() > 0;
    return std::nullopt;
  }

  Locality allowed_locality() {
    if (!allowed_) {
      LocalityWait::Wanted wanted;
      auto& waiting = tasks_.waiting();
      for (const auto& [exec_id, x] : executors_.all()) {
        if (!x.is_available())
          continue;
        wanted.process = wanted.process || waiting.wants_process(exec_id);
        wanted.host = wanted.host || waiting.wants_host(x.host);
      }
      allowed_
          = stage_.locality_wait.allowed(step_.now, step_.state.config, wanted);
    }
    return *allowed_;
  }

  void begin(const JobExecutor& executor, int task, int attempt) {
    TaskAttempt id{stage_.spec.id, task, attempt};
    stage_.running_cores += stage_.spec.cores;
    if (!stage_.first_launch)
      note_first_launch(step_, stage_);
    step_.launches[executor.exec_id].push_back(id);
    executors_.assign(executor.exec_id, id, stage_.spec.cores, step_.now);
  }

  JobStep& step_;
  JobExecutors& executors_;
  Stage& stage_;
  TaskSet& tasks_;
  bool refused_ = false;
  std::optional<Locality> allowed_;
};

/// Begins a task of the stage, or all of a barrier stage. Returns whether that was done.
bool offer(JobStep& step, Stage& stage) {
  return stage.barrier ? offer_together(step, stage)
                       : Offer{step, stage}.make();
}

/// Stages that have waited for some time, for a place or another try.
void look_again_at_due(JobStep& step) {
  auto& state = step.state;
  const auto& again = state.order.look_again();
  while (!again.empty() && again.begin()->first <= step.now) {
    auto id = again.begin()->second;
    auto& stage = state.stages.change(id);
    stage.look_again.reset();
    stage.looked_everywhere = false;
    update_in_order(state, id);
  }
}

/// Whether some executor may have room for a task of some stage that waits. Otherwise
/// none has.
/// @pre some stage waits
bool has_room(const JobsState& state) {
  const auto& by_free = state.executors.by_free_cores();
  if (by_free.empty())
    return false;
  if (auto cores = state.order.fewest_cores();
      cores && by_free.begin()->free_cores >= *cores)
    return true;
  if (auto cores = state.order.fewest_cores_at_once();
      cores && state.executors.free_cores() >= *cores)
    return true;
  if (state.order.most_ahead() == 0)
    return false;
  // Rounded otherwise than by executor: a little more, so that none is missed.
  constexpr double rounding = 1 + 1e-9;
  auto ahead = state.order.most_ahead() * state.executors.most_cores();
  auto fewest_waiting = state.executors.by_waiting().begin()->first;
  return fewest_waiting < state.config.queued_tasks_max
         && fewest_waiting < std::floor(ahead * rounding);
}

/// How long an executor that has tasks waiting may be busy with those before them,
/// while others have nothing to do.
Duration recall_after(const JobsState& state) {
  return 2 * state.config.queued_work;
}

/// Whether tasks that wait at one executor could begin at another.
bool has_idle_executor(const JobsState& state) {
  const auto& by_free = state.executors.by_free_cores();
  return !by_free.empty() && by_free.begin()->free_cores > 0
         && state.order.waiting() == 0;
}

/// Calls `f` with each executor whose waiting tasks could be asked for, and when.
template <class F>
void for_each_recall(const JobsState& state, F&& f) {
  const auto& by_waiting = state.executors.by_waiting();
  if (by_waiting.empty() || by_waiting.rbegin()->first == 0
      || !has_idle_executor(state))
    return;
  for (auto i = by_waiting.rbegin(); i != by_waiting.rend() && i->first > 0;
       ++i)
    if (const auto& x = *state.executors.find(i->second); !x.returns_tasks)
      f(x, *x.assigned.front().since + recall_after(state));
}

void recall_tasks(JobStep& step) {
  for_each_recall(step.state, [&](const JobExecutor& x, Instant when) {
    if (when > step.now)
      return;
    step.state.executors.set_returns_tasks(x.exec_id, true);
    step.add(AskForTasks{x.exec_id, x.waiting});
  });
}

} // namespace

bool may_run_on(const JobsState& state, const Stage& stage,
                const JobExecutor& executor, Instant now) {
  auto excluded = [&](const Exclusions& x) {
    return !x.empty() && x.excludes(now, executor.exec_id, executor.host);
  };
  return executor.is_available() && !excluded(stage.exclusions)
         && !excluded(state.exclusions);
}

bool may_retry_on(const JobsState& state, const Stage& stage, int task,
                  const JobExecutor& executor) {
  const auto& limits = state.config.exclusion;
  if (!limits.enabled)
    return true;
  const auto* failed = stage.tasks->failure_places(task);
  return failed->on_executor(executor.exec_id)
             < limits.task_attempts_per_executor_max
         && failed->on_host(executor.host) < limits.task_attempts_per_host_max;
}

bool has_other_disk(const JobsState& state, const Stage& stage, int task,
                    Instant now) {
  const auto* failed = stage.tasks->failure_places(task);
  const auto& all = state.executors.all();
  return std::any_of(all.begin(), all.end(), [&](const auto& x) {
    const auto& executor = x.second;
    return executor.cores >= stage.spec.cores
           && !failed->was_full(executor.worker_id)
           && may_run_on(state, stage, executor, now)
           && may_retry_on(state, stage, task, executor);
  });
}

void make_offers(JobStep& step) {
  auto& state = step.state;
  update_order(state);
  look_again_at_due(step);
  auto& order = state.order;
  for (auto id = order.first(); id && has_room(state); id = order.first()) {
    auto& stage = state.stages.change(*id);
    auto began = offer(step, stage);
    if (!began && holds_slots(stage, step.now)) {
      // Those that come after it look at what has changed when it is over.
      update_order(state);
      state.executors.forget_changed();
      return;
    }
    if (!began)
      order.set_aside(*id);
    else if (stage.barrier)
      // Others may have to look again, too.
      update_order(state);
    else if (order.waiting() > 1 || stage.tasks->pending() == 0)
      update_in_order(state, *id);
  }
  // For these nobody has room now, as for all others that wait.
  auto rest = order.not_looked_at();
  for (auto id : rest)
    (void)offer(step, state.stages.change(id));
  update_order(state);
  state.executors.forget_changed();
  recall_tasks(step);
}

std::optional<Instant> next_offer(const JobsState& state, Instant now) {
  std::optional<Instant> result;
  if (const auto& again = state.order.look_again(); !again.empty())
    result = again.begin()->first;
  for_each_recall(state, [&](const JobExecutor&, Instant when) {
    if (when > now)
      result = earlier(result, when);
  });
  return result;
}

bool offer_second(JobStep& step, Stage& stage, int task) {
  auto& state = step.state;
  auto running_on = stage.tasks->live().at(task).first.exec_id;
  const auto* failed = stage.tasks->failure_places(task);
  for (const auto& x : state.executors.by_free_cores()) {
    if (x.free_cores < stage.spec.cores)
      return false;
    const auto& executor = *state.executors.find(x.exec_id);
    if (x.exec_id == running_on || !may_run_on(state, stage, executor, step.now)
        || state.full_disks.holds(executor.worker_id)
        || (failed && failed->was_full(executor.worker_id)))
      continue;
    TaskAttempt id{stage.spec.id, task,
                   stage.tasks->begin_second(task, x.exec_id)};
    stage.running_cores += stage.spec.cores;
    step.launches[executor.exec_id].push_back(id);
    state.executors.assign(executor.exec_id, id, stage.spec.cores, step.now);
    return true;
  }
  return false;
}

void send_launches(JobStep& step) {
  auto& state = step.state;
  for (auto& [exec_id, tasks] : std::exchange(step.launches, {})) {
    std::set<StageId> stages;
    for (const auto& id : tasks)
      stages.insert(id.stage);
    for (auto id : stages) {
      if (state.executors.describe(exec_id, id))
        step.add(TellStage{exec_id, id});
      for (const auto& read : state.stages.at(id).spec.reads) {
        auto& outputs = *state.stages.change(read.stage).outputs;
        if (state.executors.tell(exec_id, read.stage, outputs.version()))
          step.add(TellOutputs{exec_id,
                               outputs.to_message(read.stage, state.servers)});
      }
    }
    step.add(StartTasks{exec_id, std::move(tasks)});
  }
}

} // namespace stoker
