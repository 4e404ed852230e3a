// What dead workers have left: a worker goes on with what its predecessor of the
// same name ran, and ends what others ran.

#include <utility>

#include "scheduling/common/plain_name.hpp"
#include "scheduling/worker/worker_logic.hpp"

namespace stoker {

namespace {

/// How many orphan graces a worker may be dead before others take over what it
/// has left. Its programs are ended then, and its master has lost it.
constexpr int graces_until_abandoned = 4;

} // namespace

void WorkerLogic::on(const ProgramsFound& x) {
  for (const auto& record : x.programs) {
    auto own = record.worker_id == config_.id;
    if (record.executor && is_plain_name(record.executor->app_id.value)) {
      const auto& executor = *record.executor;
      if (own)
        adopt(executor);
      else
        end_foreign_program(
            key_of(record),
            executor_directory(executor.app_id, executor.exec_id));
    } else if (record.driver && is_plain_name(record.driver->driver_id.value)) {
      const auto& driver = *record.driver;
      if (own)
        adopt(driver);
      else
        end_foreign_program(key_of(record), driver_directory(driver.driver_id,
                                                             driver.attempts));
    }
  }
  // What runs nothing here may belong to an application that has ended since,
  // and nobody would say so again.
  std::set<std::string> used;
  for (const auto& [key, executor] : executors_)
    used.insert(executor.description.app_id.value);
  for (const auto& [id, driver] : drivers_)
    if (!driver.ended)
      used.insert(id.value);
  for (const auto& name : x.directories)
    if (is_plain_name(name) && !used.contains(name))
      retire_directory(config_.work_directory + "/" + name);
  if (!std::exchange(programs_found_, true))
    find_abandoned_at_ = now_ + graces_until_abandoned * config_.orphan_grace;
}

void WorkerLogic::adopt(const ExecutorRecord& x) {
  auto key = to_string(ExecutorId{x.app_id, x.exec_id});
  auto [i, added] = executors_.try_emplace(key);
  if (!added)
    return;
  auto& executor = i->second;
  executor.description
      = {x.app_id, x.exec_id, x.cores, x.memory_mb, ExecutorState::LAUNCHING};
  executor.kill_requested = x.kill_requested;
  out_.push_back(AdoptProcess{key, executor_directory(x.app_id, x.exec_id)});
  // Whether the predecessor came to say so is not known.
  if (x.kill_requested)
    out_.push_back(EndProcess{key});
}

void WorkerLogic::adopt(const DriverRecord& x) {
  auto [i, added] = drivers_.try_emplace(x.driver_id);
  if (!added)
    return;
  auto& driver = i->second;
  driver.description = x.description;
  driver.resources = x.resources;
  driver.kill_requested = x.kill_requested;
  driver.attempts = x.attempts;
  driver.started = Instant{Duration{x.started_ms}};
  driver.restart_pause = Duration{x.restart_pause_ms};
  driver.ended = x.ended;
  if (master_url_.empty())
    master_url_ = x.master_url;
  if (driver.ended) {
    driver.state = driver.ended->state;
    return;
  }
  // One that waited for its restart comes to its end a second time, and waits
  // again.
  driver.runs = true;
  auto key = to_string(x.driver_id);
  out_.push_back(
      AdoptProcess{key, driver_directory(x.driver_id, driver.attempts)});
  if (x.kill_requested)
    out_.push_back(EndProcess{key});
}

void WorkerLogic::end_foreign_program(const std::string& key,
                                      std::string directory) {
  if (executors_.contains(key) || drivers_.contains(DriverId{key})
      || !foreign_programs_.insert(key).second)
    return;
  out_.push_back(AdoptProcess{key, std::move(directory)});
  out_.push_back(EndProcess{key});
}

void WorkerLogic::forget_foreign_program(const std::string& key) {
  if (foreign_programs_.erase(key) > 0)
    out_.push_back(ForgetProgram{key});
}

void WorkerLogic::on(const ProcessNotFound& x) {
  if (auto* executor = find_executor(x.key)) {
    // Not to be started here now: the master decides where.
    report(*executor,
           executor->kill_requested ? ExecutorState::KILLED
                                    : ExecutorState::LOST,
           "its worker was killed before it was started", std::nullopt);
  } else if (auto* driver = find_driver(x.key);
             driver != nullptr && !driver->ended) {
    if (driver->kill_requested || stopping_)
      return end_driver(DriverId{x.key}, DriverState::KILLED,
                        "killed before it was started", std::nullopt);
    // Not among those that the worker reports: the master counts it as lost,
    // and has it run elsewhere if it is supervised.
    out_.push_back(ForgetProgram{x.key});
    drivers_.erase(DriverId{x.key});
  } else {
    forget_foreign_program(x.key);
  }
}

ProgramRecord WorkerLogic::record_of(const Executor& executor) const {
  const auto& x = executor.description;
  return {config_.id,
          ExecutorRecord{x.app_id, x.exec_id, x.cores, x.memory_mb,
                         executor.kill_requested},
          std::nullopt};
}

ProgramRecord WorkerLogic::record_of(const DriverId& id) const {
  const auto& driver = drivers_.at(id);
  DriverRecord result;
  result.driver_id = id;
  result.description = driver.description;
  // Commands have secrets in their environment: no longer than needed.
  if (!driver.description.supervise || driver.ended)
    result.description.command = {};
  result.resources = driver.resources;
  result.master_url = master_url_;
  result.kill_requested = driver.kill_requested;
  result.attempts = driver.attempts;
  result.started_ms = to_ms(driver.started);
  result.restart_pause_ms = driver.restart_pause.count();
  result.ended = driver.ended;
  return {config_.id, std::nullopt, std::move(result)};
}

std::string WorkerLogic::executor_directory(const AppId& app_id,
                                            int exec_id) const {
  return config_.work_directory + '/' + app_id.value + '/'
         + std::to_string(exec_id);
}

} // namespace stoker
