// Drivers on a worker: started again where they are supervised, with a growing
// pause, as Spark's DriverRunner does.

#include <algorithm>
#include <utility>

#include "scheduling/common/plain_name.hpp"
#include "scheduling/worker/resource_environment.hpp"
#include "scheduling/worker/worker_logic.hpp"

namespace stoker {

namespace {

/// A driver that ran for so long is started again without a long pause.
constexpr Duration ran_well = std::chrono::seconds{5};

constexpr Duration longest_pause = std::chrono::seconds{60};

/// Attempts of a driver whose output is kept, besides the first.
constexpr int attempts_kept = 10;

/// Ended drivers that are reported again after a reconnection.
constexpr std::size_t remembered = 1000;

} // namespace

void WorkerLogic::on(const LaunchDriver& x) {
  if (drivers_.contains(x.driver_id))
    return;
  auto& driver = drivers_[x.driver_id];
  driver.description = x.driver_desc;
  driver.resources = x.resources;
  if (!is_plain_name(x.driver_id.value))
    return end_driver(x.driver_id, DriverState::ERROR,
                      "the driver's id cannot name a directory", std::nullopt);
  if (stopping_)
    return end_driver(x.driver_id, DriverState::KILLED, "the worker stops",
                      std::nullopt);
  start_driver(x.driver_id);
}

void WorkerLogic::on(const KillDriver& x) {
  auto* driver = find_driver(to_string(x.driver_id));
  if (driver == nullptr || driver->ended)
    return;
  auto repeated = std::exchange(driver->kill_requested, true);
  driver->restart_at.reset();
  if (driver->runs && !repeated)
    out_.push_back(RememberProgram{record_of(x.driver_id)});
  if (driver->runs)
    out_.push_back(EndProcess{to_string(x.driver_id)});
  else
    end_driver(x.driver_id, DriverState::KILLED, "killed on request",
               std::nullopt);
}

void WorkerLogic::start_driver(const DriverId& id) {
  auto& driver = drivers_.at(id);
  driver.restart_at.reset();
  driver.started = now_;
  driver.runs = true;
  ++driver.attempts;
  auto directory = driver_directory(id, driver.attempts);
  // The first attempt's directory holds those of all others.
  if (driver.attempts > attempts_kept + 1)
    out_.push_back(
        RemoveDirectory{driver_directory(id, driver.attempts - attempts_kept)});
  auto command = driver.description.command;
  auto environment = config_.environment;
  for (const auto& [name, value] : command.environment)
    environment[name] = value;
  environment["STOKER_MASTER"]
      = config_.masters.empty() ? master_url_ : config_.masters;
  environment["STOKER_DRIVER_ID"] = id.value;
  environment["STOKER_CORES"] = std::to_string(driver.description.cores);
  environment["STOKER_MEMORY_MB"]
      = std::to_string(driver.description.memory_mb);
  environment["STOKER_WORKER_ID"] = config_.id.value;
  environment["STOKER_WORK_DIR"] = directory;
  add_resources(driver.resources, environment);
  command.environment = std::move(environment);
  out_.push_back(StartProcess{to_string(id), std::move(command),
                              std::move(directory), record_of(id)});
}

void WorkerLogic::driver_process_over(const DriverId& id,
                                      std::optional<int> exit_status,
                                      const std::string& message) {
  auto& driver = drivers_.at(id);
  driver.runs = false;
  if (driver.kill_requested || stopping_)
    return end_driver(id, DriverState::KILLED,
                      stopping_ ? "the worker stops" : "killed on request",
                      exit_status);
  if (exit_status == 0)
    return end_driver(id, DriverState::FINISHED, std::nullopt, exit_status);
  if (!driver.description.supervise)
    return end_driver(id, DriverState::FAILED, message, exit_status);
  if (now_ - driver.started >= ran_well)
    driver.restart_pause = std::chrono::seconds{1};
  driver.restart_at = now_ + driver.restart_pause;
  driver.restart_pause = std::min(driver.restart_pause * 2, longest_pause);
}

void WorkerLogic::end_driver(const DriverId& id, DriverState state,
                             std::optional<std::string> message,
                             std::optional<int> exit_status) {
  auto& driver = drivers_.at(id);
  driver.state = state;
  driver.runs = false;
  driver.ended = DriverStateChanged{id, state, std::move(message), exit_status};
  // The master does not say that it has heard of a driver's end: it is told
  // again after each registration, also by a successor.
  if (driver.attempts > 0)
    out_.push_back(RememberProgram{record_of(id)});
  tell(*driver.ended);
  if (is_plain_name(id.value))
    retire_directory(config_.work_directory + '/' + id.value);
  auto old = [](const auto& x) { return x.second.ended.has_value(); };
  if (drivers_.size() > remembered)
    if (auto i = std::find_if(drivers_.begin(), drivers_.end(), old);
        i != drivers_.end() && i->first != id) {
      out_.push_back(ForgetProgram{to_string(i->first)});
      drivers_.erase(i);
    }
}

WorkerLogic::Driver* WorkerLogic::find_driver(const std::string& key) {
  auto i = drivers_.find(DriverId{key});
  return i == drivers_.end() ? nullptr : &i->second;
}

std::string WorkerLogic::driver_directory(const DriverId& id,
                                          int attempt) const {
  auto directory = config_.work_directory + '/' + id.value;
  return attempt <= 1 ? directory
                      : directory + "/attempt-" + std::to_string(attempt);
}

} // namespace stoker
