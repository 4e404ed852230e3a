#include "scheduling/master/executor_ends.hpp"

#include <algorithm>
#include <string>

#include "scheduling/common/instance_end.hpp"
#include "scheduling/master/applications.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/executors.hpp"

namespace stoker {

namespace {

bool ended_well(const ExecutorStateChanged& x) {
  return x.state == ExecutorState::EXITED && x.exit_status == 0;
}

bool failed_by_itself(const ExecutorStateChanged& x) {
  return instance_end(x.state, x.exit_status) == InstanceEnd::failed;
}

/// Several executors that were there at once and end because of one thing, a full
/// disk or a killed worker, are one failure. Which one it belongs to: an executor
/// that was started before the last failure that counted was there then.
bool is_same_failure(Step& step, Application& app,
                     const StoredExecutor& executor,
                     const ExecutorStateChanged& end) {
  auto is_of_worker = app.instances
                          ? !failed_by_itself(end)
                          : end.state == ExecutorState::LOST
                                || is_failed_start(end.state, end.exit_status);
  auto worker = step.state.workers.find(executor.worker_id);
  if (!is_of_worker || !worker || step.config().worker_backoff <= Duration{})
    return false;
  auto& later = app.failed_before[*worker];
  if (executor.exec_id < later)
    return true;
  later = app.executors.next_id();
  return false;
}

std::string reason_of(const ExecutorStateChanged& x) {
  return x.message.value_or("ended as " + to_string(x.state));
}

/// Whether the row of failures is as long as it may be.
bool too_many_failures(const Step& step, const Application& app) {
  auto max = step.config().max_executor_retries;
  return max >= 0 && app.stored.failures_in_a_row >= max;
}

Duration run_time(const StoredExecutor& executor, Instant end) {
  return executor.running_since ? end - *executor.running_since : Duration{};
}

/// Returns whether an executor ran long enough to end a row of failures. A serving executor that
/// cannot reach its driver exits after its own timeout, for example two minutes. So an executor
/// whose run time is like that of the failed executors belongs to the same row.
bool is_stable(const Step& step, const Application& app, Duration ran) {
  constexpr int times_max = 5;
  const auto least = step.config().stable_after;
  const auto& row = app.failure_row;
  return ran >= least
         && (app.instances || ran / times_max >= least
             || ran / 2 >= std::max(row.first, row.longest));
}

/// Adds a failure to the application's row.
void note_failure(Application& app, const StoredExecutor& executor,
                  Instant when) {
  auto& row = app.failure_row;
  const auto ran = run_time(executor, when);
  if (!row.since) {
    row.since = when;
    row.first = ran;
  }
  if (executor.launched < *row.since)
    return;
  ++row.young;
  row.longest = std::max(row.longest, ran);
}

/// Returns whether a RUNNING executor keeps an application with too many failures. A
/// process that has started may fail as those before it did: after twice as many failures
/// of executors that are younger than the row, and at least 20, only executors count that
/// are older than the row or have run for more than twice as long as those that failed.
bool any_sound(const Step& step, const Application& app) {
  constexpr int young_min = 20;
  const auto& row = app.failure_row;
  auto is_loop = row.young >= young_min
                 && row.young / 2 >= step.config().max_executor_retries;
  auto is_sound = [&](const StoredExecutor& x) {
    return !is_loop || x.launched < *row.since
           || step.now() - *x.running_since > 2 * row.longest;
  };
  const auto& present = app.executors.present();
  return std::any_of(present.begin(), present.end(), [&](const auto& x) {
    return x.second.stored.state == ExecutorState::RUNNING
           && x.second.stored.running_since && is_sound(x.second.stored);
  });
}

void fail(Step& step, const Application& app, const std::string& message) {
  remove_application(step, app.key(), ApplicationState::FAILED, message);
}

std::string failures(const Application& app, const std::string& what) {
  return std::to_string(app.stored.failures_in_a_row) + ' ' + what;
}

void finish_instance(Step& step, Application& app, int index) {
  app.instances->set_done(index);
  app.ended_executors.is_done(index);
  step.changes.touch_instance(app.key(), index);
}

void handle_instance_exit(Step& step, Application& app,
                          const StoredExecutor& executor,
                          const ExecutorStateChanged& x) {
  auto index = executor.index.value();
  auto where = [&] {
    return "instance " + std::to_string(index) + " on " + executor.host + ": "
           + reason_of(x);
  };
  auto end = instance_end(x.state, x.exit_status);
  if (end == InstanceEnd::from_outside) {
    if (too_many_failures(step, app))
      fail(step, app,
           failures(app, "instances in a row were lost, the last: " + where()));
    return;
  }
  const auto& instances = *app.stored.description.instances;
  auto is_over = end == InstanceEnd::done;
  if (!is_over) {
    step.changes.touch_instance(app.key(), index);
    auto so_often = app.instances->count_failure(index);
    if (!has_failed_for_good(instances, end, so_often))
      return;
    if (!instances.keep_going)
      return fail(step, app, where());
  }
  finish_instance(step, app, index);
  update_demand(step, app.key());
}

} // namespace

void handle_executor_exit(Step& step, AppKey key,
                          const StoredExecutor& executor,
                          const ExecutorStateChanged& end) {
  auto& app = step.state.applications.edit(key);
  auto stable
      = executor.running_since
        && is_stable(step, app,
                     run_time(executor, time_of_end(step, executor, end)));
  step.changes.touch(key);
  auto& in_a_row = app.stored.failures_in_a_row;
  if (ended_well(end) || stable) {
    in_a_row = 0;
    app.failure_row = {};
    app.failed_before.clear();
  }
  // An instance's own failures have a limit of their own, and what its worker
  // ended because it stops has not failed.
  auto excused = end.state == ExecutorState::KILLED
                 || (app.instances && failed_by_itself(end));
  if (!ended_well(end) && !excused
      && !is_same_failure(step, app, executor, end)) {
    ++in_a_row;
    note_failure(app, executor, time_of_end(step, executor, end));
  }
  if (app.instances)
    return handle_instance_exit(step, app, executor, end);
  if (!ended_well(end) && too_many_failures(step, app) && !any_sound(step, app))
    fail(step, app,
         failures(app,
                  "executors in a row failed, the last: " + reason_of(end)));
}

bool is_good_late_end(const Application& app, const ExecutorStateChanged& end) {
  const auto* lost = app.ended_executors.find(end.exec_id);
  return app.instances && ended_well(end) && lost != nullptr
         && lost->state == ExecutorState::LOST
         // It may have been done twice.
         && !app.instances->is_done(lost->index.value());
}

void handle_late_end(Step& step, AppKey key, const ExecutorStateChanged& end) {
  auto& app = step.state.applications.edit(key);
  if (!is_good_late_end(app, end))
    return;
  const auto* lost = app.ended_executors.find(end.exec_id);
  auto index = lost->index.value();
  const auto& ended = app.ended_executors.set_ended_well(
      end.exec_id, time_of_end(step, *lost, end));
  step.changes.record(ended);
  step.changes.touch(key);
  step.send(app.stored.driver,
            ExecutorUpdated{end.exec_id, end.state, end.message,
                            end.exit_status, std::nullopt,
                            EndNumber{ended.end_number}});
  app.stored.failures_in_a_row = 0;
  app.failure_row = {};
  finish_instance(step, app, index);
  if (const auto* other = app.executors.find_instance(index)) {
    auto exec_id = other->stored.exec_id;
    auto reason = "its instance has ended well as executor "
                  + std::to_string(end.exec_id);
    step.send(app.stored.driver,
              ExecutorUpdated{exec_id, ExecutorState::KILLED, reason,
                              std::nullopt, std::nullopt,
                              app.ended_executors.next()});
    kill_executor(step, {key, exec_id}, reason);
  }
  forget_ended(step, key);
  update_demand(step, key);
}

} // namespace stoker
