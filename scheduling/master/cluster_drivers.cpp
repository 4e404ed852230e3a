// Drivers: submission, kill, the end, and another life elsewhere.

#include <algorithm>
#include <cassert>
#include <utility>

#include "scheduling/common/limits.hpp"
#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

/// One line about the executors that the driver cannot do without, if they
/// cannot be.
std::optional<std::string>
problem_with_executors(const DriverDescription& driver) {
  if (!driver.executors)
    return std::nullopt;
  const auto& x = *driver.executors;
  if (x.count <= 0 || x.cores <= 0 || x.memory_mb <= 0)
    return "the number, cores and memory of a driver's executors must be "
           "greater than 0";
  if (x.count > instances_max || x.cores > cores_max
      || x.memory_mb > memory_mb_max)
    return "no cluster has room for so many executors";
  return problem_with_resources(x.resources);
}

} // namespace

// -- events -------------------------------------------------------------------

void Cluster::on(const RequestSubmitDriver& x) {
  const auto& description = x.driver_description;
  auto refuse = [&](std::string why) {
    reply(SubmitDriverResponse{false, std::nullopt, std::move(why)});
  };
  if (description.command.arguments.empty())
    return refuse("the driver has no command");
  if (description.cores <= 0 || description.memory_mb <= 0)
    return refuse("a driver needs at least 1 core and 1 MB of memory");
  if (description.cores > cores_max || description.memory_mb > memory_mb_max)
    return refuse("no worker has so many cores or so much memory");
  if (auto problem = problem_with_resources(description.resources))
    return refuse(*problem);
  if (auto problem = problem_with_executors(description))
    return refuse(*problem);
  if (description.reject_if_it_cannot_fit)
    if (auto why = why_never_fits({description.cores, description.memory_mb},
                                  description.resources, "driver"))
      return refuse(*why);
  if (description.reject_if_it_cannot_fit && description.executors)
    if (auto why = why_never_fits(
            {description.executors->cores, description.executors->memory_mb},
            description.executors->resources, "executor"))
      return refuse(*why);
  const auto& driver = add_driver(description);
  reply(SubmitDriverResponse{true, driver.id, {}});
}

void Cluster::on(const RequestKillDriver& x) {
  auto key = find_driver(x.driver_id);
  if (!key)
    return reply(KillDriverResponse{
        x.driver_id, false, to_string(x.driver_id) + " is not known here"});
  auto& driver = drivers_.at(*key);
  if (is_finished(driver.state) || driver.relaunched_as)
    return reply(KillDriverResponse{x.driver_id, false,
                                    to_string(x.driver_id) + " has ended as "
                                        + to_string(driver.state)});
  driver.kill_requested = true;
  touch(*key);
  if (driver.worker)
    send(workers_.at(*driver.worker).endpoint, KillDriver{driver.id});
  else
    end_driver(*key, DriverState::KILLED, "killed before it was started");
  reply(KillDriverResponse{x.driver_id, true, {}});
}

void Cluster::on(const DriverStateChanged& x) {
  auto key = find_driver(x.driver_id);
  if (!key)
    return;
  auto& driver = drivers_.at(*key);
  if (is_finished(driver.state) || driver.relaunched_as)
    return;
  touch(*key);
  if (!is_finished(x.state)) {
    driver.state = x.state;
    return;
  }
  driver.exit_status = x.exit_status;
  // Its worker ended it, though nobody asked for that: the worker stops.
  if (x.state == DriverState::KILLED && !driver.kill_requested)
    return lose_driver(*key);
  end_driver(*key, x.state, x.exception);
}

// -- the life of a driver -----------------------------------------------------

Driver& Cluster::add_driver(const DriverDescription& description) {
  DriverKey key{next_driver_++};
  auto& driver = drivers_[key];
  driver.id = DriverId{make_id("driver", next_driver_)};
  driver.description = description;
  driver.submitted = now_;
  touched_.counters = true;
  touch(key);
  driver_keys_[driver.id] = key;
  waiting_drivers_.push_back(key);
  resources_changed_ = true;
  return driver;
}

void Cluster::launch_driver(DriverKey key, WorkerKey worker_key) {
  auto& driver = drivers_.at(key);
  auto& worker = workers_.at(worker_key);
  driver.worker = worker_key;
  driver.worker_id = worker.id;
  driver.host = worker.host;
  driver.state = DriverState::RUNNING;
  change(worker_key, [&](Worker& x) {
    x.cores_used += driver.description.cores;
    x.memory_used_mb += driver.description.memory_mb;
    x.drivers.insert(key);
    if (!driver.description.resources.empty())
      driver.resources = x.resources.take(driver.description.resources);
    assert(x.cores_free() >= 0 && x.memory_free_mb() >= 0);
  });
  touch(key);
  ++running_drivers_;
  out_.messages.push_back(StartDriver{worker.endpoint, driver.id, driver.resources});
  reserve_executors(key);
}

void Cluster::end_driver(DriverKey key, DriverState final_state,
                         std::optional<std::string> message) {
  auto& driver = drivers_.at(key);
  touch(key);
  driver.state = final_state;
  driver.ended = now_;
  if (message)
    driver.message = std::move(message);
  release_all(key);
  std::erase(waiting_drivers_, key);
  if (driver.worker) {
    --running_drivers_;
    auto worker_key = *std::exchange(driver.worker, std::nullopt);
    if (workers_.at(worker_key).drivers.erase(key) > 0)
      change(worker_key, [&](Worker& x) {
        x.cores_used -= driver.description.cores;
        x.memory_used_mb -= driver.description.memory_mb;
        x.resources.give_back(driver.resources);
        assert(x.cores_used >= 0 && x.memory_used_mb >= 0);
      });
  }
  completed_drivers_.push_back(key);
  if (completed_drivers_.size()
      > static_cast<std::size_t>(config_.retained_drivers)) {
    auto oldest = completed_drivers_.front();
    completed_drivers_.pop_front();
    record(EraseDriver{drivers_.at(oldest).id});
    driver_keys_.erase(drivers_.at(oldest).id);
    drivers_.erase(oldest);
  }
  resources_changed_ = true;
}

void Cluster::lose_driver(DriverKey key) {
  const auto& driver = drivers_.at(key);
  if (driver.kill_requested)
    return end_driver(key, DriverState::KILLED, "lost while being killed");
  if (!driver.description.supervise)
    return end_driver(key, DriverState::ERROR, "its worker was lost");
  // Under a new id: the old one may still run where nobody hears of it
  // (SPARK-19900).
  auto id = add_driver(driver.description).id;
  drivers_.at(key).relaunched_as = id;
  end_driver(key, DriverState::RELAUNCHING,
             "its worker was lost; runs again as " + to_string(id));
}

std::optional<DriverKey> Cluster::find_driver(const DriverId& id) const {
  auto i = driver_keys_.find(id);
  if (i == driver_keys_.end())
    return std::nullopt;
  return i->second;
}

} // namespace stoker
