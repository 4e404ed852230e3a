#include "scheduling/jobs/waiting_tasks.hpp"

#include <algorithm>
#include <vector>

#include "messages/jobs_report.hpp"
#include "messages/printable.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/jobs/barrier_waiting.hpp"
#include "scheduling/jobs/offers.hpp"

namespace stoker {

namespace {

constexpr std::size_t missing_shown_max = 3;

/// "1 executor is left out because of what failed there"
std::string left_out(int executors) {
  return format_count(executors, "executor") + (executors == 1 ? " is" : " are")
         + " left out because of what failed there";
}

} // namespace

WaitingTasks::WaitingTasks(const JobsState& state, Instant now)
    : state_(state), now_(now) {
  for (const auto& [exec_id, x] : state.executors.all()) {
    leaving_ += !x.disconnected && x.leaves_since ? 1 : 0;
    if (!x.is_available())
      continue;
    ++executors_;
    cores_ += x.cores;
    used_cores_ += x.used_cores;
    most_cores_ = std::max(most_cores_, x.cores);
  }
}

std::string WaitingTasks::why(const Stage& stage) const {
  if (stage.jobs.empty() || stage.is_complete())
    return {};
  if (!stage.is_active) {
    auto missing = missing_inputs(stage);
    return missing.empty() ? missing : "it waits for stage " + missing;
  }
  if (stage.barrier && stage.tasks->pending() > 0)
    return barrier_why(stage);
  auto waiting
      = stage.tasks->pending() + state_.executors.sent_ahead(stage.spec.id);
  if (waiting == 0)
    return {};
  return format_count(waiting, "task") + (waiting == 1 ? " waits " : " wait ")
         + what_is_missing(stage);
}

/// "8 tasks wait for 8 slots at once: 5 are free"
std::string WaitingTasks::barrier_why(const Stage& stage) const {
  auto result = format_count(stage.spec.tasks, "task")
                + (stage.spec.tasks == 1 ? " waits for " : " wait for ");
  if (const auto& ending = stage.barrier->ending; !ending.empty())
    return result + format_count(static_cast<int>(ending.size()), "task")
           + " of the last attempt to end";
  result += format_count(stage.spec.tasks, "slot") + " at once";
  if (stage.spec.cores > 1)
    result += ", of " + format_cores(stage.spec.cores);
  auto in_all = slots_in_all(state_, stage, now_);
  if (in_all < stage.spec.tasks)
    result += in_all == 1 ? ": there is 1 in all"
                          : ": there are " + std::to_string(in_all) + " in all";
  else
    result += ": " + std::to_string(free_slots(state_, stage, now_)) + " of "
              + std::to_string(in_all) + " are free";
  if (auto excluded = excluded_from(stage); excluded > 0)
    result += ", and " + left_out(excluded);
  if (holds_slots(stage, now_))
    result += ", and stages after it get none until it begins";
  return result;
}

std::string WaitingTasks::name_of(StageId id) const {
  const auto& name = state_.stages.at(id).spec.name;
  return "'" + shortened(as_utf8(name), reported_name_max) + "'";
}

/// What is not there of what it reads.
std::string WaitingTasks::missing_inputs(const Stage& stage) const {
  std::string result;
  std::size_t found = 0;
  for (const auto& read : stage.spec.reads) {
    auto missing = state_.stages.at(read.stage).outputs->missing();
    if (missing == 0 || ++found > missing_shown_max)
      continue;
    result += (found == 1 ? "" : "; ") + name_of(read.stage) + ", of which "
              + format_count(missing, "task") + (missing == 1 ? " is" : " are")
              + " not done";
  }
  if (found > missing_shown_max)
    result += "; and " + std::to_string(found - missing_shown_max) + " more";
  return result;
}

std::string WaitingTasks::what_is_missing(const Stage& stage) const {
  if (executors_ == 0)
    return leaving_ == 0 ? "for an executor: none is there"
                         : "for an executor: all that are there are leaving";
  auto cores = stage.spec.cores;
  if (most_cores_ < cores)
    return "for an executor of " + format_cores(cores)
           + ": those that are there have " + std::to_string(most_cores_)
           + " at most";
  auto excluded = excluded_from(stage);
  if (excluded == executors_)
    return "for another executor: " + left_out(excluded);
  if (auto gang = stage_that_holds(); !gang.empty())
    return "for barrier stage " + gang + ", which has waited long and is next";
  // Those that were sent have their executor.
  if (stage.tasks->pending() > 0 && has_room(stage))
    return stage.tasks->pending()
                   > static_cast<int>(stage.tasks->retries().size())
               ? "for an executor that is nearer to the input"
               : "for another executor than the last";
  if (auto full = full_disks(stage); !full.empty())
    return full.size() == 1
               ? "for disk space on worker " + to_string(*full.begin())
               : "for disk space on " + std::to_string(full.size())
                     + " workers";
  return "for free cores: " + std::to_string(used_cores_) + " of "
         + std::to_string(cores_) + " are in use"
         + (excluded == 0 ? "" : ", and " + left_out(excluded));
}

/// The stage that keeps others from slots; empty: none does.
std::string WaitingTasks::stage_that_holds() const {
  for (auto id : state_.active)
    if (holds_slots(state_.stages.at(id), now_))
      return name_of(id);
  return {};
}

int WaitingTasks::excluded_from(const Stage& stage) const {
  if (state_.exclusions.empty() && stage.exclusions.empty())
    return 0;
  const auto& all = state_.executors.all();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](auto& x) {
    return x.second.is_available()
           && !may_run_on(state_, stage, x.second, now_);
  }));
}

bool WaitingTasks::has_room(const Stage& stage) const {
  for (const auto& x : state_.executors.by_free_cores()) {
    if (x.free_cores < stage.spec.cores)
      return false;
    const auto& executor = *state_.executors.find(x.exec_id);
    if (may_run_on(state_, stage, executor, now_)
        && !state_.full_disks.holds(executor.worker_id))
      return true;
  }
  return false;
}

/// Of workers whose cores are free.
std::set<WorkerId> WaitingTasks::full_disks(const Stage& stage) const {
  std::set<WorkerId> result;
  for (const auto& x : state_.executors.by_free_cores()) {
    if (x.free_cores < stage.spec.cores)
      break;
    const auto& executor = *state_.executors.find(x.exec_id);
    if (may_run_on(state_, stage, executor, now_)
        && state_.full_disks.holds(executor.worker_id))
      result.insert(executor.worker_id);
  }
  return result;
}

} // namespace stoker
