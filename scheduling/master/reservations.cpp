#include "scheduling/master/reservations.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/programs.hpp"

namespace stoker {

namespace {

/// Executors that fit at once into what a worker has free.
std::int64_t slots(ExecutorSize free, const NamedResources& resources,
                   const DriverExecutors& wanted) {
  return std::min(slots_in(free, {wanted.cores, wanted.memory_mb}),
                  std::int64_t{resources.times(wanted.resources)});
}

std::int64_t slots(const WorkerAccount& account,
                   const DriverExecutors& wanted) {
  return slots(account.free(), account.named, wanted);
}

ExecutorShape shape_of_executors(const DriverDescription& x) {
  return {{x.executors->cores, x.executors->memory_mb},
          requirements_of_executors(x)};
}

/// What is kept for a driver is stored.
void touch(Step& step, ReservationOwner owner) {
  if (const auto* driver = std::get_if<DriverKey>(&owner))
    step.changes.touch(*driver);
}

/// What is kept counts for the driver.
void note_change(Step& step, ReservationOwner owner) {
  touch(step, owner);
  if (const auto* driver = std::get_if<DriverKey>(&owner))
    update_demand(step, *driver);
}

void begin(Step& step, DriverKey key) {
  const auto& driver = step.state.drivers.at(key).stored.description;
  auto until = step.now() + step.config().reservation_timeout;
  step.state.reservations.begin(key, shape_of_executors(driver), until);
  step.check_at(until, Due::driver, number_of(key));
}

/// Takes those places out of which `which` says yes, and gives back what they hold.
template <class Which>
std::vector<ReservedPlace> give_back(Step& step, ReservationOwner owner,
                                     Which which) {
  auto& state = step.state;
  const auto& reservation = *state.reservations.find(owner);
  auto result = state.reservations.take(owner, which);
  for (const auto& x : result)
    state.capacity.give_back(x.worker, reservation.allotment(x));
  return result;
}

/// The part of a place that is free; unset: nothing of it is.
std::optional<ReservedPlace> rest_of(const ClusterState& state,
                                     const ExecutorShape& shape,
                                     const ReservedPlace& place) {
  const auto& account = state.capacity.account(place.worker);
  auto free = account.free();
  ReservedPlace result{
      place.worker,
      {},
      ExecutorSize{std::min(free.cores, shape.size.cores),
                   std::min(free.memory_mb, shape.size.memory_mb)}};
  const auto used = account.named.used();
  for (const auto& [name, addresses] : place.resources) {
    auto taken = used.find(name);
    for (const auto& x : addresses)
      if (taken == used.end()
          || std::find(taken->second.begin(), taken->second.end(), x)
                 == taken->second.end())
        result.resources[name].push_back(x);
  }
  if (result.part == ExecutorSize{0, 0} && result.resources.empty())
    return std::nullopt;
  return result;
}

/// How many of these places are where something may be started.
int usable(const ClusterState& state, const std::vector<ReservedPlace>& places,
           const ExecutorShape& shape) {
  return static_cast<int>(
      std::count_if(places.begin(), places.end(), [&](const auto& x) {
        return state.workers.at(x.worker).stored.state == WorkerState::ALIVE
               && state.capacity.has_room(x.worker, shape.size, shape.needs);
      }));
}

/// Starts the application's executor in the place of a reservation, if it fits
/// there.
void launch_in_place(Step& step, AppKey key, WorkerKey worker,
                     const DriverExecutors& wanted) {
  const auto& state = step.state;
  const auto& app = state.applications.at(key);
  if (state.workers.at(worker).stored.state != WorkerState::ALIVE)
    return;
  auto left = cores_left(state, app);
  // As wide as what was reserved, if the application leaves that open.
  auto cores
      = app.stored.cores_per_executor.value_or(std::min(wanted.cores, left));
  if (cores > 0 && left >= cores && executors_left(app) > 0
      && state.capacity.has_room(
          worker, {cores, app.stored.memory_per_executor_mb}, app.needs))
    launch_executors(step, key, worker, cores, 1);
}

} // namespace

std::int64_t slots_for(const ClusterState& state,
                       const DriverDescription& driver) {
  return state.capacity.slots(shape_of_executors(driver),
                              std::numeric_limits<int>::max());
}

std::int64_t slots_beside(const ClusterState& state, WorkerKey worker,
                          const DriverDescription& driver,
                          std::int64_t slots_now) {
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
  return slots_now - lost;
}

bool leaves_room(const ClusterState& state, WorkerKey worker,
                 const DriverDescription& driver, std::int64_t slots_now) {
  return !driver.executors
         || slots_beside(state, worker, driver, slots_now)
                >= driver.executors->count;
}

Resources reserved_on(const ClusterState& state, WorkerKey worker) {
  Resources result;
  auto add = [&](const ExecutorSize& size, int count) {
    result += {std::int64_t{count} * size.cores, count * size.memory_mb};
  };
  for (const auto& [owner, count] : state.reservations.kept_on(worker)) {
    const auto& kept = *state.reservations.find(owner);
    if (kept.partial == 0)
      add(kept.shape.size, count);
    else
      for (const auto& x : kept.places)
        if (x.worker == worker)
          add(kept.allotment(x).size, 1);
  }
  return result;
}

void reserve_free(Step& step, ReservationOwner owner, int wanted) {
  const auto& state = step.state;
  const auto& reservation = *state.reservations.find(owner);
  const auto& shape = reservation.shape;
  auto missing = [&] { return wanted - reservation.count(); };
  auto fits = [&](WorkerKey worker) {
    return state.capacity.has_room(worker, shape.size, shape.needs)
           && !(shape.one_each
                && state.reservations.kept_on(worker).contains(owner));
  };
  while (missing() > 0) {
    std::vector<WorkerKey> round;
    const auto& free = state.capacity.free_with(shape.needs);
    for (auto x = free.first(shape.size);
         x && static_cast<int>(round.size()) < missing();
         x = free.next(*x, shape.size))
      if (fits(WorkerKey{x->number}))
        round.push_back(WorkerKey{x->number});
    if (round.empty())
      break;
    touch(step, owner);
    for (auto worker : round)
      while (missing() > 0 && fits(worker)) {
        auto resources
            = step.state.capacity.take(worker, shape.size, shape.needs, 1);
        step.state.reservations.add(owner,
                                    {worker, std::move(resources.front()), {}});
        if (step.config().spread_out)
          break;
      }
  }
}

std::vector<ReservedPlace> lend(Step& step, ReservationOwner owner) {
  return give_back(step, owner, [](const ReservedPlace&) { return true; });
}

void keep_again(Step& step, ReservationOwner owner,
                const std::vector<ReservedPlace>& places, int wanted) {
  auto& state = step.state;
  const auto& reservation = *state.reservations.find(owner);
  const auto& shape = reservation.shape;
  std::vector<const ReservedPlace*> lent;
  for (const auto& x : places)
    if (reservation.count() < wanted
        && state.capacity.has_room(x.worker, shape.size, shape.needs)) {
      auto resources
          = state.capacity.take(x.worker, shape.size, shape.needs, 1);
      state.reservations.add(owner,
                             {x.worker, std::move(resources.front()), {}});
    } else {
      lent.push_back(&x);
    }
  for (const auto* x : lent) {
    // It needs less than before: others may need that.
    if (static_cast<int>(reservation.places.size()) >= wanted)
      return step.schedule_pass();
    if (auto rest = rest_of(state, shape, *x)) {
      auto taken = state.capacity.take(x->worker, reservation.allotment(*rest));
      assert(taken);
      static_cast<void>(taken);
      state.reservations.add(owner, std::move(*rest));
    }
  }
}

void complete_places(Step& step, ReservationOwner owner, int wanted) {
  if (step.state.reservations.find(owner)->partial > 0)
    keep_again(step, owner,
               give_back(step, owner,
                         [](const auto& x) { return x.part.has_value(); }),
               wanted);
}

void reserve_executors(Step& step, DriverKey key) {
  const auto& driver = step.state.drivers.at(key).stored.description;
  if (!needs_executors(driver))
    return;
  begin(step, key);
  reserve_free(step, key, driver.executors->count);
}

void restore_reservations(Step& step, DriverKey key,
                          const std::vector<StoredReservation>& reservations) {
  auto& state = step.state;
  if (!state.drivers.at(key).stored.description.executors
      || reservations.empty())
    return;
  begin(step, key);
  const auto& reservation = *state.reservations.find(key);
  for (const auto& x : reservations) {
    auto worker = state.workers.find(x.worker_id);
    if (!worker)
      continue;
    ReservedPlace place{*worker, x.resources, {}};
    if (state.capacity.take(*worker, reservation.allotment(place)))
      state.reservations.add(key, std::move(place));
  }
}

void release_reservations(Step& step, ReservationOwner owner) {
  auto ended = step.state.reservations.end(owner);
  if (!ended)
    return;
  note_change(step, owner);
  for (const auto& x : ended->places) {
    step.state.capacity.give_back(x.worker, ended->allotment(x));
    step.schedule_pass();
  }
}

void release_unusable(Step& step, ReservationOwner owner) {
  const auto& state = step.state;
  const auto& kind = state.reservations.find(owner)->shape.needs.kind;
  auto released = give_back(step, owner, [&](const ReservedPlace& place) {
    const auto& account = state.capacity.account(place.worker);
    return account.state != WorkerState::ALIVE || account.rests
           || !account.kinds.contains(kind);
  });
  // A worker that runs other programs now has room for those.
  if (!released.empty())
    step.schedule_pass();
}

void lose_reservations(Step& step, WorkerKey worker) {
  for (auto owner : step.state.reservations.lose(worker))
    note_change(step, owner);
}

void check_driver(Step& step, DriverKey key) {
  const auto* kept = step.state.reservations.find(key);
  if (kept == nullptr)
    return;
  if (kept->until <= step.now())
    return release_reservations(step, key);
  step.check_at(kept->until, Due::driver, number_of(key));
}

void postpone_reservations(Step& step, Duration by) {
  step.state.reservations.postpone(by);
}

void claim_reservations(Step& step, AppKey key) {
  auto& state = step.state;
  const auto& app = state.applications.at(key);
  const auto* tenants = state.admission.tenants();
  auto queued = tenants != nullptr && tenants->is_queued(key);
  // Nothing is started for one whose driver is away, or that waits for others.
  if (app.reconnect_due || !(app.position() || queued))
    return;
  if (tenants != nullptr && !tenants->is_served(app.stored.description.user))
    return;
  auto driver = driver_of(state, app.stored.description);
  const auto* kept = driver ? state.reservations.find(*driver) : nullptr;
  // A new leader does not know yet which workers are still there.
  if (kept == nullptr || kept->places.empty()
      || state.recovery.status() != RecoveryState::ALIVE)
    return;
  // What is left for it to do follows in there.
  if (queued)
    return admit_with_driver(step, key, *driver);
  const auto places = kept->places;
  const auto shape = kept->shape;
  const auto& wanted = *state.drivers.at(*driver).stored.description.executors;
  release_reservations(step, *driver);
  // A gang is not started in part: if the places are not enough for it, it is served
  // in its turn.
  if (auto at_once = executors_at_once(app);
      at_once > 1
      && (usable(state, places, app.shape()) < at_once
          || !app.stored.cores_per_executor || !wants_executor(state, app)
          || !fits_in(app.executor_size(), shape.size)
          || app.needs != shape.needs))
    return;
  for (const auto& x : places)
    launch_in_place(step, key, x.worker, wanted);
  update_demand(step, key);
}

} // namespace stoker
