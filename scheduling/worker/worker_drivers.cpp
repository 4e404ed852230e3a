#include "scheduling/worker/worker_drivers.hpp"

#include <algorithm>
#include <utility>

#include "scheduling/common/format.hpp"
#include "scheduling/common/plain_name.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/worker/ended_ago.hpp"
#include "scheduling/worker/program_command.hpp"
#include "scheduling/worker/worker_texts.hpp"

namespace stoker {

namespace {

constexpr Duration first_pause = std::chrono::seconds{1};
constexpr Duration longest_pause = std::chrono::seconds{60};

/// A driver that ran for so long is started again after the first pause.
constexpr Duration ran_well = std::chrono::seconds{5};

/// Attempts of a driver whose output is kept, besides the first.
constexpr int attempts_kept = 10;

/// Ended drivers that are reported again after a registration.
constexpr std::size_t ended_kept = 1000;

void add_use(std::optional<ResourceUse>& to,
             const std::optional<ResourceUse>& attempt) {
  if (!attempt)
    return;
  if (!to)
    to.emplace();
  to->cpu_ms += attempt->cpu_ms;
  to->peak_memory_mb = std::max(to->peak_memory_mb, attempt->peak_memory_mb);
  to->output_bytes += attempt->output_bytes;
}

/// Why one ends that may not be started again. How often it was elsewhere before is not known
/// here.
std::string for_the_last_time(const std::string& message, int restarts) {
  return message
         + (restarts == 0 ? "; it may not be started again"
                          : "; it may not be started again any more");
}

} // namespace

// -- start --------------------------------------------------------------------

void WorkerDrivers::launch(WorkerStep& step, const LaunchDriver& x) {
  const auto& id = x.driver_id;
  auto [i, added] = drivers_.try_emplace(id);
  if (!added)
    return;
  i->second.description = x.driver_desc;
  i->second.resources = x.resources;
  if (!is_plain_name(id.value))
    return end(step, {id, DriverState::ERROR,
                      "the driver's id cannot name a directory", std::nullopt});
  if (step.stopping)
    return end(step, {id, DriverState::KILLED, worker_stops, std::nullopt});
  start(step, id);
}

void WorkerDrivers::adopt(WorkerStep& step, const DriverRecord& x) {
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
  driver.use = x.use;
  driver.ended = x.ended;
  if (x.ended_ms)
    driver.ended_at = from_ms(*x.ended_ms);
  if (driver.ended)
    return;
  // One that paused is reported as ended a second time, and pauses again.
  driver.runs = true;
  step.add(AdoptProcess{x.driver_id,
                        step.directories.of(x.driver_id, driver.attempts)});
  if (x.kill_requested)
    step.add(EndProcess{x.driver_id});
}

void WorkerDrivers::start(WorkerStep& step, const DriverId& id) {
  auto& driver = drivers_.at(id);
  driver.restart_at.reset();
  driver.started = step.now;
  driver.runs = true;
  ++driver.attempts;
  // The first attempt's directory holds those of all others.
  if (driver.attempts > attempts_kept + 1)
    step.add(RemoveDirectory{
        step.directories.of(id, driver.attempts - attempts_kept)});
  auto directory = step.directories.of(id, driver.attempts);
  auto program_directory = WorkDirectories::program_directory(directory);
  auto command = driver_command(step, id, driver.description, driver.resources,
                                program_directory);
  if (!command)
    return end(step,
               {id, DriverState::ERROR, command.error().message, std::nullopt});
  step.add(StartProcess{id, *std::move(command), std::move(directory),
                        std::move(program_directory), record_of(step, id),
                        false,
                        driver_files(driver.description, driver.resources)});
}

void WorkerDrivers::restart_due(WorkerStep& step) {
  for (const auto& [id, driver] : drivers_)
    if (driver.restart_at && *driver.restart_at <= step.now)
      start(step, id);
}

// -- the end ------------------------------------------------------------------

void WorkerDrivers::kill(WorkerStep& step, const DriverId& id) {
  auto i = drivers_.find(id);
  if (i == drivers_.end() || i->second.ended)
    return;
  auto& driver = i->second;
  auto repeated = std::exchange(driver.kill_requested, true);
  driver.restart_at.reset();
  if (!driver.runs)
    return end(step,
               {id, DriverState::KILLED, killed_on_request, std::nullopt});
  if (!repeated)
    step.add(RememberProgram{record_of(step, id)});
  step.add(EndProcess{id});
}

void WorkerDrivers::end_running(WorkerStep& step) {
  for (const auto& [id, driver] : drivers_)
    if (driver.runs)
      step.add(EndProcess{id});
}

void WorkerDrivers::stop_all(WorkerStep& step) {
  for (auto& [id, driver] : drivers_) {
    driver.restart_at.reset();
    step.add(EndProcess{id});
    if (!driver.runs && !driver.ended)
      end(step, {id, DriverState::KILLED, worker_stops, std::nullopt});
  }
}

void WorkerDrivers::process_over(WorkerStep& step, const DriverId& id,
                                 std::optional<int> exit_status,
                                 const std::string& message, Duration ago) {
  auto& driver = drivers_.at(id);
  driver.runs = false;
  if (driver.kill_requested || step.stopping)
    return end(step,
               {id, DriverState::KILLED,
                step.stopping ? worker_stops : killed_on_request, exit_status},
               ago);
  if (exit_status == 0)
    return end(step, {id, DriverState::FINISHED, std::nullopt, exit_status},
               ago);
  if (!driver.description.supervise)
    return end(step, {id, DriverState::FAILED, message, exit_status}, ago);
  if (const auto& most = driver.description.max_restarts;
      most && driver.attempts > *most)
    return end(step,
               {id, DriverState::FAILED, for_the_last_time(message, *most),
                exit_status},
               ago);
  step.tell(DriverStateChanged{id, DriverState::RUNNING, message, exit_status,
                               driver.attempts});
  if (step.now - ago - driver.started >= ran_well)
    driver.restart_pause = first_pause;
  driver.restart_at = step.now + driver.restart_pause;
  driver.restart_pause = std::min(driver.restart_pause * 2, longest_pause);
}

void WorkerDrivers::end(WorkerStep& step, const DriverStateChanged& x,
                        Duration ago) {
  const auto& id = x.driver_id;
  auto& driver = drivers_.at(id);
  driver.runs = false;
  driver.ended = x;
  driver.ended->use = driver.use;
  driver.ended->restarts = std::max(0, driver.attempts - 1);
  driver.ended_at = step.now - ago;
  if (driver.attempts > 0)
    step.add(RememberProgram{record_of(step, id)});
  tell_end(step, driver);
  if (auto path = step.directories.retire(id.value))
    step.add(RemoveDirectory{std::move(*path)});
  forget_oldest_ended(step, id);
}

void WorkerDrivers::tell_end(WorkerStep& step, const Driver& driver) {
  auto message = *driver.ended;
  message.ended_ago_ms = ended_ago_ms(driver.ended_at, step.now);
  step.tell(std::move(message));
}

void WorkerDrivers::forget_oldest_ended(WorkerStep& step, const DriverId& but) {
  if (drivers_.size() <= ended_kept)
    return;
  auto i = std::find_if(drivers_.begin(), drivers_.end(), [](const auto& x) {
    return x.second.ended.has_value();
  });
  if (i == drivers_.end() || i->first == but)
    return;
  step.add(ForgetProgram{i->first});
  drivers_.erase(i);
}

// -- processes ----------------------------------------------------------------

bool WorkerDrivers::on(WorkerStep& step, const DriverId& id,
                       const ProcessStarted&) {
  auto i = drivers_.find(id);
  if (i != drivers_.end() && !i->second.ended)
    step.tell(DriverStateChanged{id, DriverState::RUNNING, std::nullopt,
                                 std::nullopt, i->second.attempts - 1});
  return i != drivers_.end();
}

bool WorkerDrivers::on(WorkerStep& step, const DriverId& id,
                       const ProcessFailed& x) {
  auto i = drivers_.find(id);
  if (i == drivers_.end())
    return false;
  auto was_to_end = i->second.kill_requested || step.stopping;
  end(step, {id, was_to_end ? DriverState::KILLED : DriverState::ERROR,
             x.message, x.exit_status});
  return true;
}

bool WorkerDrivers::on(WorkerStep& step, const DriverId& id,
                       const ProcessEnded& x) {
  if (!contains(id))
    return false;
  add_use(drivers_.at(id).use, x.use);
  process_over(step, id, exit_status_of(x), format_end(x), x.ago);
  return true;
}

bool WorkerDrivers::on(WorkerStep& step, const DriverId& id,
                       const ProcessLost& x) {
  if (!contains(id))
    return false;
  process_over(step, id, std::nullopt, x.message, {});
  return true;
}

bool WorkerDrivers::on(WorkerStep& step, const DriverId& id,
                       const ProcessNotFound&) {
  auto i = drivers_.find(id);
  if (i == drivers_.end() || i->second.ended)
    return false;
  // Where nobody has asked for that, the master counts it as lost, and has it run elsewhere if
  // it is supervised. One that is missing in a report has never been started here.
  end(step, {id, DriverState::KILLED,
             i->second.kill_requested || step.stopping
                 ? "killed before it was started"
                 : "its worker was killed before it was started",
             std::nullopt});
  return true;
}

// -- views --------------------------------------------------------------------

void WorkerDrivers::report_ended(WorkerStep& step) {
  for (const auto& [id, driver] : drivers_)
    if (driver.ended)
      tell_end(step, driver);
}

void WorkerDrivers::report_restarts(WorkerStep& step) const {
  for (const auto& [id, driver] : drivers_) {
    auto restarts = driver.runs ? driver.attempts - 1 : driver.attempts;
    if (!driver.ended && restarts > 0)
      step.tell(DriverStateChanged{id, DriverState::RUNNING, std::nullopt,
                                   std::nullopt, restarts});
  }
}

std::optional<Instant> WorkerDrivers::due() const {
  std::optional<Instant> result;
  for (const auto& [id, driver] : drivers_)
    result = earlier(result, driver.restart_at);
  return result;
}

std::vector<DriverId> WorkerDrivers::ids() const {
  std::vector<DriverId> result;
  for (const auto& [id, driver] : drivers_)
    if (!driver.ended)
      result.push_back(id);
  return result;
}

bool WorkerDrivers::have_all_ended() const {
  return std::all_of(drivers_.begin(), drivers_.end(),
                     [](const auto& x) { return x.second.ended.has_value(); });
}

bool WorkerDrivers::is_active(const DriverId& id) const {
  auto i = drivers_.find(id);
  return i != drivers_.end() && !i->second.ended;
}

bool WorkerDrivers::runs(const DriverId& id) const {
  auto i = drivers_.find(id);
  return i != drivers_.end() && i->second.runs;
}

int WorkerDrivers::attempts(const DriverId& id) const {
  auto i = drivers_.find(id);
  return i == drivers_.end() ? 1 : i->second.attempts;
}

ProgramRecord WorkerDrivers::record_of(const WorkerStep& step,
                                       const DriverId& id) const {
  const auto& driver = drivers_.at(id);
  DriverRecord result;
  result.driver_id = id;
  result.description = driver.description;
  // Commands have secrets in their environment: no longer than needed.
  if (!driver.description.supervise || driver.ended)
    result.description.command = {};
  result.resources = driver.resources;
  result.master_url = step.master_url;
  result.kill_requested = driver.kill_requested;
  result.attempts = driver.attempts;
  result.started_ms = to_ms(driver.started);
  result.restart_pause_ms = driver.restart_pause.count();
  result.use = driver.use;
  result.ended = driver.ended;
  if (driver.ended_at)
    result.ended_ms = to_ms(*driver.ended_at);
  return {step.config.id, std::nullopt, std::move(result)};
}

} // namespace stoker
