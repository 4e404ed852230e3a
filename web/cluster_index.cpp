#include "web/cluster_index.hpp"

#include <limits>
#include <type_traits>
#include <variant>

namespace stoker {

namespace {

/// Adds to a count; one that is 0 is not kept.
template <class Map, class Key>
void add(Map& counts, const Key& key, int n) {
  auto& count = counts[key];
  count += n;
  if (count == 0)
    counts.erase(key);
}

template <class Id>
void list(std::map<std::uint32_t, Id>& in, std::uint32_t number, const Id& id,
          int sign) {
  if (sign > 0)
    in.emplace(number, id);
  else
    in.erase(number);
}

/// Notes what is on a worker.
template <class Id>
void list_on(std::unordered_map<WorkerId, std::set<Id>>& all,
             const WorkerId& worker, const Id& id, int sign) {
  if (auto& on_worker = all[worker]; sign > 0)
    on_worker.insert(id);
  else if (on_worker.erase(id); on_worker.empty())
    all.erase(worker);
}

template <class Map, class Key>
const auto& found_or_nothing(const Map& map, const Key& key) {
  static const typename Map::mapped_type nothing{};
  auto found = map.find(key);
  return found == map.end() ? nothing : found->second;
}

} // namespace

/// Takes off what a change replaces or erases, and adds what it puts there.
struct ClusterIndex::Applier {
  void operator()(const StoredWorker& x) const {
    replace(tables.workers(), x.id, x);
  }
  void operator()(const StoredApplication& x) const {
    replace(tables.applications(), x.id, x);
  }
  void operator()(const StoredInstance& x) const {
    replace(tables.instances(), {x.app_id, x.index}, x);
  }
  void operator()(const StoredExecutor& x) const {
    replace(tables.executors(), {x.app_id, x.exec_id}, x);
  }
  void operator()(const StoredDriver& x) const {
    replace(tables.drivers(), x.id, x);
  }
  void operator()(const EraseWorker& x) const {
    erase(tables.workers(), x.id);
  }
  void operator()(const EraseApplication& x) const {
    erase(tables.applications(), x.id);
  }
  void operator()(const EraseInstancesOf& x) const {
    const auto& all = tables.instances();
    for (auto i = all.lower_bound({x.app_id, std::numeric_limits<int>::min()});
         i != all.end() && i->first.first == x.app_id; ++i)
      index.count(i->second, -1);
  }
  void operator()(const EraseExecutor& x) const {
    erase(tables.executors(), x.id);
  }
  void operator()(const EraseExecutorsOf& x) const {
    const auto& all = tables.executors();
    for (auto i = all.lower_bound({x.app_id, std::numeric_limits<int>::min()});
         i != all.end() && i->first.app_id == x.app_id; ++i)
      index.count(i->second, -1);
  }
  void operator()(const EraseDriver& x) const {
    erase(tables.drivers(), x.id);
  }
  template <class Other>
  void operator()(const Other&) const {
  }

  template <class Key, class Record>
  void replace(const std::map<Key, Record>& table,
               const std::type_identity_t<Key>& key, const Record& x) const {
    erase(table, key);
    index.count(x, 1);
  }

  template <class Key, class Record>
  void erase(const std::map<Key, Record>& table,
             const std::type_identity_t<Key>& key) const {
    if (auto found = table.find(key); found != table.end())
      index.count(found->second, -1);
  }

  ClusterIndex& index;

  /// As they are before the change.
  const StoredTables& tables;
};

ClusterIndex::ClusterIndex(const StoredTables& tables) {
  auto count_all = [this](const auto& table) {
    for (const auto& [key, x] : table)
      count(x, 1);
  };
  count_all(tables.workers());
  count_all(tables.applications());
  count_all(tables.instances());
  count_all(tables.executors());
  count_all(tables.drivers());
}

void ClusterIndex::apply(StoredTables& tables, const Change& change) {
  std::visit(Applier{*this, tables}, change);
  tables.apply(change);
}

const WorkerUse& ClusterIndex::use_of(const WorkerId& x) const {
  return found_or_nothing(use_, x);
}

int ClusterIndex::cores_of(const AppId& x) const {
  return found_or_nothing(application_cores_, x);
}

int ClusterIndex::instances_done_of(const AppId& x) const {
  return found_or_nothing(instances_done_, x);
}

const std::set<ExecutorId>&
ClusterIndex::executors_on(const WorkerId& x) const {
  return found_or_nothing(executors_on_, x);
}

const std::set<DriverId>& ClusterIndex::drivers_on(const WorkerId& x) const {
  return found_or_nothing(drivers_on_, x);
}

void ClusterIndex::count(const StoredWorker& x, int sign) {
  list(workers_, x.number, x.id, sign);
}

void ClusterIndex::count(const StoredApplication& x, int sign) {
  list(has_ended(x) ? ended_applications_ : active_applications_, x.number,
       x.id, sign);
  if (!has_ended(x))
    add(applications_in_, x.state, sign);
}

void ClusterIndex::count(const StoredInstance& x, int sign) {
  if (x.done)
    add(instances_done_, x.app_id, sign);
}

void ClusterIndex::count(const StoredExecutor& x, int sign) {
  if (!x.ended)
    add(executors_in_, x.state, sign);
  if (!x.ending && is_finished(x.state))
    return;
  hold(x.worker_id, x.cores, x.memory_mb, x.resources, sign);
  list_on(executors_on_, x.worker_id, ExecutorId{x.app_id, x.exec_id}, sign);
  if (!x.ending)
    add(application_cores_, x.app_id, sign * x.cores);
}

void ClusterIndex::count(const StoredDriver& x, int sign) {
  auto ended = has_ended(x);
  list(ended ? ended_drivers_ : active_drivers_, x.number, x.id, sign);
  if (ended)
    return;
  add(drivers_in_, x.state, sign);
  const auto& wanted = x.description;
  if (x.worker_id) {
    hold(*x.worker_id, wanted.cores, wanted.memory_mb, x.resources, sign);
    list_on(drivers_on_, *x.worker_id, x.id, sign);
  }
  if (!wanted.executors)
    return;
  for (const auto& kept : x.reservations)
    hold(kept.worker_id, wanted.executors->cores, wanted.executors->memory_mb,
         kept.resources, sign);
}

void ClusterIndex::hold(const WorkerId& worker, int cores,
                        std::int64_t memory_mb,
                        const ResourceAddresses& resources, int sign) {
  auto& use = use_[worker];
  use.cores += sign * cores;
  use.memory_mb += sign * memory_mb;
  for (const auto& [name, addresses] : resources) {
    auto& used = use.resources[name];
    for (const auto& address : addresses)
      if (sign > 0)
        used.insert(address);
      else if (auto found = used.find(address); found != used.end())
        used.erase(found);
    if (used.empty())
      use.resources.erase(name);
  }
  if (use == WorkerUse{})
    use_.erase(worker);
}

bool has_ended(const StoredApplication& x) {
  return x.ended || is_finished(x.state);
}

bool has_ended(const StoredDriver& x) {
  return is_finished(x.state) || x.relaunched_as;
}

} // namespace stoker
