// Executors: their launch, their states, and what their end means.

#include <cassert>
#include <utility>

#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

/// 128 + SIGKILL and 128 + SIGTERM: somebody else ended the command, such as an
/// operator or the kernel when memory ran out.
bool killed_from_outside(const ExecutorStateChanged& x) {
  return x.state == ExecutorState::EXITED
         && (x.exit_status == 137 || x.exit_status == 143);
}

/// The worker could not find the command, or not execute it. Another worker
/// would not either.
bool command_is_wrong(const ExecutorStateChanged& x) {
  return x.state == ExecutorState::FAILED && x.exit_status;
}

bool ended_well(ExecutorState state, const std::optional<int>& exit_status) {
  return state == ExecutorState::EXITED && exit_status == 0;
}

bool ended_well(const ExecutorStateChanged& x) {
  return ended_well(x.state, x.exit_status);
}

/// The command ran to an end that it chose, and not a good one.
bool failed_by_itself(const ExecutorStateChanged& x) {
  return x.state == ExecutorState::EXITED && !ended_well(x)
         && !killed_from_outside(x);
}

std::string reason_of(const ExecutorStateChanged& x) {
  return x.message.value_or("ended as " + to_string(x.state));
}

} // namespace

void Cluster::on(const ExecutorStateChanged& x) {
  // Answered in any case: a worker repeats what is not answered.
  reply(true);
  if (is_finished(x.state))
    release_held({x.app_id, x.exec_id});
  auto key = find_application(x.app_id);
  if (!key)
    return;
  auto& app = apps_.at(*key);
  auto i = app.executors.find(x.exec_id);
  if (i == app.executors.end())
    return;
  send(app.driver, ExecutorUpdated{x.exec_id, x.state, x.message, x.exit_status,
                                   std::nullopt});
  if (!is_finished(x.state)) {
    // A report that was overtaken changes nothing.
    if (x.state == ExecutorState::RUNNING && !i->second.running_since) {
      i->second.state = x.state;
      i->second.running_since = now_;
      touch(*key, x.exec_id);
    }
    return;
  }
  auto ended = i->second;
  remove_executor(*key, x.exec_id, x.state, x.exit_status, x.message);
  handle_executor_exit(*key, ended, x);
}

void Cluster::launch_executors(AppKey key, WorkerKey worker_key, int cores,
                               int count) {
  auto& app = apps_.at(key);
  const auto& worker = workers_.at(worker_key);
  auto memory_mb = app.memory_per_executor_mb;
  const auto& named = app.description.resources_per_executor;
  auto first = app.next_exec_id;
  std::vector<ResourceAddresses> resources(static_cast<std::size_t>(count));
  change(worker_key, [&](Worker& x) {
    x.cores_used += cores;
    x.memory_used_mb += memory_mb * count;
    for (int i = 0; i < count; ++i)
      x.executors.insert({key, first + i});
    if (!named.empty())
      for (auto& one : resources)
        one = x.resources.take(named);
    assert(x.cores_free() >= 0 && x.memory_free_mb() >= 0);
  });
  touch(key);
  app.cores_granted += cores;
  app.workers.insert(worker_key);
  app.state = ApplicationState::RUNNING;
  if (!app.started) {
    app.started = now_;
    if (app.description.time_limit_ms)
      check_at(now_ + Duration{*app.description.time_limit_ms},
               Due::application, static_cast<std::uint32_t>(key));
  }
  if (app.preferred_hosts.contains(worker.host))
    app.on_preferred_hosts[worker.host] += count;
  auto host_port = worker.host + ':' + std::to_string(worker.port);
  for (int i = 0; i < count; ++i) {
    Executor executor;
    executor.exec_id = app.next_exec_id++;
    executor.worker = worker_key;
    executor.cores = cores / count;
    executor.memory_mb = memory_mb;
    executor.launched = now_;
    executor.resources = std::move(resources[static_cast<std::size_t>(i)]);
    if (app.instances) {
      assert(!app.instances->waiting.empty());
      executor.index = *app.instances->waiting.begin();
      app.instances->waiting.erase(app.instances->waiting.begin());
    }
    out_.messages.push_back(StartExecutor{worker.endpoint, app.id, executor.exec_id,
                                 executor.cores, memory_mb, executor.index,
                                 executor.resources});
    send(app.driver, ExecutorAdded{executor.exec_id, worker.id, host_port,
                                   executor.cores, memory_mb, executor.index});
    touch(key, executor.exec_id);
    app.executors.emplace_hint(app.executors.end(), executor.exec_id,
                               std::move(executor));
  }
}

void Cluster::remove_executor(AppKey key, int exec_id,
                              ExecutorState final_state,
                              std::optional<int> exit_status,
                              std::optional<std::string> message, Room room) {
  auto& app = apps_.at(key);
  auto node = app.executors.extract(exec_id);
  assert(!node.empty());
  const auto& executor = node.mapped();
  app.cores_granted -= executor.cores;
  assert(app.cores_granted >= 0);
  auto i = workers_.find(executor.worker);
  if (i != workers_.end() && app.on_preferred_hosts.contains(i->second.host))
    --app.on_preferred_hosts.at(i->second.host);
  auto was_there
      = i != workers_.end() && i->second.executors.erase({key, exec_id}) > 0;
  auto awaited = was_there && room == Room::free_when_it_ends
                 && ends_before_its_room_is_free(app, executor);
  record_exit(app, executor, final_state, exit_status, std::move(message),
              awaited);
  if (awaited)
    hold_until_exit(key, executor);
  else if (was_there)
    change(executor.worker, [&](Worker& x) {
      x.cores_used -= executor.cores;
      x.memory_used_mb -= executor.memory_mb;
      x.resources.give_back(executor.resources);
      assert(x.cores_used >= 0 && x.memory_used_mb >= 0);
    });
  if (app.instances && !awaited)
    app.instances->waiting.insert(*executor.index);
  update_demand(key);
  resources_changed_ = true;
}

