#include "scheduling/master/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/drivers.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/gangs.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/spark_versions.hpp"
#include "scheduling/master/tenant_admission.hpp"

namespace stoker {

namespace {

// -- drivers ------------------------------------------------------------------

/// Workers with free cores, in the order in which drivers take them.
std::vector<WorkerKey> workers_for_drivers(Step& step) {
  auto& state = step.state;
  auto result = state.capacity.giving();
  if (step.config().spread_out_drivers)
    state.random.shuffle(result);
  else
    std::sort(result.begin(), result.end(), [&](auto a, auto b) {
      return state.workers.at(a).stored.id < state.workers.at(b).stored.id;
    });
  return result;
}

/// Whether a driver might find room.
bool might_fit(const ClusterState& state, DriverKey key) {
  const auto& driver = state.drivers.at(key);
  return state.capacity.free_with(requirements_of(driver.stored.description))
      .fits(driver.allotment().size);
}

/// What a driver needs, with its executors.
using DriverShape = std::tuple<int, std::int64_t, Requirements, int, int,
                               std::int64_t, ResourceAmounts>;

DriverShape shape_of(const DriverDescription& x) {
  auto executors = x.executors.value_or(DriverExecutors{0, 0, 0, {}});
  return {
      x.cores,         x.memory_mb,         requirements_of(x), executors.count,
      executors.cores, executors.memory_mb, executors.resources};
}

/// Gives workers to drivers during a pass, round robin from the last one used.
class DriverPlacement {
public:
  explicit DriverPlacement(Step& step) : step_(step) {
  }

  /// Starts a waiting driver, if it may be and there is room.
  void place(DriverKey driver) {
    const auto& state = step_.state;
    if (!may_run_another_driver(state) || !might_fit(state, driver))
      return;
    const auto& wanted = state.drivers.at(driver).stored.description;
    auto shape = shape_of(wanted);
    if (without_room_.contains(shape))
      return;
    if (!workers_)
      workers_ = workers_for_drivers(step_);
    if (!place(driver, wanted))
      without_room_.insert(std::move(shape));
  }

private:
  bool place(DriverKey driver, const DriverDescription& wanted) {
    const auto& state = step_.state;
    ExecutorSize size{wanted.cores, wanted.memory_mb};
    auto needs = requirements_of(wanted);
    auto slots = wanted.executors ? slots_for(state, wanted) : 0;
    for (std::size_t visited = 0; visited < workers_->size(); ++visited) {
      if (!step_.config().spread_out_drivers)
        position_ = visited;
      auto worker = (*workers_)[position_];
      position_ = (position_ + 1) % workers_->size();
      if (state.capacity.has_room(worker, size, needs)
          && leaves_room(state, worker, wanted, slots)) {
        launch_driver(step_, driver, worker);
        return true;
      }
    }
    return false;
  }

  Step& step_;

  /// Unset: none was looked for yet.
  std::optional<std::vector<WorkerKey>> workers_;
  std::size_t position_ = 0;

