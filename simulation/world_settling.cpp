// What has to be once all faults have ended, and once everything has.

#include <algorithm>

#include "scheduling/master/snapshot.hpp"
#include "simulation/referee_elastic.hpp"
#include "simulation/referee_waiting.hpp"
#include "simulation/world.hpp"

namespace stoker::simulation {

MasterProcess* World::leader() const {
  auto i = std::find_if(masters_.begin(), masters_.end(), [&](const auto& x) {
    return x->leading() && directory_.leads(x->cluster().epoch());
  });
  return i == masters_.end() ? nullptr : i->get();
}

std::optional<std::string> World::unsettled() const {
  const auto* master = leader();
  if (master == nullptr)
    return "nobody leads";
  if (master->cluster().status() != RecoveryState::ALIVE)
    return master->name() + " is " + to_string(master->cluster().status());
  auto state = snapshot(master->cluster().state());
  if (auto problem = missing_peer(state))
    return problem;
  if (auto problem = false_entry(state))
    return problem;
  if (auto problem = unknown_program(state))
    return problem;
  for (const auto& x : applications_)
    if (auto problem = disagreement_of(*x, *master))
      return problem;
  check_that_nothing_waits(*master, changes_rules(scenario_));
  referee_.check_that_elastic_ones_are_answered(*master);
  return std::nullopt;
}

/// With its last task an elastic application's load is over. When executors may not be
/// idle any longer, it gives them back.
void World::check_that_elastic_ones_come_down() const {
  constexpr Duration slack = std::chrono::seconds{30};
  const auto* master = leader();
  if (master == nullptr)
    return;
  for (const auto& x : applications_) {
    const auto* elastic = x->elastic();
    if (elastic == nullptr || elastic->tasks().unfinished() > 0)
      continue;
    auto since = std::max(settled_, elastic->last_change());
    if (queue_.now() - since > elastic->settings().idle_timeout + slack)
      if (auto problem = unrest_of(*x, *master))
        fail("an elastic application does not come down: " + *problem);
  }
}

std::optional<std::string>
World::missing_peer(const MasterStateResponse& state) const {
  for (const auto& worker : workers_) {
    auto i = std::find_if(
        state.workers.begin(), state.workers.end(), [&](const auto& x) {
          return x.id == worker->config().id
                 && (x.state == WorkerState::ALIVE
                     || x.state == WorkerState::DECOMMISSIONED);
        });
    if (!worker->up() || i == state.workers.end())
      return worker->name() + " is not registered";
  }
  for (const auto& x : applications_) {
    auto i = std::find_if(
        state.active_apps.begin(), state.active_apps.end(),
        [&](const auto& y) { return x->app_id() && y.id == *x->app_id(); });
    auto known = i != state.active_apps.end();
    if (x->up() && x->dead().empty() && !known)
      return x->name() + " is not registered";
    if (!x->up() && known)
      return i->id.value + " is registered, but its driver is gone";
  }
  return std::nullopt;
}

/// An executor that should run, and does not.
std::optional<std::string>
World::false_entry(const MasterStateResponse& state) const {
  for (const auto& app : state.active_apps)
    for (const auto& executor : app.executors) {
      ExecutorId id{executor.app_id, executor.exec_id};
      auto runs = std::any_of(
          workers_.begin(), workers_.end(), [&](const auto& worker) {
            const auto& programs = worker->programs();
            return std::any_of(
                programs.begin(), programs.end(), [&](const auto& x) {
                  return x.second.id == ProgramId{id}
                         && x.second.worker == executor.worker_id;
                });
          });
      if (!executor.ended_ms && !runs)
        return to_string(id) + " is known to the master and does not run";
    }
  return std::nullopt;
}

/// A program that runs, and should not.
std::optional<std::string>
World::unknown_program(const MasterStateResponse& state) const {
  auto has_executor = [&](const Program& x) {
    for (const auto& app : state.active_apps)
      for (const auto& y : app.executors)
        if (!y.ended_ms && x.id == ProgramId{ExecutorId{y.app_id, y.exec_id}})
          return true;
    return false;
  };
  auto has_driver = [&](const Program& x) {
    return std::any_of(state.active_drivers.begin(), state.active_drivers.end(),
                       [&](const auto& y) {
                         return x.id == ProgramId{y.id}
                                && y.worker_id == x.worker;
                       });
  };
  for (const auto& worker : workers_)
    for (const auto& [number, x] : worker->programs())
      if (!x.orphan && !x.told_to_end
          && !(x.executor() != nullptr ? has_executor(x) : has_driver(x)))
        return to_string(x.id) + " runs on " + worker->name()
               + " and is unknown to the master";
  return std::nullopt;
}

std::optional<std::string> World::leftover() const {
  const auto* master = leader();
  if (master == nullptr)
    return "nobody leads";
  for (const auto& x : applications_)
    if (x->up())
      return x->name() + " has not ended";
  for (const auto& worker : workers_)
    if (!worker->programs().empty())
      return to_string(worker->programs().begin()->second.id) + " still runs";
  auto state = snapshot(master->cluster().state());
  if (!state.active_apps.empty())
    return state.active_apps.front().id.value + " is still registered";
  if (!state.active_drivers.empty())
    return state.active_drivers.front().id.value + " is still there";
  for (const auto& x : state.workers)
    if (x.state != WorkerState::DEAD
        && (x.cores_used != 0 || x.memory_used_mb != 0
            || std::any_of(x.resources_used.begin(), x.resources_used.end(),
                           [](const auto& y) { return !y.second.empty(); })))
      return x.id.value + " still gives something";
  if (master->followed() != directory_.load())
    return "followers see something else than what is stored";
  return missing_peer(state);
}

} // namespace stoker::simulation
