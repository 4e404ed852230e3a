// Drivers that start only together with the executors that they need
// (SPARK-27750): the executors' room is booked when the driver is started, and
// given to the application that the driver registers.

#include <algorithm>
#include <utility>

#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

/// Executors that fit at once into what a worker has free.
std::int64_t slots(int cores_free, std::int64_t memory_free_mb,
                   const NamedResources& resources,
                   const DriverExecutors& wanted) {
  return std::min({std::int64_t{cores_free / wanted.cores},
                   memory_free_mb / wanted.memory_mb,
                   std::int64_t{resources.times(wanted.resources)}});
}

std::int64_t slots(const Worker& worker, const DriverExecutors& wanted) {
  return slots(worker.cores_free(), worker.memory_free_mb(), worker.resources,
               wanted);
}

} // namespace

std::int64_t Cluster::slots_for(const DriverExecutors& wanted) const {
  std::int64_t result = 0;
  ExecutorSize size{wanted.cores, wanted.memory_mb};
  for (auto x = pool_.capacity().first(size); x;
       x = pool_.capacity().next(*x, size))
    result += slots(workers_.at(WorkerKey{x->number}), wanted);
  return result;
}

bool Cluster::leaves_room(const Worker& worker, const DriverDescription& driver,
                          std::int64_t slots_now) {
  if (!driver.executors)
    return true;
  auto resources = worker.resources;
  // Only looked at: the copy is thrown away.
  if (!driver.resources.empty())
    static_cast<void>(resources.take(driver.resources));
  auto lost = slots(worker, *driver.executors)
              - slots(worker.cores_free() - driver.cores,
                      worker.memory_free_mb() - driver.memory_mb, resources,
                      *driver.executors);
  return slots_now - lost >= driver.executors->count;
}

void Cluster::reserve_executors(DriverKey key) {
  auto& driver = drivers_.at(key);
  if (!driver.description.executors)
    return;
  const auto wanted = *driver.description.executors;
  ExecutorSize size{wanted.cores, wanted.memory_mb};
  auto missing = wanted.count;
  auto reserve_one = [&](WorkerKey worker_key) {
    Reservation reservation{worker_key, {}};
    change(worker_key, [&](Worker& x) {
      x.cores_used += wanted.cores;
      x.memory_used_mb += wanted.memory_mb;
      if (!wanted.resources.empty())
        reservation.resources = x.resources.take(wanted.resources);
      ++x.reserved[key];
    });
    driver.reservations.push_back(std::move(reservation));
    --missing;
  };
  // One a worker and round: spread out, unless that is not wanted.
  while (missing > 0) {
    std::vector<WorkerKey> round;
    for (auto x = pool_.capacity().first(size);
         x && static_cast<int>(round.size()) < missing;
         x = pool_.capacity().next(*x, size))
      if (slots(workers_.at(WorkerKey{x->number}), wanted) > 0)
        round.push_back(WorkerKey{x->number});
    if (round.empty())
      break;
    for (auto worker : round)
      do
        reserve_one(worker);
      while (!config_.spread_out && missing > 0
             && slots(workers_.at(worker), wanted) > 0);
  }
  driver.reserved_until = now_ + config_.reservation_timeout;
  check_at(*driver.reserved_until, Due::driver,
           static_cast<std::uint32_t>(key));
}

void Cluster::release(DriverKey key, const Reservation& reservation) {
  const auto& wanted = *drivers_.at(key).description.executors;
  auto i = workers_.find(reservation.worker);
  // A lost worker keeps the figures that it had.
  if (i == workers_.end() || !i->second.reserved.contains(key))
    return;
  change(reservation.worker, [&](Worker& x) {
    x.cores_used -= wanted.cores;
    x.memory_used_mb -= wanted.memory_mb;
    x.resources.give_back(reservation.resources);
    if (--x.reserved.at(key) == 0)
      x.reserved.erase(key);
  });
  resources_changed_ = true;
}

void Cluster::release_all(DriverKey key) {
  auto& driver = drivers_.at(key);
  touch(key);
  driver.reserved_until.reset();
  for (const auto& x : std::exchange(driver.reservations, {}))
    release(key, x);
}

void Cluster::check_driver(DriverKey key) {
  auto i = drivers_.find(key);
  if (i == drivers_.end() || !i->second.reserved_until
      || *i->second.reserved_until > now_)
    return;
  release_all(key);
}

void Cluster::claim_reservations(AppKey key) {
  const auto& id = apps_.at(key).description.driver_id;
  auto driver_key = id ? find_driver(*id) : std::nullopt;
  if (!driver_key)
    return;
  auto& driver = drivers_.at(*driver_key);
  // A new leader does not know yet which workers are still there.
  if (driver.reservations.empty() || status_ != RecoveryState::ALIVE)
    return;
  touch(*driver_key);
  driver.reserved_until.reset();
  auto wanted = *driver.description.executors;
  for (const auto& x : std::exchange(driver.reservations, {})) {
    release(*driver_key, x);
    const auto& app = apps_.at(key);
    auto worker = workers_.find(x.worker);
    if (worker == workers_.end() || worker->second.state != WorkerState::ALIVE)
      continue;
    // As wide as what was reserved, if the application leaves that open.
    auto cores = app.cores_per_executor.value_or(
        std::min(wanted.cores, cores_left(app)));
    if (cores > 0 && cores_left(app) >= cores && executors_left(app) > 0
        && has_room(worker->second, {cores, app.memory_per_executor_mb},
                    app.description.resources_per_executor))
      launch_executors(key, x.worker, cores, 1);
  }
  update_demand(key);
}

} // namespace stoker