  /// Room only shrinks during a pass: where one driver found none, no other that
  /// needs as much does.
  std::set<DriverShape> without_room_;
};

void schedule_drivers(Step& step, DriverPlacement& placement) {
  const auto& drivers = step.state.drivers;
  // Those that are launched leave the list of those that wait.
  const auto waiting = drivers.waiting();
  if (may_run_another_driver(step.state)
      && std::any_of(waiting.begin(), waiting.end(),
                     [&](DriverKey key) { return might_fit(step.state, key); }))
    for (auto driver : waiting)
      placement.place(driver);
}

// -- applications -------------------------------------------------------------

/// Whether no executor may be started any more, whoever wants one.
bool has_started_all(const ClusterState& state) {
  return state.starts_left == 0;
}

void launch_on(Step& step, AppKey key, ExecutorDemand demand,
               const std::vector<WorkerKey>& workers) {
  if (const auto& left = step.state.starts_left)
    demand.executors_left = std::min(demand.executors_left, *left);
  const auto& needs = step.state.applications.at(key).needs;
  std::vector<FreeResources> free;
  free.reserve(workers.size());
  for (auto worker : workers)
    free.push_back(step.state.capacity.free_for(worker, needs));
  auto assigned = assign_cores(demand, free, step.config().spread_out);
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (assigned[i] > 0)
      launch_executors(step, key, workers[i], assigned[i],
                       executors_in(demand, assigned[i]));
}

/// The hosts where executors are missing, with how many, most first.
std::vector<std::pair<std::string, int>>
missing_on_hosts(const ClusterState& state, const Application& app) {
  std::vector<std::pair<int, std::string>> hosts;
  for (const auto& [host, wanted] : app.executors.preferred_hosts()) {
    auto present = app.executors.on_preferred_host(host);
    if (wanted > present && !state.workers.on_host(host).empty())
      hosts.emplace_back(present - wanted, host);
  }
  std::sort(hosts.begin(), hosts.end());
  std::vector<std::pair<std::string, int>> result;
  for (auto& [missing, host] : hosts)
    result.emplace_back(std::move(host), -missing);
  return result;
}

void schedule_on_preferred_hosts(Step& step, AppKey key) {
  const auto& state = step.state;
  const auto& app = state.applications.at(key);
  for (const auto& [host, missing] : missing_on_hosts(state, app)) {
    auto demand = demand_of(state, app);
    demand.executors_left = std::min(demand.executors_left, missing);
    std::vector<WorkerKey> usable;
    for (auto worker : state.workers.on_host(host))
      if (state.workers.at(worker).stored.state == WorkerState::ALIVE
          && state.capacity.has_room(worker, app.executor_size(), app.needs))
        usable.push_back(worker);
    std::stable_sort(usable.begin(), usable.end(), [&](auto a, auto b) {
      return state.capacity.account(a).free().cores
             > state.capacity.account(b).free().cores;
    });
    launch_on(step, key, demand, usable);
  }
}

/// Of how many executors a pass has seen that there is no room for them at once, by
/// what they need. Room only shrinks during a pass.
using TooMany = std::map<ExecutorShape, int>;

/// Whether there is room for all executors that it cannot do without.
bool gang_fits(const Step& step, const Application& app, TooMany& too_many) {
  auto at_once = executors_at_once(app);
  if (at_once == 1)
    return true;
  auto shape = app.shape();
  auto known = too_many.find(shape);
  if (known != too_many.end() && at_once >= known->second)
    return false;
  if (step.state.capacity.slots(shape, at_once) == at_once)
    return true;
  too_many[std::move(shape)] = at_once;
  return false;
}

void schedule_application(Step& step, AppKey key, TooMany& too_many) {
  const auto& state = step.state;
  const auto& app = state.applications.at(key);
  if (has_started_all(state) || !wants_executor(state, app))
    return;
  if (is_reserving(state, app)) {
    if (!gather_room(step, key))
      return;
    release_reservations(step, key);
  } else if (!gang_fits(step, app, too_many)) {
    return;
  }
  if (!app.executors.preferred_hosts().empty())
    schedule_on_preferred_hosts(step, key);
  auto demand = demand_of(state, app);
  auto enough = static_cast<std::size_t>(workers_needed(demand));
  auto size = app.executor_size();
  const auto& free = state.capacity.free_with(app.needs);
  std::vector<WorkerKey> usable;
  for (auto x = free.first(size); x && usable.size() < enough;
       x = free.next(*x, size))
    if (state.capacity.account(WorkerKey{x->number})
            .named.times(app.needs.named)
        > 0)
      usable.push_back(WorkerKey{x->number});
  launch_on(step, key, demand, usable);
  update_demand(step, key);
}

// -- tenants ------------------------------------------------------------------

/// Serves the queues: applications and drivers are admitted, and admitted ones grow.
void serve_queues(Step& step, DriverPlacement& placement, TooMany& too_many) {
  auto* tenants = step.state.admission.tenants();
  if (tenants == nullptr)
    return;
  while (!has_started_all(step.state)) {
    auto program = tenants->select(step.now());
    if (!program)
      break;
    // All others have been served: room that is there is not for them.
    if (const auto* driver = std::get_if<DriverKey>(&*program)) {
      if (step.state.drivers.at(*driver).stored.turn)
        update_demand(step, *driver);
      else
        admit(step, *driver);
      step.changes.touch(*driver);
      placement.place(*driver);
      continue;
    }
    auto key = std::get<AppKey>(*program);
    if (step.state.applications.at(key).position()) {
      step.changes.touch(key);
      update_demand(step, key);
    } else {
      if (requeue_if_short(step, key))
        continue;
      admit(step, key);
      count_first_executor(step, key);
    }
    schedule_application(step, key, too_many);
  }
}

// -- room that is kept --------------------------------------------------------

/// Those that wait with a time limit, of which a pass looks at the first.
constexpr int lent_to_max = 100;

/// Starts applications in room that is kept for a gang, if by their time limits they
/// have ended before it could start: backfill, as in Maui and Slurm.
void lend_to_short_ones(Step& step) {
  auto& state = step.state;
  const auto& gang = state.gangs.reserving();
  if (!gang || state.time_limits.waiting().empty()
      || state.reservations.find(gang->app)->places.empty())
    return;
  auto key = gang->app;
  auto start = earliest_start(state, state.applications.at(key));
  if (!start)
    return;
  std::vector<AppKey> fitting;
  auto looked_at = 0;
  for (const auto& x : state.time_limits.waiting()) {
    if (++looked_at > lent_to_max)
      break;
    const auto& stored = state.applications.at(x.app).stored;
    auto end = stored.started.value_or(step.now())
               + Duration{*stored.description.time_limit_ms};
    if (x.app != key && end <= start->when)
      fitting.push_back(x.app);
  }
  if (fitting.empty())
    return;
  auto executors = [&] {
    auto result = 0;
    for (auto app : fitting)
      result += state.applications.at(app).executors.count();
    return result;
  };
  auto before = executors();
  auto lent = lend(step, key);
  TooMany too_many;
  for (auto app : fitting)
    schedule_application(step, app, too_many);
  keep_again(step, key, lent, executors_at_once(state.applications.at(key)));
  // An application of a tenant grows by one executor at a time, and asks for the next now.
  if (state.admission.tenants() != nullptr && executors() > before)
    step.schedule_pass();
}

/// The next application of a pass: one that may find room, or the gang that room is
/// kept for.
std::optional<QueuePosition> next_of_pass(const ClusterState& state,
                                          QueuePosition from) {
  auto result = state.capacity.next_to_help(from);
  const auto& gang = state.gangs.reserving();
  if (gang && *gang >= from && (!result || *gang < *result))
    return gang;
  return result;
}

} // namespace

void run_pass(Step& step) {
  choose_spark_versions(step);
  DriverPlacement placement{step};
  schedule_drivers(step, placement);
  follow_workers(step);
  TooMany too_many;
  std::optional<QueuePosition> next = QueuePosition{};
  while ((next = next_of_pass(step.state, *next))) {
    schedule_application(step, next->app, too_many);
    next = QueuePosition{next->position + 1, {}};
  }
  serve_queues(step, placement, too_many);
  lend_to_short_ones(step);
  // What became free meanwhile is for those who come before in another pass.
  if (!step.pass_needed())
    step.state.capacity.end_pass();
}

} // namespace stoker
