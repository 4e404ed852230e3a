#include "web/cluster_view.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "scheduling/master/snapshot.hpp"

namespace stoker {

namespace {

/// Those of a worker's that are in use, in its own order.
ResourceAddresses used_of(const ResourceAddresses& all, const WorkerUse& use) {
  ResourceAddresses result;
  for (const auto& [name, addresses] : all) {
    auto found = use.resources.find(name);
    if (found == use.resources.end())
      continue;
    auto& used = result[name];
    for (const auto& x : addresses)
      if (found->second.contains(x))
        used.push_back(x);
  }
  return result;
}

/// A worker that is stored, as the master last said that it is.
WorkerInfo info_of(const StoredWorker& x, const ClusterCopy& cluster) {
  const auto& observation = *cluster.observation();
  const auto& use = cluster.index().use_of(x.id);
  WorkerInfo result{x.id, x.host, x.port, x.state, x.cores};
  result.memory_mb = x.memory_mb;
  result.resources = x.resources;
  result.spark_versions = x.spark_versions;
  result.only_spark = x.only_spark;
  result.last_heartbeat_ms = to_ms(observation.at);
  if (auto found = observation.workers.find(x.id);
      found != observation.workers.end()) {
    result.state = found->second.state;
    result.last_heartbeat_ms = found->second.last_heartbeat_ms;
    result.cores_reserved = found->second.cores_reserved;
    result.memory_reserved_mb = found->second.memory_reserved_mb;
    result.problem = found->second.problem;
  }
  result.cores_used = use.cores;
  result.memory_used_mb = use.memory_mb;
  result.resources_used = used_of(x.resources, use);
  return result;
}

/// What is lost uses nothing.
WorkerInfo lost(WorkerInfo x) {
  x.cores_used = 0;
  x.memory_used_mb = 0;
  x.resources_used.clear();
  return x;
}

bool has_left(const ClusterCopy& cluster, const WorkerId& id) {
  auto gone = cluster.gone_workers().find(id);
  return gone != cluster.gone_workers().end() && gone->second.has_left;
}

/// Whether its master has begun to lead just now, and hears of those that are there.
bool is_recovering(const ClusterCopy& cluster) {
  const auto& x = cluster.observation();
  return x && x->status != RecoveryState::ALIVE;
}

/// Why a worker is given nothing that is not ALIVE; of one that is, the master says it.
void say_why_idle(WorkerInfo& x, const ClusterCopy& cluster) {
  switch (x.state) {
  case WorkerState::ALIVE:
    return;
  case WorkerState::DECOMMISSIONED:
    x.problem = "it leaves";
    return;
  case WorkerState::UNKNOWN:
    x.problem
        = "it has not said yet what it runs, since "
          + std::string{is_recovering(cluster) ? "this master has begun to lead"
                                               : "its connection broke"};
    return;
  case WorkerState::DEAD:
    break;
  }
  const auto& all = cluster.gone_workers();
  auto gone = all.find(x.id);
  if (gone == all.end())
    x.problem = "it is gone";
  else if (gone->second.has_left)
    x.problem = "it has left";
  else
    x.problem = "it is lost: " + gone->second.reason;
}

ApplicationInfo info_of(const StoredApplication& x,
                        const ClusterCopy& cluster) {
  auto result = info_of(x);
  result.cores_granted = cluster.index().cores_of(x.id);
  if (result.instances)
    result.instances_done
        = std::max(x.instances_done, cluster.index().instances_done_of(x.id));
  return result;
}

/// Calls `f` with the record of each of its executors.
template <class F>
void for_each_executor_of(const ClusterCopy& cluster, const AppId& id, F f) {
  const auto& executors = cluster.tables().executors();
  for (auto i = executors.lower_bound({id, std::numeric_limits<int>::min()});
       i != executors.end() && i->first.app_id == id; ++i)
    f(i->second);
}

/// The records that a part of a list of ids names.
template <class Iterator, class Table, class Make>
auto records_of(Iterator begin, std::size_t size, ListPart part,
                const Table& table, Make make) {
  std::vector<decltype(make(table.begin()->second))> result;
  if (part.first >= size)
    return result;
  auto i = std::next(begin, static_cast<std::ptrdiff_t>(part.first));
  for (auto n = std::min(part.count, size - part.first); n > 0; --n, ++i)
    result.push_back(make(table.at(i->second)));
  return result;
}

/// Those of a list of ids whose records somebody looks for.
template <class Ids, class Table, class Make>
auto found_records(const Ids& active, const Ids& ended, bool wants_ended,
                   const Table& table, const ListFilter& filter, ListPart part,
                   Make make) {
  ListOf<decltype(make(table.begin()->second))> result;
  if (filter.takes_all()) {
    const auto& all = wants_ended ? ended : active;
    result.in_all = all.size();
    result.part = wants_ended
                      ? records_of(all.rbegin(), all.size(), part, table, make)
                      : records_of(all.begin(), all.size(), part, table, make);
    return result;
  }
  auto look_at = [&](const auto& id) {
    const auto& x = table.at(id);
    const auto& description = x.description;
    if (!filter.user.empty() && description.user != filter.user)
      return;
    if (description.name.find(filter.name) == std::string::npos)
      return;
    auto place = result.in_all++;
    if (place >= part.first && result.part.size() < part.count)
      result.part.push_back(make(x));
  };
  if (wants_ended)
    for (auto i = ended.rbegin(); i != ended.rend(); ++i)
      look_at(i->second);
  else
    for (const auto& [number, id] : active)
      look_at(id);
  return result;
}

template <class State>
std::int64_t count_of(const std::map<State, int>& counts, State state) {
  auto found = counts.find(state);
  return found == counts.end() ? 0 : found->second;
}

template <class State>
std::int64_t sum_of(const std::map<State, int>& counts) {
  std::int64_t result = 0;
  for (const auto& [state, count] : counts)
    result += count;
  return result;
}

} // namespace

std::vector<WorkerInfo> workers_of(const ClusterCopy& cluster) {
  const auto& stored = cluster.tables().workers();
  std::vector<WorkerInfo> result;
  for (const auto& [number, id] : cluster.index().workers())
    result.push_back(info_of(stored.at(id), cluster));
  // Those that are lost are stored no more.
  for (const auto& [id, x] : cluster.observation()->workers)
    if (x.state == WorkerState::DEAD && !stored.contains(id))
      result.push_back(lost(x));
  return result;
}

std::optional<WorkerInfo> worker_of(const ClusterCopy& cluster,
                                    const WorkerId& id) {
  const auto& stored = cluster.tables().workers();
  if (auto found = stored.find(id); found != stored.end())
    return info_of(found->second, cluster);
  const auto& known = cluster.observation()->workers;
  if (auto found = known.find(id);
      found != known.end() && found->second.state == WorkerState::DEAD)
    return lost(found->second);
  return std::nullopt;
}

std::vector<WorkerInfo> shown_workers(const ClusterCopy& cluster) {
  auto result = workers_of(cluster);
  for (auto& x : result)
    say_why_idle(x, cluster);
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return result;
}

std::optional<WorkerInfo> shown_worker(const ClusterCopy& cluster,
                                       const WorkerId& id) {
  auto result = worker_of(cluster, id);
  if (result)
    say_why_idle(*result, cluster);
  return result;
}

std::vector<ApplicationInfo> active_applications(const ClusterCopy& cluster,
                                                 ListPart part) {
  const auto& ids = cluster.index().active_applications();
  return records_of(
      ids.begin(), ids.size(), part, cluster.tables().applications(),
      [&](const StoredApplication& x) { return info_of(x, cluster); });
}

std::vector<ApplicationInfo> ended_applications(const ClusterCopy& cluster,
                                                ListPart part) {
  const auto& ids = cluster.index().ended_applications();
  return records_of(
      ids.rbegin(), ids.size(), part, cluster.tables().applications(),
      [&](const StoredApplication& x) { return info_of(x, cluster); });
}

ListOf<ApplicationInfo> found_applications(const ClusterCopy& cluster,
                                           bool ended, const ListFilter& filter,
                                           ListPart part) {
  const auto& index = cluster.index();
  return found_records(
      index.active_applications(), index.ended_applications(), ended,
      cluster.tables().applications(), filter, part,
      [&](const StoredApplication& x) { return info_of(x, cluster); });
}

ListOf<DriverInfo> found_drivers(const ClusterCopy& cluster, bool ended,
                                 const ListFilter& filter, ListPart part) {
  const auto& index = cluster.index();
  return found_records(index.active_drivers(), index.ended_drivers(), ended,
                       cluster.tables().drivers(), filter, part,
                       [](const StoredDriver& x) { return info_of(x); });
}

std::optional<ApplicationInfo> application_of(const ClusterCopy& cluster,
                                              const AppId& id) {
  const auto& tables = cluster.tables();
  auto found = tables.applications().find(id);
  if (found == tables.applications().end())
    return std::nullopt;
  auto result = info_of(found->second, cluster);
  for_each_executor_of(cluster, id, [&](const StoredExecutor& x) {
    result.executors.push_back(info_of(x));
  });
  // Present ones first.
  std::stable_partition(
      result.executors.begin(), result.executors.end(),
      [](const ExecutorInfo& x) { return !x.ended_ms.has_value(); });
  return result;
}

std::optional<std::int64_t> first_end_kept(const ClusterCopy& cluster,
                                           const AppId& id) {
  const StoredExecutor* first = nullptr;
  for_each_executor_of(cluster, id, [&](const StoredExecutor& x) {
    auto may_come_back = x.index && x.state == ExecutorState::LOST;
    if (x.ended && !x.ending && !may_come_back
        && (first == nullptr || x.end_number < first->end_number))
      first = &x;
  });
  return first == nullptr ? std::nullopt : std::optional{to_ms(*first->ended)};
}

std::optional<ExecutorInfo> executor_of(const ClusterCopy& cluster,
                                        const ExecutorId& id) {
  const auto& executors = cluster.tables().executors();
  auto found = executors.find(id);
  if (found == executors.end())
    return std::nullopt;
  return info_of(found->second);
}

std::vector<ExecutorInfo> executors_on(const ClusterCopy& cluster,
                                       const WorkerId& id) {
  std::vector<ExecutorInfo> result;
  for (const auto& x : cluster.index().executors_on(id))
    result.push_back(info_of(cluster.tables().executors().at(x)));
  return result;
}

std::vector<DriverInfo> drivers_on(const ClusterCopy& cluster,
                                   const WorkerId& id) {
  std::vector<DriverInfo> result;
  for (const auto& x : cluster.index().drivers_on(id))
    result.push_back(info_of(cluster.tables().drivers().at(x)));
  return result;
}

std::vector<DriverInfo> active_drivers(const ClusterCopy& cluster,
                                       ListPart part) {
  const auto& ids = cluster.index().active_drivers();
  return records_of(ids.begin(), ids.size(), part, cluster.tables().drivers(),
                    [](const StoredDriver& x) { return info_of(x); });
}

std::vector<DriverInfo> ended_drivers(const ClusterCopy& cluster,
                                      ListPart part) {
  const auto& ids = cluster.index().ended_drivers();
  return records_of(ids.rbegin(), ids.size(), part, cluster.tables().drivers(),
                    [](const StoredDriver& x) { return info_of(x); });
}

std::optional<DriverInfo> driver_of(const ClusterCopy& cluster,
                                    const DriverId& id) {
  const auto& drivers = cluster.tables().drivers();
  auto found = drivers.find(id);
  if (found == drivers.end())
    return std::nullopt;
  return info_of(found->second);
}

pages::ClusterFigures figures_of(const ClusterCopy& cluster,
                                 const std::vector<WorkerInfo>& workers) {
  pages::ClusterFigures result;
  for (const auto& x : workers) {
    if (x.state == WorkerState::DEAD)
      ++(has_left(cluster, x.id) ? result.workers_left : result.workers_lost);
    result.workers_unknown += x.state == WorkerState::UNKNOWN ? 1 : 0;
    result.workers_leaving += x.state == WorkerState::DECOMMISSIONED ? 1 : 0;
    if (x.state != WorkerState::ALIVE)
      continue;
    ++result.workers_alive;
    result.cores += x.cores;
    result.cores_used += x.cores_used;
    result.memory_mb += x.memory_mb;
    result.memory_used_mb += x.memory_used_mb;
  }
  const auto& index = cluster.index();
  result.applications_running
      = count_of(index.applications_in(), ApplicationState::RUNNING);
  result.applications_waiting
      = count_of(index.applications_in(), ApplicationState::WAITING);
  result.executors = sum_of(index.executors_in());
  const auto& drivers = index.drivers_in();
  result.drivers_running = count_of(drivers, DriverState::RUNNING);
  result.drivers_waiting = count_of(drivers, DriverState::SUBMITTED);
  result.drivers_unknown = count_of(drivers, DriverState::UNKNOWN);
  return result;
}

} // namespace stoker