void Cluster::record_exit(Application& app, const Executor& executor,
                          ExecutorState final_state,
                          std::optional<int> exit_status,
                          std::optional<std::string> message, bool awaited) {
  auto ended = info(app, executor);
  ended.state = final_state;
  ended.exit_status = exit_status;
  ended.message = std::move(message);
  ended.ended_ms = to_ms(now_);
  auto last = stored(ended);
  last.ending = awaited;
  record(std::move(last));
  app.ended_executors.push_back(std::move(ended));
  if (app.ended_executors.size()
      <= static_cast<std::size_t>(config_.retained_executors))
    return;
  const auto& front = app.ended_executors.front();
  // The last word on an instance: an application that comes back has to hear it,
  // or it would wait for that instance for ever.
  if (front.index && ended_well(front.state, front.exit_status))
    return;
  ExecutorId oldest{app.id, front.exec_id};
  app.ended_executors.pop_front();
  // What still has to end is erased when it has.
  if (!pending_releases_.contains(oldest)
      && (!awaited || oldest.exec_id != executor.exec_id))
    record(EraseExecutor{oldest});
}

void Cluster::kill_executor(AppKey key, int exec_id,
                            const std::string& reason) {
  const auto& app = apps_.at(key);
  const auto& executor = app.executors.at(exec_id);
  if (auto i = workers_.find(executor.worker); i != workers_.end())
    send(i->second.endpoint, KillExecutor{config_.master_url, app.id, exec_id});
  remove_executor(key, exec_id, ExecutorState::KILLED, std::nullopt, reason,
                  Room::free_when_it_ends);
}

void Cluster::lose_executor(ExecutorRef ref, const std::string& reason) {
  auto [key, exec_id] = ref;
  const auto& app = apps_.at(key);
  const auto& worker = workers_.at(app.executors.at(exec_id).worker);
  send(app.driver, ExecutorUpdated{exec_id, ExecutorState::LOST, reason,
                                   std::nullopt, worker.host});
  remove_executor(key, exec_id, ExecutorState::LOST, std::nullopt, reason);
}

void Cluster::resend_executors(const Application& app) {
  auto tell = [&](const ExecutorInfo& x) {
    auto worker = find_worker(x.worker_id);
    auto port = worker ? workers_.at(*worker).port : 0;
    send(app.driver, ExecutorAdded{x.exec_id, x.worker_id,
                                   x.host + ':' + std::to_string(port), x.cores,
                                   x.memory_mb, x.index});
    if (x.state != ExecutorState::LAUNCHING)
      send(app.driver, ExecutorUpdated{x.exec_id, x.state, x.message,
                                       x.exit_status, std::nullopt});
  };
  for (const auto& x : app.ended_executors)
    tell(x);
  for (const auto& [exec_id, executor] : app.executors)
    tell(info(app, executor));
}

void Cluster::handle_executor_exit(AppKey key, const Executor& executor,
                                   const ExecutorStateChanged& x) {
  auto& app = apps_.at(key);
  auto stable = executor.running_since
                && now_ - *executor.running_since >= config_.stable_after;
  touch(key);
  if (ended_well(x) || stable)
    app.failures_in_a_row = 0;
  // An instance's own failures have a limit of their own, and what its worker
  // ended because it stops has not failed.
  auto excused = x.state == ExecutorState::KILLED
                 || (app.instances && failed_by_itself(x));
  if (!ended_well(x) && !excused)
    ++app.failures_in_a_row;
  if (app.instances)
    return handle_instance_exit(key, executor, x);
  if (ended_well(x) || config_.max_executor_retries < 0
      || app.failures_in_a_row < config_.max_executor_retries)
    return;
  for (const auto& [exec_id, other] : app.executors)
    if (other.state == ExecutorState::RUNNING)
      return;
  remove_application(key, ApplicationState::FAILED,
                     std::to_string(app.failures_in_a_row)
                         + " executors in a row failed, the last: "
                         + reason_of(x));
}

void Cluster::handle_instance_exit(AppKey key, const Executor& executor,
                                   const ExecutorStateChanged& x) {
  auto& app = apps_.at(key);
  auto index = executor.index.value();
  auto where = [&] {
    const auto& worker = workers_.at(executor.worker);
    return "instance " + std::to_string(index) + " on " + worker.host + ": "
           + reason_of(x);
  };
  if (ended_well(x)) {
    app.instances->waiting.erase(index);
    app.instances->done.insert(index);
    return update_demand(key);
  }
  if (command_is_wrong(x))
    return remove_application(key, ApplicationState::FAILED, where());
  if (!failed_by_itself(x)) {
    if (config_.max_executor_retries >= 0
        && app.failures_in_a_row >= config_.max_executor_retries)
      remove_application(key, ApplicationState::FAILED,
                         std::to_string(app.failures_in_a_row)
                             + " instances in a row were lost, the last: "
                             + where());
    return;
  }
  auto& failures = app.instances->failures[static_cast<std::size_t>(index)];
  if (++failures > app.description.instances->max_failures)
    remove_application(key, ApplicationState::FAILED, where());
}

} // namespace stoker
