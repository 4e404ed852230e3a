#include "scheduling/master/executors.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/end_time.hpp"
#include "scheduling/master/executor_ends.hpp"
#include "scheduling/master/failed_starts.hpp"
#include "scheduling/master/program_ends.hpp"

namespace stoker {

namespace {

std::string host_port(const Worker& worker) {
  return worker.stored.host + ':' + std::to_string(worker.stored.port);
}

/// The next executor of an application, on this worker.
Executor make_executor(const Step& step, const Application& app,
                       WorkerKey worker_key, int cores,
                       ResourceAddresses&& resources) {
  const auto& worker = step.state.workers.at(worker_key);
  Executor result;
  result.worker = worker_key;
  auto& stored = result.stored;
  stored.app_id = app.stored.id;
  stored.exec_id = app.executors.next_id();
  stored.worker_id = worker.stored.id;
  stored.host = worker.stored.host;
  stored.cores = cores;
  stored.memory_mb = app.stored.memory_per_executor_mb;
  stored.launched = step.now();
  stored.resources = std::move(resources);
  if (app.instances) {
    stored.index = app.instances->first_waiting();
  }
  return result;
}

void start(Step& step, Application& app, Executor executor) {
  const auto& worker = step.state.workers.at(executor.worker);
  const auto& x = executor.stored;
  ExecutorRef ref{app.key(), x.exec_id};
  step.state.workers.edit(executor.worker).programs.executors.insert(ref);
  if (x.index)
    app.instances->begin_attempt(*x.index);
  step.send(StartExecutor{worker.stored.endpoint, x.app_id, x.exec_id, x.cores,
                          x.memory_mb, x.index, x.resources});
  step.send(app.stored.driver,
            ExecutorAdded{x.exec_id, x.worker_id, host_port(worker), x.cores,
                          x.memory_mb, x.index});
  step.changes.touch(ref);
  app.executors.add(std::move(executor));
}

/// What the report says of its worker.
void note_start_of(Step& step, const Executor& executor,
                   const ExecutorStateChanged& x) {
  if (is_failed_start(x.state, x.exit_status))
    note_failed_start(step, executor.worker, x.message.value_or(""));
  else if (x.state == ExecutorState::RUNNING)
    note_start(step, executor.worker, executor.stored.launched);
}

/// What must not be in use twice.
bool is_exclusive(const Application& app, const Executor& executor) {
  return app.instances || !executor.stored.resources.empty();
}

void erase_forgotten(Step& step, const StoredExecutor& x) {
  ExecutorId id{x.app_id, x.exec_id};
  if (!step.state.releases.contains(id))
    step.changes.record(EraseExecutor{id});
}

/// Remembers an executor among those of its application that have ended.
void record_exit(Step& step, Application& app, StoredExecutor ended) {
  auto exec_id = ended.exec_id;
  auto pending = std::exchange(ended.ending, false);
  auto open = ended.index && !app.instances->is_done(*ended.index);
  app.ended_executors.add(std::move(ended), open);
  auto record = *app.ended_executors.find(exec_id);
  record.ending = pending;
  step.changes.record(std::move(record));
  // The number of its last end.
  step.changes.touch(app.key());
  for (const auto& x :
       app.ended_executors.forget(step.config().retained_executors))
    // What still has to end is erased when it has.
    if (!(pending && x.exec_id == exec_id))
      erase_forgotten(step, x);
}

/// An instance can be started again.
void free_index(Step& step, const PendingRelease& release) {
  if (!release.app || !step.state.applications.contains(*release.app))
    return;
  auto& app = step.state.applications.edit(*release.app);
  app.instances->has_no_attempt(release.stored.index.value());
  update_demand(step, *release.app);
}

/// Tells a driver of an executor that it may know of.
void tell_of(Step& step, const EndpointId& driver, const StoredExecutor& x) {
  auto worker = step.state.workers.find(x.worker_id);
  auto port = worker ? step.state.workers.at(*worker).stored.port : 0;
  step.send(driver, ExecutorAdded{x.exec_id, x.worker_id,
                                  x.host + ':' + std::to_string(port), x.cores,
                                  x.memory_mb, x.index});
  if (x.state != ExecutorState::LAUNCHING)
    step.send(driver,
              ExecutorUpdated{x.exec_id, x.state, x.message, x.exit_status,
                              std::nullopt, EndNumber{x.end_number}});
}

/// Its worker says how an executor ended that counted as ended before.
void note_late_end(Step& step, const ExecutorStateChanged& x) {
  ExecutorId id{x.app_id, x.exec_id};
  LateEnd end{step.now(), x.ended_ago_ms, x.use};
  auto& applications = step.state.applications;
  auto app = applications.find(id.app_id);
  const auto* noted
      = app ? applications.edit(*app).ended_executors.take_late_end(id.exec_id,
                                                                    end)
            : applications.take_late_end(id, end);
  // What is held is recorded when that is given back, and a good end with its instance.
  if (noted != nullptr && !step.state.releases.contains(id)
      && !(app && is_good_late_end(applications.at(*app), x)))
    step.changes.record(*noted);
}

/// An application that ended while its executors went on has ended with the last of them.
void note_end_with_last(Step& step, const AppId& id) {
  const auto* ended = step.state.applications.find_ended(id);
  if (ended != nullptr && !step.state.releases.has_any_of(id))
    step.note_end(id, end_of(*ended));
}

/// The executor had to end, and has: only its last record stays.
void record_release(Step& step, const ExecutorId& id) {
  const auto& applications = step.state.applications;
  if (auto app = applications.find(id.app_id)) {
    if (const auto* ended
        = applications.at(*app).ended_executors.find(id.exec_id))
      return step.changes.record(*ended);
  } else if (const auto* over = applications.find_ended(id.app_id)) {
    for (const auto& x : over->executors)
      if (x.exec_id == id.exec_id)
        return step.changes.record(x);
  }
  step.changes.record(EraseExecutor{id});
}

} // namespace

// -- events -------------------------------------------------------------------

void handle(Step& step, const ExecutorStateChanged& x) {
  // Answered in any case: a worker repeats what is not answered.
  step.reply(true);
  if (is_finished(x.state)) {
    note_late_end(step, x);
    release_held(step, {x.app_id, x.exec_id});
  }
  auto key = step.state.applications.find(x.app_id);
  if (!key)
    return;
  auto& app = step.state.applications.edit(*key);
  const auto* executor = app.executors.find(x.exec_id);
  if (executor == nullptr)
    return handle_late_end(step, *key, x);
  step.send(app.stored.driver,
            ExecutorUpdated{x.exec_id, x.state, x.message, x.exit_status,
                            std::nullopt,
                            is_finished(x.state) ? app.ended_executors.next()
                                                 : EndNumber{}});
  note_start_of(step, *executor, x);
  if (is_finished(x.state)) {
    auto ended = remove_executor(step, {*key, x.exec_id},
                                 {x.state, x.exit_status, x.message, x.use,
                                  time_of_end(step, executor->stored, x)},
                                 Room::free_now);
    return handle_executor_exit(step, *key, ended, x);
  }
  // A report that was overtaken changes nothing.
  if (x.state == ExecutorState::RUNNING && !executor->stored.running_since) {
    app.executors.set_running(x.exec_id, step.now());
    step.changes.touch(ExecutorRef{*key, x.exec_id});
  }
}

// -- beginnings ---------------------------------------------------------------

void launch_executors(Step& step, AppKey key, WorkerKey worker, int cores,
                      int count) {
  auto& app = step.state.applications.edit(key);
  ExecutorSize each{cores / count, app.stored.memory_per_executor_mb};
  auto resources = step.state.capacity.take(worker, each, app.needs, count);
  if (auto& left = step.state.starts_left)
    *left -= count;
  step.changes.touch(key);
  app.stored.state = ApplicationState::RUNNING;
  if (!app.stored.started) {
    app.stored.started = step.now();
    if (const auto& limit_ms = app.stored.description.time_limit_ms) {
      auto end = step.now() + Duration{*limit_ms};
      step.state.time_limits.set_end(key, end);
      step.check_at(end, Due::application, number_of(key));
    }
  }
  for (auto& addresses : resources)
    start(step, app,
          make_executor(step, app, worker, each.cores, std::move(addresses)));
}

bool take_back(Step& step, AppKey key, WorkerKey worker_key,
               const ExecutorDescription& x) {
  auto& state = step.state;
  auto& app = state.applications.edit(key);
  const auto& worker = state.workers.at(worker_key);
  const auto* lost = app.ended_executors.find(x.exec_id);
  if (lost == nullptr || lost->state != ExecutorState::LOST
      || lost->worker_id != worker.stored.id || is_finished(x.state))
    return false;
  auto is_wanted = lost->index && app.instances->waits(*lost->index)
                   && app.position() && executors_left(app) > 0
                   && cores_left(state, app) >= lost->cores;
  if (!is_wanted || !state.capacity.take(worker_key, allotment_of(*lost)))
    return false;
  Executor executor{app.ended_executors.take(x.exec_id), worker_key};
  auto& stored = executor.stored;
  stored.state = stored.running_since ? ExecutorState::RUNNING : x.state;
  if (x.state == ExecutorState::RUNNING && !stored.running_since)
    stored.running_since = step.now();
  stored.ended.reset();
  stored.message.reset();
  stored.use.reset();
  stored.end_number = 0;
  app.instances->begin_attempt(*stored.index);
  state.workers.edit(worker_key).programs.executors.insert({key, x.exec_id});
  step.changes.touch(ExecutorRef{key, x.exec_id});
  tell_of(step, app.stored.driver, stored);
  app.executors.add(std::move(executor));
  update_demand(step, key);
  return true;
}

void resend_executors(Step& step, const Application& app) {
  app.ended_executors.for_each_unheard(
      [&](const StoredExecutor& x) { tell_of(step, app.stored.driver, x); });
  for (const auto& [exec_id, executor] : app.executors.present())
    tell_of(step, app.stored.driver, executor.stored);
}

void resend_executors(Step& step, const EndedApplication& app) {
  for (const auto& x : app.executors)
    tell_of(step, app.driver, x);
}

// -- ends ---------------------------------------------------------------------

Instant time_of_end(const Step& step, const StoredExecutor& executor,
                    const ExecutorStateChanged& end) {
  auto began = std::max(executor.launched,
                        executor.running_since.value_or(executor.launched));
  return end_time(step.now(), began, end.ended_ago_ms);
}

StoredExecutor remove_executor(Step& step, ExecutorRef ref, ExecutorEnd end,
                               Room room) {
  auto& state = step.state;
  auto& app = state.applications.edit(ref.first);
  auto executor = app.executors.remove(ref.second);
  auto held = room == Room::free_when_it_ends && is_exclusive(app, executor);
  auto ended = executor.stored;
  ended.state = end.state;
  ended.exit_status = end.exit_status;
  ended.message = std::move(end.message);
  ended.use = end.use;
  ended.ended = end.at.value_or(step.now());
  ended.ending = held;
  auto& programs = state.workers.edit(executor.worker).programs;
  programs.executors.erase(ref);
  if (room != Room::stays_taken && !held)
    state.capacity.give_back(executor.worker, allotment_of(executor.stored));
  record_exit(step, app, ended);
  if (held) {
    programs.releases.insert({ended.app_id, ended.exec_id});
    state.releases.add(
        {std::move(ended), executor.worker,
         app.instances ? std::optional{ref.first} : std::nullopt});
  } else if (app.instances) {
    app.instances->has_no_attempt(executor.stored.index.value());
  }
  update_demand(step, ref.first);
  step.schedule_pass();
  return std::move(executor.stored);
}

void kill_executor(Step& step, ExecutorRef ref, const std::string& reason) {
  const auto& app = step.state.applications.at(ref.first);
  const auto* executor = app.executors.find(ref.second);
  step.send(step.state.workers.at(executor->worker).stored.endpoint,
            KillExecutor{step.config().master_url, app.stored.id, ref.second});
  remove_executor(step, ref, {ExecutorState::KILLED, std::nullopt, reason},
                  Room::free_when_it_ends);
}

void lose_executor(Step& step, ExecutorRef ref, const std::string& reason,
                   Room room) {
  const auto& app = step.state.applications.at(ref.first);
  step.send(app.stored.driver,
            ExecutorUpdated{ref.second, ExecutorState::LOST, reason,
                            std::nullopt,
                            app.executors.find(ref.second)->stored.host,
                            app.ended_executors.next()});
  remove_executor(step, ref, {ExecutorState::LOST, std::nullopt, reason}, room);
}

void forget_ended(Step& step, AppKey key) {
  auto& ended = step.state.applications.edit(key).ended_executors;
  for (const auto& x : ended.forget(step.config().retained_executors))
    erase_forgotten(step, x);
}

// -- what is held for executors that were told to end -------------------------

void release_held(Step& step, const ExecutorId& id) {
  auto release = step.state.releases.take(id);
  if (!release)
    return;
  step.state.workers.edit(release->worker).programs.releases.erase(id);
  step.state.capacity.give_back(release->worker, allotment_of(release->stored));
  record_release(step, id);
  step.schedule_pass();
  free_index(step, *release);
  note_end_with_last(step, id.app_id);
}

void drop_release(Step& step, const ExecutorId& id) {
  record_release(step, id);
  free_index(step, step.state.releases.take(id).value());
  note_end_with_last(step, id.app_id);
}

} // namespace stoker
