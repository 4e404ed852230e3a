#include "scheduling/allocation/load_of_instances.hpp"

namespace stoker {

namespace {

constexpr StageAttempt instances_stage{};

} // namespace

AllocationEvents LoadOfInstances::begin() const {
  return {StageSubmitted{instances_stage, progress_.count(), {}}};
}

AllocationEvents LoadOfInstances::after(const ExecutorAdded& x) {
  AllocationEvents result;
  if (progress_.added(x))
    begin_attempt(result, x.id);
  return result;
}

AllocationEvents LoadOfInstances::after(const ExecutorUpdated& x) {
  AllocationEvents result;
  auto was_running = progress_.is_running(x.id);
  if (!progress_.updated(x))
    return result;
  // One that was lost is back, and perhaps has ended since.
  if (!was_running)
    begin_attempt(result, x.id);
  if (!progress_.is_running(x.id))
    end_attempt(result, x);
  return result;
}

void LoadOfInstances::begin_attempt(AllocationEvents& out, int exec_id) {
  auto index = progress_.index_of(exec_id);
  attempts_[index].insert(exec_id);
  out.push_back(ExecutorJoined{exec_id});
  out.push_back(TaskBegan{{instances_stage.stage, index, exec_id},
                          instances_stage.attempt,
                          exec_id,
                          false});
}

void LoadOfInstances::end_attempt(AllocationEvents& out,
                                  const ExecutorUpdated& x) {
  auto index = progress_.index_of(x.id);
  auto attempts = attempts_.find(index);
  attempts->second.erase(x.id);
  auto runs_elsewhere = !attempts->second.empty();
  if (!runs_elsewhere)
    attempts_.erase(attempts);
  auto outcome = TaskOutcome::failed;
  // Nothing more is to be done of one that has failed for good, either.
  if ((x.state == ExecutorState::EXITED && x.exit_status == 0)
      || progress_.has_failed(index)) {
    outcome = TaskOutcome::succeeded;
    done_.insert(index);
  } else if (runs_elsewhere || done_.contains(index)) {
    outcome = TaskOutcome::killed;
  }
  out.push_back(TaskOver{{instances_stage.stage, index, x.id}, outcome});
  out.push_back(ExecutorLeft{x.id});
}

} // namespace stoker
