#include "scheduling/master/worker_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

namespace {

template <class Map, class Key>
std::optional<WorkerKey> find_in(const Map& map, const Key& key) {
  auto i = map.find(key);
  return i == map.end() ? std::nullopt : std::optional{i->second};
}

} // namespace

namespace {

/// Workers that are away may never come back: others take their places.
bool counts(WorkerState x) {
  return x == WorkerState::ALIVE || x == WorkerState::DECOMMISSIONED;
}

} // namespace

void WorkerTable::insert(WorkerKey key, StoredWorker&& worker) {
  worker.number = static_cast<std::uint32_t>(key);
  auto& stored = workers_[key].stored;
  stored = std::move(worker);
  by_id_[stored.id] = key;
  by_endpoint_[stored.endpoint] = key;
  if (stored.port != 0)
    by_address_[{stored.host, stored.port}] = key;
  by_host_[stored.host].insert(key);
  count(stored);
}

void WorkerTable::count(const StoredWorker& x) {
  if (counts(x.state))
    ++present_of_[x.identity];
}

void WorkerTable::discount(const StoredWorker& x) {
  if (!counts(x.state))
    return;
  auto i = present_of_.find(x.identity);
  if (--i->second == 0)
    present_of_.erase(i);
}

WorkerKey WorkerTable::add(StoredWorker worker) {
  assert(!find(worker.id));
  WorkerKey key{next_++};
  insert(key, std::move(worker));
  return key;
}

std::optional<WorkerKey> WorkerTable::restore(StoredWorker worker) {
  WorkerKey key{worker.number};
  if (workers_.contains(key) || by_id_.contains(worker.id))
    return std::nullopt;
  next_ = std::max(next_, worker.number + 1);
  insert(key, std::move(worker));
  return key;
}

void WorkerTable::remove(WorkerKey key) {
  auto i = workers_.find(key);
  const auto& stored = i->second.stored;
  assert(stored.state == WorkerState::DEAD);
  disconnect(key);
  by_id_.erase(stored.id);
  if (auto j = by_address_.find({stored.host, stored.port});
      j != by_address_.end() && j->second == key)
    by_address_.erase(j);
  auto on_host = by_host_.find(stored.host);
  on_host->second.erase(key);
  if (on_host->second.empty())
    by_host_.erase(on_host);
  workers_.erase(i);
}

WorkerState WorkerTable::set_state(WorkerKey key, WorkerState state) {
  auto& stored = workers_.at(key).stored;
  discount(stored);
  auto before = std::exchange(stored.state, state);
  count(stored);
  return before;
}

void WorkerTable::give_to(WorkerKey key, const std::string& identity) {
  auto& stored = workers_.at(key).stored;
  discount(stored);
  stored.identity = identity;
  count(stored);
}

// -- connections --------------------------------------------------------------

void WorkerTable::connect(WorkerKey key, const EndpointId& endpoint) {
  disconnect(key);
  by_endpoint_[endpoint] = key;
  workers_.at(key).stored.endpoint = endpoint;
}

void WorkerTable::disconnect(WorkerKey key) {
  workers_.at(key).asked.reset();
  // Another worker may have registered over the same connection since.
  auto i = by_endpoint_.find(workers_.at(key).stored.endpoint);
  if (i != by_endpoint_.end() && i->second == key)
    by_endpoint_.erase(i);
}

bool WorkerTable::is_connected(WorkerKey key) const {
  return by_endpoint_.contains(at(key).stored.endpoint);
}

std::optional<WorkerKey>
WorkerTable::find_by_endpoint(const EndpointId& endpoint) const {
  return find_in(by_endpoint_, endpoint);
}

// -- questions ----------------------------------------------------------------

StateQuestion WorkerTable::ask(WorkerKey key, LeaderEpoch epoch) {
  assert(is_connected(key));
  return workers_.at(key).asked.emplace(StateQuestion{epoch, ++questions_});
}

bool WorkerTable::take_answer(WorkerKey key,
                              const std::optional<StateQuestion>& question) {
  auto& asked = workers_.at(key).asked;
  if (!asked || (question && *question != *asked))
    return false;
  asked.reset();
  return true;
}

// -- look-up ------------------------------------------------------------------

std::optional<WorkerKey> WorkerTable::find(const WorkerId& id) const {
  return find_in(by_id_, id);
}

std::optional<WorkerKey> WorkerTable::find_present(const WorkerId& id) const {
  auto key = find(id);
  return key && at(*key).stored.state != WorkerState::DEAD ? key : std::nullopt;
}

std::optional<WorkerKey> WorkerTable::find_by_address(const std::string& host,
                                                      int port) const {
  return find_in(by_address_, std::pair{host, port});
}

const std::set<WorkerKey>& WorkerTable::on_host(const std::string& host) const {
  static const std::set<WorkerKey> nobody;
  auto i = by_host_.find(host);
  return i == by_host_.end() ? nobody : i->second;
}

std::size_t WorkerTable::present_of(const std::string& identity) const {
  auto i = present_of_.find(identity);
  return i == present_of_.end() ? 0 : i->second;
}

std::optional<std::string> WorkerTable::invariant_violation() const {
  std::size_t on_hosts = 0;
  std::unordered_map<std::string, std::size_t> present;
  for (const auto& [key, worker] : workers_) {
    const auto& stored = worker.stored;
    auto name = to_string(stored.id);
    if (counts(stored.state))
      ++present[stored.identity];
    if (static_cast<std::uint32_t>(key) != stored.number
        || stored.number >= next_)
      return name + " has a wrong number";
    if (worker.asked && !is_connected(key))
      return name + " was asked, and is not connected";
    if (find(stored.id) != key)
      return name + " is not found by its id";
    if (!on_host(stored.host).contains(key))
      return name + " is not found by its host";
    if (stored.port != 0 && !find_by_address(stored.host, stored.port))
      return name + " is not found by its address";
  }
  for (const auto& [host, keys] : by_host_)
    on_hosts += keys.size();
  if (by_id_.size() != workers_.size() || on_hosts != workers_.size())
    return "an index of workers names one that is not there";
  if (present != present_of_)
    return "workers of an identity are not counted as they are";
  for (const auto& [endpoint, key] : by_endpoint_)
    if (!workers_.contains(key) || at(key).stored.endpoint != endpoint)
      return endpoint.value + " leads to a worker that is not behind it";
  for (const auto& [address, key] : by_address_)
    if (!workers_.contains(key))
      return address.first + " is the address of a worker that is not there";
  return std::nullopt;
}

} // namespace stoker
