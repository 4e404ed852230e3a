// What waits although there is room: looked for in two ways that know nothing of
// each other.

#include "simulation/referee_waiting.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "scheduling/tenants/company_of_user.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

std::size_t addresses_of(const ResourceAddresses& all,
                         const std::string& name) {
  auto i = all.find(name);
  return i == all.end() ? 0 : i->second.size();
}

bool has_room(const WorkerInfo& worker, const DriverDescription& x) {
  return worker.state == WorkerState::ALIVE && !worker.problem
         && worker.cores - worker.cores_used >= x.cores
         && worker.memory_mb - worker.memory_used_mb >= x.memory_mb
         && std::all_of(
             x.resources.begin(), x.resources.end(), [&](const auto& wanted) {
               auto free = addresses_of(worker.resources, wanted.first)
                           - addresses_of(worker.resources_used, wanted.first);
               return free >= static_cast<std::size_t>(wanted.second);
             });
}

/// While nothing runs, the first application of some user gets what there is,
/// whoever else waits for what no worker has.
void check_that_queues_move(const MasterProcess& master) {
  const auto& cluster = master.cluster();
  const auto& tenants = cluster.config().tenants;
  if (!tenants || tenants->accounting != Accounting::running)
    return;
  auto state = snapshot(cluster.state());
  // One that is away may come back with room for those who are first.
  auto idle = [](const WorkerInfo& x) {
    return x.cores_used == 0 && x.state != WorkerState::UNKNOWN && !x.problem;
  };
  if (!std::all_of(state.workers.begin(), state.workers.end(), idle))
    return;
  std::set<std::string> admitted;
  std::vector<const ApplicationDescription*> queued;
  for (const auto& app : state.active_apps) {
    const auto* description = find_description(cluster.state(), app.id);
    auto why = explain_briefly(cluster.state(), master.now(), app.id);
    if (why.blocker == Blocker::queue)
      queued.push_back(description);
    else
      admitted.insert(description->user);
  }
  for (const auto* x : queued)
    for (const auto& worker : state.workers)
      if (!admitted.contains(x->user) && worker.state == WorkerState::ALIVE
          && worker.cores >= std::max(x->cores_per_executor.value_or(1),
                                      tenants->min_executor_cores)
          && worker.memory_mb
                 >= x->memory_per_executor_mb.value_or(worker.memory_mb)
          && x->resources_per_executor.empty())
        fail(x->name + " waits in a queue, and nothing runs");
}

void check_that_a_pass_finds_nothing(const MasterProcess& master) {
  auto now = master.now();
  auto copy = master.cluster();
  auto state = snapshot(copy.state());
  auto check = [&](const Event& event, const std::string& what) {
    auto result = copy.step(now, event);
    auto found = [&](const std::string& id, const EndpointId& worker) {
      fail(id + " waits although there is room on " + worker.value + ", as "
           + what + " shows");
    };
    for (const auto& effect : result.messages)
      if (const auto* x = std::get_if<StartExecutor>(&effect))
        found(x->app_id.value, x->to);
      else if (const auto* y = std::get_if<StartDriver>(&effect))
        found(y->driver_id.value, y->to);
  };
  for (const auto& app : state.active_apps) {
    check(KillExecutors{app.id, {}}, "another pass");
    if (app.executor_limit)
      check(RequestExecutors{app.id, *app.executor_limit, std::nullopt},
            "the same request of " + app.id.value);
  }
  // With tenants a larger cluster is one with larger purchases.
  if (copy.config().tenants)
    return;
  // Something new that is too small to matter: all is looked at again.
  RegisterWorker tiny{
      WorkerId{"tiny"}, EndpointId{"tiny"}, "tiny", 0, 1, 1, {}};
  check(tiny, "a worker of 1 core");
}

void check_that_nothing_has_room(const MasterProcess& master) {
  const auto& cluster = master.cluster();
  auto state = snapshot(cluster.state());
  for (const auto& x : state.active_drivers) {
    const auto* description = find_description(cluster.state(), x.id);
    // Whether the executors of one fit, too, is another question.
    if (x.state != DriverState::SUBMITTED || needs_executors(*description))
      continue;
    auto blocker = explain_briefly(cluster.state(), x.id).blocker;
    if (blocker == Blocker::queue || blocker == Blocker::cap)
      continue;
    for (const auto& worker : state.workers)
      if (has_room(worker, *description))
        fail(x.id.value + " waits, and " + worker.id.value + " has room");
  }
  for (const auto& x : state.active_apps) {
    // Who waits in a queue is the tenants' business, and so is a cap: their own
    // invariant is that nobody waits who could go.
    auto why = explain_briefly(cluster.state(), master.now(), x.id);
    if (why.gang) {
      if (why.blocker != Blocker::cap && why.gang->room >= why.gang->needed)
        fail(x.id.value + " waits for its gang, and there is room for it");
      continue;
    }
    if (why.blocker != Blocker::none && why.blocker != Blocker::queue
        && why.blocker != Blocker::cap && why.workers_with_room > 0)
      fail(x.id.value + " waits, and a worker has room");
  }
}

