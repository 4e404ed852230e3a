#include "scheduling/master/application_executors.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

void ApplicationExecutors::set_next_id(int next) {
  assert(next >= next_id_);
  next_id_ = next;
}

void ApplicationExecutors::add(Executor executor) {
  auto exec_id = executor.stored.exec_id;
  next_id_ = std::max(next_id_, exec_id + 1);
  cores_ += executor.stored.cores;
  workers_.insert(executor.worker);
  if (preferred_hosts_.contains(executor.stored.host))
    ++on_preferred_hosts_[executor.stored.host];
  [[maybe_unused]] auto size = present_.size();
  present_.emplace_hint(present_.end(), exec_id, std::move(executor));
  assert(present_.size() == size + 1);
}

Executor ApplicationExecutors::remove(int exec_id) {
  auto node = present_.extract(exec_id);
  assert(!node.empty());
  auto& executor = node.mapped();
  cores_ -= executor.stored.cores;
  assert(cores_ >= 0);
  if (auto i = on_preferred_hosts_.find(executor.stored.host);
      i != on_preferred_hosts_.end())
    --i->second;
  return std::move(executor);
}

void ApplicationExecutors::set_running(int exec_id, Instant now) {
  auto& stored = present_.at(exec_id).stored;
  stored.state = ExecutorState::RUNNING;
  stored.running_since = now;
}

void ApplicationExecutors::prefer(std::map<std::string, int> hosts) {
  preferred_hosts_ = std::move(hosts);
  on_preferred_hosts_ = count_preferred();
}

// -- queries ------------------------------------------------------------------

const Executor* ApplicationExecutors::find(int exec_id) const {
  auto i = present_.find(exec_id);
  return i == present_.end() ? nullptr : &i->second;
}

const Executor* ApplicationExecutors::find_instance(int index) const {
  auto i = std::find_if(present_.begin(), present_.end(), [&](const auto& x) {
    return x.second.stored.index == index;
  });
  return i == present_.end() ? nullptr : &i->second;
}

int ApplicationExecutors::on_preferred_host(const std::string& host) const {
  auto i = on_preferred_hosts_.find(host);
  return i == on_preferred_hosts_.end() ? 0 : i->second;
}

std::map<std::string, int> ApplicationExecutors::count_preferred() const {
  std::map<std::string, int> result;
  if (preferred_hosts_.empty())
    return result;
  for (const auto& [id, executor] : present_)
    if (preferred_hosts_.contains(executor.stored.host))
      ++result[executor.stored.host];
  return result;
}

std::optional<std::string> ApplicationExecutors::invariant_violation() const {
  int cores = 0;
  for (const auto& [id, executor] : present_) {
    if (id != executor.stored.exec_id || id >= next_id_)
      return "an executor has a wrong number";
    if (!workers_.contains(executor.worker))
      return "an executor is on a worker that was given none";
    cores += executor.stored.cores;
  }
  if (cores != cores_)
    return "the sum of its executors' cores is wrong";
  for (const auto& [host, count] : count_preferred())
    if (on_preferred_host(host) != count)
      return "the number of its executors on " + host + " is wrong";
  return std::nullopt;
}

} // namespace stoker
