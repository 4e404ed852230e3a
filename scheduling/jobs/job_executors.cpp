#include "scheduling/jobs/job_executors.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

namespace {

/// Puts another value in the place of one. Without allocating: this happens twice for
/// each task.
template <class Set>
void replace(Set& set, const typename Set::value_type& old,
             const typename Set::value_type& by) {
  auto node = set.extract(old);
  node.value() = by;
  set.insert(std::move(node));
}

} // namespace

template <class F>
void JobExecutors::change(int exec_id, F&& f) {
  auto& x = executors_.at(exec_id);
  auto was_free = x.free_cores();
  auto was_waiting = x.waiting;
  auto was_available = x.is_available();
  f(x);
  if (was_available != x.is_available()) {
    if (was_available)
      take_from_indexes(x, was_free, was_waiting);
    else
      add_to_indexes(x);
    return;
  }
  if (!was_available
      || (was_free == x.free_cores() && was_waiting == x.waiting))
    return;
  free_cores_ += x.free_cores() - was_free;
  if (was_free != x.free_cores())
    replace(by_free_cores_, {was_free, exec_id}, {x.free_cores(), exec_id});
  if (was_waiting != x.waiting)
    replace(by_waiting_, {was_waiting, exec_id}, {x.waiting, exec_id});
  if (x.free_cores() > was_free || x.waiting < was_waiting)
    changed_.insert(exec_id);
}

void JobExecutors::add_to_indexes(const JobExecutor& x) {
  free_cores_ += x.free_cores();
  by_free_cores_.insert({x.free_cores(), x.exec_id});
  by_waiting_.insert({x.waiting, x.exec_id});
  ++available_on_host_[x.host];
  changed_.insert(x.exec_id);
}

void JobExecutors::take_from_indexes(const JobExecutor& x, int free_cores,
                                     int waiting) {
  free_cores_ -= free_cores;
  by_free_cores_.erase({free_cores, x.exec_id});
  by_waiting_.erase({waiting, x.exec_id});
  if (--available_on_host_[x.host] == 0)
    available_on_host_.erase(x.host);
  changed_.erase(x.exec_id);
}

void JobExecutors::begin_waiting(JobExecutor& x, Instant now) {
  auto next = x.assigned.end() - x.waiting;
  while (x.waiting > 0 && x.used_cores + next->cores <= x.cores) {
    forget_sent_ahead(*next);
    next->since = now;
    x.used_cores += next->cores;
    --x.waiting;
    ++next;
  }
}

void JobExecutors::forget_sent_ahead(const AssignedTask& x) {
  if (x.since || x.withdrawn)
    return;
  auto found = sent_ahead_.find(x.id.stage);
  if (--found->second == 0)
    sent_ahead_.erase(found);
}

const JobExecutor* JobExecutors::find(int exec_id) const {
  auto found = executors_.find(exec_id);
  return found == executors_.end() ? nullptr : &found->second;
}

int JobExecutors::available_on(const std::string& host) const {
  auto found = available_on_host_.find(host);
  return found == available_on_host_.end() ? 0 : found->second;
}

void JobExecutors::add(const RegisterExecutor& x, int server) {
  JobExecutor result;
  result.exec_id = x.exec_id;
  result.worker_id = x.worker_id;
  result.host = x.host;
  result.cores = x.cores;
  result.server = server;
  auto [place, is_new] = executors_.emplace(x.exec_id, std::move(result));
  assert(is_new);
  add_to_indexes(place->second);
  cores_.insert(x.cores);
}

void JobExecutors::disconnect(int exec_id, Instant now) {
  change(exec_id, [&](JobExecutor& x) {
    if (!x.disconnected)
      x.disconnected = now;
  });
}

void JobExecutors::leave(int exec_id, Instant now, const std::string& why) {
  change(exec_id, [&](JobExecutor& x) {
    assert(!x.leaves_since);
    x.leaves_since = now;
    x.leaves_because = why;
  });
}

void JobExecutors::keep(int exec_id) {
  change(exec_id, [](JobExecutor& x) {
    assert(!x.is_drained);
    x.leaves_since.reset();
    x.leaves_because.clear();
  });
}

void JobExecutors::set_drained(int exec_id) {
  executors_.at(exec_id).is_drained = true;
}

std::deque<AssignedTask> JobExecutors::remove(int exec_id) {
  disconnect(exec_id, {});
  auto found = executors_.extract(exec_id);
  cores_.erase(cores_.find(found.mapped().cores));
  for (const auto& x : found.mapped().assigned)
    forget_sent_ahead(x);
  return std::move(found.mapped().assigned);
}

void JobExecutors::assign(int exec_id, TaskAttempt id, int cores, Instant now) {
  change(exec_id, [&](JobExecutor& x) {
    assert(x.is_available() && cores <= x.cores);
    AssignedTask task{id, cores, {}, false};
    if (x.waiting == 0 && x.used_cores + cores <= x.cores) {
      // As most do.
      task.since = now;
      x.used_cores += cores;
    } else {
      ++x.waiting;
      ++sent_ahead_[id.stage];
    }
    x.assigned.push_back(task);
  });
}

std::optional<AssignedTask> JobExecutors::end(int exec_id, TaskAttempt id,
                                              Instant now) {
  std::optional<AssignedTask> result;
  if (!executors_.contains(exec_id))
    return result;
  change(exec_id, [&](JobExecutor& x) {
    auto found = std::find_if(x.assigned.begin(), x.assigned.end(),
                              [&](const auto& y) { return y.id == id; });
    if (found == x.assigned.end())
      return;
    result = *found;
    forget_sent_ahead(*found);
    if (found->since)
      x.used_cores -= found->cores;
    else
      --x.waiting;
    x.assigned.erase(found);
    begin_waiting(x, now);
  });
  return result;
}

void JobExecutors::withdraw(int exec_id, TaskAttempt id) {
  for (auto& x : executors_.at(exec_id).assigned)
    if (x.id == id) {
      forget_sent_ahead(x);
      x.withdrawn = true;
    }
}

void JobExecutors::set_returns_tasks(int exec_id, bool value) {
  executors_.at(exec_id).returns_tasks = value;
}

bool JobExecutors::describe(int exec_id, StageId stage) {
  return executors_.at(exec_id).described.insert(stage).second;
}

bool JobExecutors::tell(int exec_id, StageId stage, int version) {
  auto [known, is_new]
      = executors_.at(exec_id).told.try_emplace(stage, version);
  return is_new || std::exchange(known->second, version) != version;
}

void JobExecutors::forget(StageId stage) {
  for (auto& [exec_id, x] : executors_) {
    x.described.erase(stage);
    x.told.erase(stage);
  }
}

} // namespace stoker