/// What runs of a company or user, of applications and drivers together, with the room
/// that is kept for a driver's application.
struct Held {
  std::map<std::string, std::int64_t> companies;
  std::map<std::string, std::int64_t> users;

  void add(const CompanyOfUser& company_of, const std::string& user,
           std::int64_t cores) {
    companies[company_of.find(user).value_or("")] += cores;
    users[user] += cores;
  }
};

Held held_in(const ClusterState& cluster, const TenantsConfig& tenants) {
  CompanyOfUser company_of{tenants};
  auto state = snapshot(cluster);
  Held result;
  for (const auto& x : state.active_apps)
    result.add(company_of, x.user, x.cores_granted);
  for (const auto& x : state.active_drivers) {
    if (!x.worker_id || x.state != DriverState::RUNNING)
      continue;
    const auto& executors = find_description(cluster, x.id)->executors;
    result.add(company_of, x.user,
               x.cores
                   + std::int64_t{x.executors_reserved}
                         * (executors ? executors->cores : 0));
  }
  return result;
}

/// What the tenants say that runs is what is shown of each program: nothing counts twice,
/// also after another leader has taken over.
void check_figures(const MasterProcess& master) {
  const auto& state = master.cluster().state();
  const auto* tree = state.admission.tenants();
  if (tree == nullptr)
    return;
  auto held = held_in(state, tree->config());
  for (const auto& company : tree->view(master.now()).companies)
    for (const auto& user : company.users)
      if (user.figures.running.cores != held.users[user.name])
        fail("user " + user.name + " has "
             + std::to_string(held.users[user.name]) + " cores, and "
             + std::to_string(user.figures.running.cores) + " count");
}

/// No more runs than caps and limits allow, computed from what is shown of each program.
void check_caps(const MasterProcess& master) {
  const auto& cluster = master.cluster();
  const auto& tenants = cluster.config().tenants;
  if (!tenants)
    return;
  auto held = held_in(cluster.state(), *tenants);
  for (const auto& x : tenants->companies)
    if (x.max_cores && held.companies[x.name] > *x.max_cores)
      fail("company " + x.name + " has more than its cap");
  for (const auto& x : tenants->users)
    if (x.max_cores && held.users[x.name] > *x.max_cores)
      fail("user " + x.name + " has more than the limit");
}

/// Drivers that do not say their executors leave a core for one, by what is shown of each.
void check_room_beside_drivers(const MasterProcess& master) {
  const auto& cluster = master.cluster();
  const auto& tenants = cluster.config().tenants;
  if (!tenants)
    return;
  CompanyOfUser company_of{*tenants};
  std::map<std::string, std::vector<std::int64_t>> companies;
  std::map<std::string, std::vector<std::int64_t>> users;
  for (const auto& x : snapshot(cluster.state()).active_drivers) {
    if (!x.worker_id || x.state != DriverState::RUNNING
        || find_description(cluster.state(), x.id)->executors)
      continue;
    companies[company_of.find(x.user).value_or("")].push_back(x.cores);
    users[x.user].push_back(x.cores);
  }
  auto check = [](const std::string& owner,
                  const std::vector<std::int64_t>& drivers,
                  const std::optional<std::int64_t>& max_cores) {
    auto all = std::accumulate(drivers.begin(), drivers.end(), std::int64_t{});
    if (max_cores && drivers.size() > 1 && all >= *max_cores)
      fail("drivers of " + owner + " leave no core for their applications");
  };
  for (const auto& x : tenants->companies)
    check("company " + x.name, companies[x.name], x.max_cores);
  for (const auto& x : tenants->users)
    check("user " + x.name, users[x.name], x.max_cores);
}

} // namespace

void check_that_nothing_waits(const MasterProcess& master, bool rules_change) {
  // A cap that is lowered takes nothing away.
  if (!rules_change) {
    check_caps(master);
    check_room_beside_drivers(master);
  }
  check_figures(master);
  check_that_a_pass_finds_nothing(master);
  check_that_nothing_has_room(master);
  check_that_queues_move(master);
}

void count_throttled(Stats& stats, const MasterProcess& master) {
  const auto& state = master.cluster().state();
  const auto* tenants = state.admission.tenants();
  if (tenants == nullptr)
    return;
  for (const auto& [key, driver] : state.drivers.all())
    if (tenants->is_queued(key))
      stats.count("drivers found in a queue");
  for (const auto& [key, app] : state.applications.all())
    if (tenants->is_admitted(key)
        && tenants->admitted_request(key) != app.requested)
      stats.count("applications found admitted in part");
}

} // namespace stoker::simulation
