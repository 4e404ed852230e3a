#include "scheduling/worker/worker_programs.hpp"

#include <utility>

#include "scheduling/common/plain_name.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

WorkerPrograms::WorkerPrograms(const WorkerConfig& config) {
  for (const auto& app : config.shuffle_served)
    spark_files_.serve(app);
}

// -- orders of the master -----------------------------------------------------

void WorkerPrograms::on(WorkerStep& step, const LaunchExecutor& x) {
  outputs_.use(step, x);
  spark_files_.use(x);
  executors_.launch(step, x);
}

void WorkerPrograms::on(WorkerStep& step, const KillExecutor& x) {
  executors_.kill(step, {x.app_id, x.exec_id});
}

void WorkerPrograms::on(WorkerStep& step, const ApplicationFinished& x) {
  executors_.kill_all_of(step, x.id);
  outputs_.stop(step, x.id);
  spark_files_.stop(step, x.id, executors_);
  if (auto path = step.directories.retire(x.id.value))
    step.add(RemoveDirectory{std::move(*path)});
}

void WorkerPrograms::on(WorkerStep& step, const LaunchDriver& x) {
  drivers_.launch(step, x);
}

void WorkerPrograms::on(WorkerStep& step, const KillDriver& x) {
  drivers_.kill(step, x.driver_id);
}

void WorkerPrograms::on(WorkerStep& step, const StateAcknowledged& x) {
  executors_.acknowledge(step, x);
}

// -- processes ----------------------------------------------------------------

template <class Report>
bool WorkerPrograms::pass_on(WorkerStep& step, const Report& x) {
  if (const auto* executor = std::get_if<ExecutorId>(&x.id)) {
    constexpr auto is_end = !std::is_same_v<Report, ProcessStarted>;
    if constexpr (is_end)
      outputs_.writer_ended(step, *executor);
    auto known = executors_.on(step, *executor, x);
    if constexpr (is_end)
      spark_files_.executor_ended(step, executor->app_id, executors_);
    return known;
  }
  return drivers_.on(step, std::get<DriverId>(x.id), x);
}

void WorkerPrograms::on(WorkerStep& step, const ProcessStarted& x) {
  pass_on(step, x);
}

void WorkerPrograms::on(WorkerStep& step, const ProcessFailed& x) {
  if (!pass_on(step, x))
    forget_foreign_program(step, x.id);
}

void WorkerPrograms::on(WorkerStep& step, const ProcessEnded& x) {
  if (!pass_on(step, x))
    forget_foreign_program(step, x.id);
}

void WorkerPrograms::on(WorkerStep& step, const ProcessLost& x) {
  if (!pass_on(step, x))
    forget_foreign_program(step, x.id);
}

void WorkerPrograms::on(WorkerStep& step, const ProcessNotFound& x) {
  if (!pass_on(step, x))
    forget_foreign_program(step, x.id);
}

void WorkerPrograms::on(WorkerStep& step, const OutputTaken& x) {
  executors_.output_taken(step, x.id);
}

void WorkerPrograms::on(WorkerStep&, const ShuffleServed& x) {
  spark_files_.serve(x.app_id);
}

// -- what dead workers have left ----------------------------------------------

void WorkerPrograms::on(WorkerStep& step, const ProgramsFound& x) {
  for (const auto& app : x.outputs)
    outputs_.go_on(step, app);
  for (const auto& app : x.spark_files)
    spark_files_.go_on(step, app);
  for (const auto& record : x.programs)
    adopt(step, record);
  // The other directories may be those of applications that have ended since,
  // and nobody would say so again.
  std::set<std::string> used;
  for (const auto& id : executors_.applications())
    used.insert(id.value);
  for (const auto& id : drivers_.ids())
    used.insert(id.value);
  for (const auto* apps : {&x.outputs, &x.spark_files})
    for (const auto& id : *apps)
      used.insert(id.value);
  for (const auto& name : x.directories)
    if (!used.contains(name))
      if (auto path = step.directories.retire(name))
        step.add(RemoveDirectory{std::move(*path)});
}

void WorkerPrograms::adopt(WorkerStep& step, const ProgramRecord& x) {
  auto own = x.worker_id == step.config.id;
  if (x.executor && is_plain_name(x.executor->app_id.value)) {
    ExecutorId id{x.executor->app_id, x.executor->exec_id};
    if (own)
      executors_.adopt(step, *x.executor);
    else
      end_foreign_program(step, id, step.directories.of(id));
  } else if (x.driver && is_plain_name(x.driver->driver_id.value)) {
    const auto& driver = *x.driver;
    if (own)
      drivers_.adopt(step, driver);
    else
      end_foreign_program(
          step, driver.driver_id,
          step.directories.of(driver.driver_id, driver.attempts));
  }
}

void WorkerPrograms::end_foreign_program(WorkerStep& step, const ProgramId& id,
                                         std::string directory) {
  if (contains(id) || !foreign_programs_.insert(id).second)
    return;
  step.add(AdoptProcess{id, std::move(directory)});
  step.add(EndProcess{id});
}

void WorkerPrograms::forget_foreign_program(WorkerStep& step,
                                            const ProgramId& id) {
  if (foreign_programs_.erase(id) > 0)
    step.add(ForgetProgram{id});
}

// -- all together -------------------------------------------------------------

void WorkerPrograms::tick(WorkerStep& step) {
  executors_.report_due(step);
  drivers_.restart_due(step);
}

void WorkerPrograms::report_all(WorkerStep& step) {
  executors_.report_all(step);
  drivers_.report_ended(step);
}

void WorkerPrograms::end_running(WorkerStep& step) {
  executors_.end_all(step);
  drivers_.end_running(step);
}

void WorkerPrograms::stop_all(WorkerStep& step) {
  executors_.end_all(step);
  drivers_.stop_all(step);
}

void WorkerPrograms::end_serving(WorkerStep& step) {
  executors_.end_serving(step);
  spark_files_.end_serving();
}

std::optional<Instant> WorkerPrograms::due(const WorkerStep& step) const {
  if (!step.link.is_registered())
    return drivers_.due();
  return earlier(drivers_.due(), executors_.due(step.config));
}

bool WorkerPrograms::is_done(const WorkerStep& step) const {
  if (!drivers_.have_all_ended() || (!step.stopping && serves_shuffles()))
    return false;
  // Without a master nobody acknowledges an end.
  return step.link.is_registered() ? executors_.empty()
                                   : executors_.have_all_finished();
}

bool WorkerPrograms::contains(const ProgramId& id) const {
  if (const auto* executor = std::get_if<ExecutorId>(&id))
    return executors_.contains(*executor);
  return drivers_.contains(std::get<DriverId>(id));
}

} // namespace stoker
