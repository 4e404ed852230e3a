#include "scheduling/master/reservations.hpp"

#include <algorithm>
#include <utility>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/executors.hpp"

namespace stoker {

namespace {

/// Executors that fit at once into what a worker has free.
std::int64_t slots(ExecutorSize free, const NamedResources& resources,
                   const DriverExecutors& wanted) {
  return std::min({std::int64_t{free.cores / wanted.cores},
                   free.memory_mb / wanted.memory_mb,
                   std::int64_t{resources.times(wanted.resources)}});
}

std::int64_t slots(const WorkerAccount& account,
                   const DriverExecutors& wanted) {
  return slots(account.free(), account.named, wanted);
}

ExecutorSize size_of(const DriverExecutors& x) {
  return {x.cores, x.memory_mb};
}

void reserve_one(Step& step, DriverKey key, WorkerKey worker_key) {
  auto& driver = step.state.drivers.edit(key).stored;
  auto& worker = step.state.workers.edit(worker_key);
  const auto& wanted = *driver.description.executors;
  auto resources = step.state.capacity.take(worker_key, size_of(wanted),
                                            wanted.resources, 1);
  ++worker.programs.reserved[key];
  driver.reservations.push_back(
      {worker.stored.id, std::move(resources.front())});
}

/// The worker of a reservation, unless it is lost: then it keeps the figures
/// that it had.
std::optional<WorkerKey> find_holder(const ClusterState& state, DriverKey key,
                                     const StoredReservation& x) {
  auto worker = state.workers.find(x.worker_id);
  return worker && state.workers.at(*worker).programs.reserved.contains(key)
             ? worker
             : std::nullopt;
}

void release(Step& step, DriverKey key, const StoredReservation& x) {
  auto worker = find_holder(step.state, key, x);
  if (!worker)
    return;
  auto& reserved = step.state.workers.edit(*worker).programs.reserved;
  if (--reserved.at(key) == 0)
    reserved.erase(key);
  step.state.capacity.give_back(*worker,
                                step.state.drivers.at(key).allotment(x));
  step.schedule_pass();
}

/// Starts the application's executor in the place of a reservation, if it fits
/// there.
void launch_in_place(Step& step, AppKey key, const WorkerId& worker_id,
                     const DriverExecutors& wanted) {
  const auto& state = step.state;
  const auto& app = state.applications.at(key);
  auto worker = state.workers.find(worker_id);
  if (!worker || state.workers.at(*worker).stored.state != WorkerState::ALIVE)
    return;
  auto left = cores_left(state, app);
  // As wide as what was reserved, if the application leaves that open.
  auto cores
      = app.stored.cores_per_executor.value_or(std::min(wanted.cores, left));
  if (cores > 0 && left >= cores && executors_left(app) > 0
      && state.capacity.has_room(
          *worker, {cores, app.stored.memory_per_executor_mb}, app.named()))
    launch_executors(step, key, *worker, cores, 1);
}

} // namespace

std::int64_t slots_for(const ClusterState& state,
                       const DriverExecutors& wanted) {
  std::int64_t result = 0;
  const auto& free = state.capacity.free();
  for (auto x = free.first(size_of(wanted)); x;
       x = free.next(*x, size_of(wanted)))
    result += slots(state.capacity.account(WorkerKey{x->number}), wanted);
  return result;
}

bool leaves_room(const ClusterState& state, WorkerKey worker,
                 const DriverDescription& driver, std::int64_t slots_now) {
  if (!driver.executors)
    return true;
  const auto& account = state.capacity.account(worker);
  auto resources = account.named;
  // Only looked at: the copy is thrown away.
  if (!driver.resources.empty())
    static_cast<void>(resources.take(driver.resources));
  auto free = account.free();
  auto lost
      = slots(account, *driver.executors)
        - slots({free.cores - driver.cores, free.memory_mb - driver.memory_mb},
                resources, *driver.executors);
  return slots_now - lost >= driver.executors->count;
}

Resources reserved_on(const ClusterState& state, const Worker& worker) {
  Resources result;
  for (const auto& [key, count] : worker.programs.reserved) {
    const auto& wanted = state.drivers.at(key).stored.description.executors;
    result.cores += count * wanted->cores;
    result.memory_mb += count * wanted->memory_mb;
  }
  return result;
}

void reserve_executors(Step& step, DriverKey key) {
  auto& driver = step.state.drivers.edit(key);
  if (!driver.stored.description.executors)
    return;
  const auto& capacity = step.state.capacity;
  const auto& wanted = *driver.stored.description.executors;
  auto missing = [&] {
    return wanted.count - static_cast<int>(driver.stored.reservations.size());
  };
  auto fits = [&](WorkerKey worker) {
    return slots(capacity.account(worker), wanted) > 0;
  };
  // One a worker and round: spread out, unless that is not wanted.
  while (missing() > 0) {
    std::vector<WorkerKey> round;
    const auto& free = capacity.free();
    for (auto x = free.first(size_of(wanted));
         x && static_cast<int>(round.size()) < missing();
         x = free.next(*x, size_of(wanted)))
      if (fits(WorkerKey{x->number}))
        round.push_back(WorkerKey{x->number});
    if (round.empty())
      break;
    for (auto worker : round)
      do
        reserve_one(step, key, worker);
      while (!step.config().spread_out && missing() > 0 && fits(worker));
  }
  driver.reserved_until = step.now() + step.config().reservation_timeout;
  step.check_at(*driver.reserved_until, Due::driver, number_of(key));
}

void release_reservations(Step& step, DriverKey key) {
  auto& driver = step.state.drivers.edit(key);
  step.changes.touch(key);
  driver.reserved_until.reset();
  for (const auto& x : std::exchange(driver.stored.reservations, {}))
    release(step, key, x);
}

void check_driver(Step& step, DriverKey key) {
  if (!step.state.drivers.contains(key))
    return;
  const auto& until = step.state.drivers.at(key).reserved_until;
  if (!until)
    return;
  if (*until <= step.now())
    return release_reservations(step, key);
  step.check_at(*until, Due::driver, number_of(key));
}

void postpone_reservations(Step& step, Duration by) {
  for (const auto& [key, x] : step.state.drivers.all())
    if (x.reserved_until)
      *step.state.drivers.edit(key).reserved_until += by;
}

void claim_reservations(Step& step, AppKey key) {
  auto& state = step.state;
  const auto& app = state.applications.at(key);
  const auto& id = app.stored.description.driver_id;
  // Nothing is started for one whose driver is away.
  if (app.reconnect_due)
    return;
  auto driver_key = id ? state.drivers.find(*id) : std::nullopt;
  if (!driver_key)
    return;
  auto& driver = state.drivers.edit(*driver_key);
  // A new leader does not know yet which workers are still there.
  if (driver.stored.reservations.empty()
      || state.recovery.status() != RecoveryState::ALIVE)
    return;
  step.changes.touch(*driver_key);
  driver.reserved_until.reset();
  const auto& wanted = *driver.stored.description.executors;
  for (const auto& x : std::exchange(driver.stored.reservations, {})) {
    release(step, *driver_key, x);
    launch_in_place(step, key, x.worker_id, wanted);
  }
  update_demand(step, key);
}

} // namespace stoker
