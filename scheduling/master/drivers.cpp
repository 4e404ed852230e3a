#include "scheduling/master/drivers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "scheduling/common/limits.hpp"
#include "scheduling/master/dependencies.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/end_hooks.hpp"
#include "scheduling/master/end_time.hpp"
#include "scheduling/master/executor_sizes.hpp"
#include "scheduling/master/failed_starts.hpp"
#include "scheduling/master/program_ends.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/size_limits.hpp"
#include "scheduling/master/tenant_admission.hpp"

namespace stoker {

namespace {

constexpr int forgotten_at_once = 10;

constexpr const char* killed_before_it_started = "killed before it was started";

/// Whether the executors that the driver cannot do without are possible.
Status validate_executors(const DriverDescription& driver) {
  if (!driver.executors)
    return {};
  const auto& x = *driver.executors;
  if (x.count < 0 || x.cores <= 0 || x.memory_mb <= 0)
    return invalid(
        "the cores and memory of a driver's executors must be greater than 0, "
        "and their number must not be negative");
  if (x.count > instances_max || x.cores > cores_max
      || x.memory_mb > memory_mb_max)
    return invalid("no cluster has room for so many executors");
  return validate(x.resources);
}

Status validate_driver(const DriverDescription& x) {
  if (auto valid = validate(x.command, "driver"); !valid)
    return valid;
  if (x.command.spark && x.command.spark->version.empty())
    return invalid("the driver says no version of Spark");
  if (x.cores <= 0 || x.memory_mb <= 0)
    return invalid("a driver needs at least 1 core and 1 MB of memory");
  if (x.cores > cores_max || x.memory_mb > memory_mb_max)
    return invalid("no worker has so many cores or so much memory");
  if (auto valid = validate(x.resources); !valid)
    return valid;
  if (x.max_restarts && *x.max_restarts < 0)
    return invalid("the number of restarts must not be negative");
  if (x.on_end)
    if (auto valid = validate(*x.on_end); !valid)
      return valid;
  return validate_executors(x);
}

/// Whether it may wait for what it needs; if not, why.
Status may_wait(const ClusterState& state, const DriverDescription& x) {
  if (!x.reject_if_it_cannot_fit)
    return {};
  auto fits = could_ever_fit(state, {x.cores, x.memory_mb}, requirements_of(x),
                             "driver");
  if (!fits || !needs_executors(x))
    return fits;
  return could_ever_fit(state, {x.executors->cores, x.executors->memory_mb},
                        requirements_of_executors(x), "executor");
}

/// One that has ended in this step is stored nevertheless: who follows the store learns of
/// its end by that.
void forget_oldest(Step& step, DriverKey oldest) {
  if (step.changes.touches(oldest))
    step.changes.record(record_of(step.state, oldest));
  step.changes.record(EraseDriver{step.state.drivers.forget_oldest()});
}

void end_driver(Step& step, DriverKey key, DriverState final_state,
                std::optional<std::string> message, Room room,
                std::optional<Instant> when = {}) {
  auto& state = step.state;
  auto& driver = state.drivers.edit(key);
  auto& stored = driver.stored;
  step.changes.touch(key);
  stored.state = final_state;
  if (message)
    stored.message = std::move(message);
  state.dependents.remove(key, stored.waits_for);
  state.wanted_shapes.erase(key);
  if (is_finished(final_state)) {
    auto end = end_of(stored);
    start_end_hook(step, stored, end);
    step.note_end(stored.id, std::move(end));
  }
  // It is not started any more, and secrets need not be kept.
  forget_secrets(stored.description);
  release_reservations(step, key);
  if (auto* tenants = state.admission.tenants())
    tenants->remove(step.now(), key);
  if (auto worker = state.drivers.end(key, when.value_or(step.now()))) {
    state.workers.edit(*worker).programs.drivers.erase(key);
    if (room == Room::free_now)
      state.capacity.give_back(*worker, driver.allotment());
    // The next one waits for room now, and no longer for this end.
    if (step.config().max_drivers && !state.drivers.waiting().empty())
      update_demand(step, state.drivers.waiting().front());
  }
  // After many ends in a short time there are many to forget, of which a few are at once.
  for (int i = 0; i < forgotten_at_once; ++i)
    if (auto oldest = state.drivers.find_forgettable(
            step.config().retained_drivers,
            step.now() - step.config().submission_retention))
      forget_oldest(step, *oldest);
  step.schedule_pass();
}

/// Whether a request with the same submission may be the same request: of each field, but
/// for what nobody knows any more of a driver that has ended.
/// @param known the driver that was submitted
bool is_repeated(const ClusterState& state, const StoredDriver& known,
                 DriverDescription x) {
  // What was forgotten of it, when it was relaunched, the one knows that runs in its place.
  const auto& last = *find_last_start(state, known.id);
  if (last.ended) {
    forget_secrets(x);
    return x == known.description;
  }
  auto submitted = last.description;
  submitted.after = known.description.after;
  submitted.max_restarts = known.description.max_restarts;
  return x == submitted;
}

/// What its successor is to be.
DriverDescription description_elsewhere(const StoredDriver& x) {
  auto result = x.description;
  // It has waited for them.
  result.after.clear();
  if (result.max_restarts)
    *result.max_restarts = std::max(0, *result.max_restarts - x.restarts);
  return result;
}

/// Whether one that its worker could not start is started again: as often in a row as an
/// instance is.
bool may_start_elsewhere(Step& step, DriverKey key) {
  auto& stored = step.state.drivers.edit(key).stored;
  ++stored.failed_starts;
  auto most = step.config().max_executor_retries;
  return stored.description.supervise && !stored.kill_requested
         && (most < 0 || stored.failed_starts < most);
}

std::optional<std::string> why_it_could_not_start(const StoredDriver& driver,
                                                  const DriverStateChanged& x) {
  if (driver.failed_starts < 2)
    return x.exception;
  return "it could not be started " + std::to_string(driver.failed_starts)
         + " times in a row, the last time on " + driver.host.value_or("")
         + ": " + x.exception.value_or("nobody says why");
}

DriverKey create_driver(Step& step, const RequestSubmitDriver& x,
                        std::vector<Dependency> waits_for) {
  auto& state = step.state;
  StoredDriver stored;
  stored.id = DriverId{
      state.ids.make("driver", step.now(), state.drivers.count_ever() + 1)};
  stored.description = x.driver_description;
  stored.submission = x.submission;
  stored.identity = x.identity;
  stored.submitted = step.now();
  stored.waits_for = std::move(waits_for);
  const auto& driver = state.drivers.add(std::move(stored)).stored;
  DriverKey key{driver.number};
  state.dependents.add(key, driver.waits_for);
  step.changes.touch_counters();
  step.changes.touch(key);
  step.schedule_pass();
  return key;
}

/// Under a new id: the old one may still run where nobody hears of it (SPARK-19900), and its
/// worker tells its end again.
void relaunch(Step& step, DriverKey key, const std::string& why, Room room,
              std::optional<Instant> when) {
  const auto& stored = step.state.drivers.at(key).stored;
  auto failed_starts = stored.failed_starts;
  auto successor = create_driver(
      step, {description_elsewhere(stored), {}, stored.identity},
      stored.waits_for);
  auto& drivers = step.state.drivers;
  auto id = drivers.at(successor).stored.id;
  drivers.edit(successor).stored.failed_starts = failed_starts;
  drivers.edit(key).stored.relaunched_as = id;
  follow_relaunch(step, drivers.at(key).stored.id, id);
  hand_over(step, key, successor);
  end_driver(step, key, DriverState::RELAUNCHING,
             why + "; runs again as " + to_string(id), room, when);
}

} // namespace

Status check_submission(const RequestSubmitDriver& x) {
  auto small = check_sizes(x);
  return small ? validate_driver(x.driver_description) : small;
}

// -- events -------------------------------------------------------------------

void handle(Step& step, const RequestSubmitDriver& x) {
  const auto& drivers = step.state.drivers;
  auto refuse = [&](const std::string& why) {
    step.reply(SubmitDriverResponse{false, std::nullopt, why});
  };
  if (!x.submission.empty())
    if (auto known = drivers.find_by_submission(x.submission)) {
      const auto& driver = drivers.at(*known).stored;
      if (!is_repeated(step.state, driver, x.driver_description))
        return refuse(
            "the submission's id is that of a request for something else, or "
            "of another user; choose another one");
      return step.reply(SubmitDriverResponse{true, driver.id, {}});
    }
  if (auto valid = check_submission(x); !valid)
    return refuse(valid.error().message);
  const auto& description = x.driver_description;
  if (auto allowed = may_join_queue(step.state, description); !allowed)
    return refuse(allowed.error().message);
  if (auto allowed = may_wait(step.state, description); !allowed)
    return refuse(allowed.error().message);
  auto open = open_dependencies(step.state, description.after);
  if (!open)
    return refuse(open.error().message);
  step.reply(SubmitDriverResponse{true, add_driver(step, x, *open), {}});
}

void handle(Step& step, const RequestKillDriver& x) {
  // Whoever started it knows it by its first id.
  const auto* last = find_last_start(step.state, x.driver_id);
  if (last == nullptr)
    return step.reply(KillDriverResponse{
        x.driver_id, false, to_string(x.driver_id) + " is not known here"});
  DriverKey key{last->number};
  auto& driver = step.state.drivers.edit(key);
  auto& stored = driver.stored;
  if (is_finished(stored.state) || stored.relaunched_as)
    return step.reply(KillDriverResponse{x.driver_id, false,
                                         to_string(stored.id) + " has ended as "
                                             + to_string(stored.state)});
  stored.kill_requested = true;
  step.changes.touch(key);
  if (driver.worker)
    step.send(step.state.workers.at(*driver.worker).stored.endpoint,
              KillDriver{stored.id});
  else
    end_driver(step, key, DriverState::KILLED, killed_before_it_started,
               Room::free_now);
  step.reply(KillDriverResponse{x.driver_id, true, {}});
}

void handle(Step& step, const DriverStateChanged& x) {
  auto key = step.state.drivers.find(x.driver_id);
  if (!key)
    return;
  auto& stored = step.state.drivers.edit(*key).stored;
  if (is_finished(stored.state) || stored.relaunched_as)
    return;
  step.changes.touch(*key);
  // Messages may come late. Of one that paused before a start the last was not made.
  stored.restarts = is_finished(x.state)
                        ? x.restarts
                        : std::max(stored.restarts, x.restarts);
  if (!is_finished(x.state)) {
    stored.state = x.state;
    stored.failed_starts = 0;
    if (x.exception)
      stored.message = x.exception;
    return;
  }
  // How it ended before it was started again is of no interest now.
  stored.message.reset();
  stored.exit_status = x.exit_status;
  stored.use = x.use;
  auto is_failed_start = x.state == DriverState::ERROR && !x.exit_status;
  // That it ran may not have been heard.
  if (!is_failed_start)
    stored.failed_starts = 0;
  if (auto worker = step.state.drivers.at(*key).worker;
      worker && is_failed_start)
    note_failed_start(step, *worker, x.exception.value_or(""));
  auto when = end_time(step.now(), stored.started.value_or(stored.submitted),
                       x.ended_ago_ms);
  // Its worker ended it, though nobody asked for that: the worker stops.
  if (x.state == DriverState::KILLED && !stored.kill_requested)
    return lose_driver(step, *key, Room::free_now, when);
  if (is_failed_start && may_start_elsewhere(step, *key))
    return relaunch(step, *key, x.exception.value_or("it was not started"),
                    Room::free_now, when);
  end_driver(step, *key, x.state,
             is_failed_start ? why_it_could_not_start(stored, x) : x.exception,
             Room::free_now, when);
}

// -- the life of a driver -----------------------------------------------------

DriverId add_driver(Step& step, const RequestSubmitDriver& x,
                    std::vector<Dependency> waits_for) {
  auto key = create_driver(step, x, std::move(waits_for));
  const auto& driver = step.state.drivers.at(key).stored;
  auto id = driver.id;
  if (driver.waits_for.empty())
    join_queue(step, key);
  return id;
}

void fail_driver(Step& step, DriverKey key, const std::string& why) {
  end_driver(step, key, DriverState::FAILED, why, Room::free_now);
}

void launch_driver(Step& step, DriverKey key, WorkerKey worker_key) {
  auto& state = step.state;
  auto& worker = state.workers.edit(worker_key);
  auto& driver = state.drivers.edit(key);
  auto& stored = driver.stored;
  state.drivers.assign(key, worker_key);
  stored.worker_id = worker.stored.id;
  stored.host = worker.stored.host;
  stored.worker_port = worker.stored.port;
  stored.state = DriverState::RUNNING;
  stored.started = step.now();
  stored.resources = std::move(state.capacity
                                   .take(worker_key, driver.allotment().size,
                                         requirements_of(stored.description), 1)
                                   .front());
  worker.programs.drivers.insert(key);
  step.changes.touch(key);
  step.send(StartDriver{worker.stored.endpoint, stored.id, stored.resources});
  reserve_executors(step, key);
  update_demand(step, key);
  // Applications of an earlier start may not have what the driver has now.
  for (auto app : state.applications.of_driver(stored.id))
    ask_again(step, app);
}

void return_driver(Step& step, DriverKey key) {
  auto& state = step.state;
  auto& driver = state.drivers.edit(key);
  auto& stored = driver.stored;
  if (stored.kill_requested)
    return end_driver(step, key, DriverState::KILLED, killed_before_it_started,
                      Room::free_now);
  auto worker = *driver.worker;
  state.workers.edit(worker).programs.drivers.erase(key);
  state.capacity.give_back(worker, driver.allotment());
  state.drivers.unassign(key);
  release_reservations(step, key);
  requeue_if_short(step, key);
  update_demand(step, key);
  stored.state = DriverState::SUBMITTED;
  stored.worker_id.reset();
  stored.host.reset();
  stored.worker_port = 0;
  stored.started.reset();
  stored.resources.clear();
  step.changes.touch(key);
  step.schedule_pass();
}

void lose_driver(Step& step, DriverKey key, Room room,
                 std::optional<Instant> when) {
  const auto& stored = step.state.drivers.at(key).stored;
  if (stored.kill_requested)
    return end_driver(step, key, DriverState::KILLED, "lost while being killed",
                      room, when);
  if (!stored.description.supervise)
    return end_driver(step, key, DriverState::ERROR, "its worker was lost",
                      room, when);
  relaunch(step, key, "its worker was lost", room, when);
}

} // namespace stoker
