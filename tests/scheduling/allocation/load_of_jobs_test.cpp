// What an allocation manager hears of second attempts, from a job scheduler's steps.

#include "scheduling/allocation/load_of_jobs.hpp"

#include <string>
#include <utility>

#include "scheduling/allocation/allocation_manager.hpp"
#include "scheduling/jobs/job_scheduler.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

JobsConfig with_speculation() {
  JobsConfig result;
  result.speculation.enabled = true;
  result.queued_work = Duration{0};
  return result;
}

/// An executor for each task.
AllocationSettings one_for_each() {
  AllocationSettings result;
  result.enabled = true;
  return result;
}

/// Attempt `attempt` at `task` of the one stage there is.
TaskAttempt id_of(int task, int attempt = 0) {
  return {StageId{0}, task, attempt};
}

/// A job of four tasks on executor 0, which has four cores. All but task 3 took a second,
/// and nothing has room beside it.
class Straggler {
public:
  Straggler() {
    join(0, 4);
    step(JobSubmitted{{JobId{0}, "job", "default", {stage()}}});
    now_ += 1s;
    for (int task = 0; task < 3; ++task)
      end(0, id_of(task), TaskState::FINISHED);
    CHECK(needed() == 1);
  }

  void step(const JobsEvent& what) {
    auto effects = scheduler_.step(now_, what);
    for (const auto& effect : effects)
      if (const auto* wanted = std::get_if<SecondAttemptWanted>(&effect))
        wanted_.push_back(wanted->id);
    hear(load_.after(what, effects, scheduler_.state()));
  }

  void join(int exec_id, int cores) {
    auto name = std::to_string(exec_id);
    step(RegisterExecutor{exec_id, WorkerId{"w" + name}, "h" + name, cores,
                          OutputServer{"h" + name, 7000, "/outputs", name}});
  }

  void end(int exec_id, const TaskAttempt& id, TaskState state) {
    StatusUpdates updates;
    updates.exec_id = exec_id;
    TaskStatus status;
    status.id = id;
    status.state = state;
    status.run_ms = 1000;
    status.error = "exit code 1";
    updates.ended.push_back(std::move(status));
    step(updates);
  }

  void wait(Duration time) {
    now_ += time;
    step(JobsTick{});
  }

  /// Task 3 becomes late.
  void become_late() {
    wait(100ms);
    wait(600ms);
  }

  [[nodiscard]] int needed() const {
    return manager_.status().needed;
  }

  /// What somebody would need who begins to hear now.
  [[nodiscard]] int needed_from_now() const {
    LoadOfJobs load;
    AllocationManager manager{one_for_each()};
    for (const auto& event : load.begin(scheduler_.state()))
      (void)manager.step(now_, event);
    return manager.status().needed;
  }

  [[nodiscard]] bool grows() const {
    return manager_.status().add_at.has_value();
  }

  [[nodiscard]] const std::vector<TaskAttempt>& wanted() const {
    return wanted_;
  }

private:
  static StageSpec stage() {
    StageSpec result;
    result.id = StageId{0};
    result.name = "s0";
    result.tasks = 4;
    result.is_result = true;
    return result;
  }

  void hear(const AllocationEvents& events) {
    for (const auto& event : events)
      (void)manager_.step(now_, event);
  }

  Instant now_;
  JobScheduler scheduler_{with_speculation()};
  LoadOfJobs load_;
  AllocationManager manager_{one_for_each()};
  std::vector<TaskAttempt> wanted_;
};

} // namespace

TEST_CASE("a second attempt that waits for room is wanted once",
          "[load_of_jobs]") {
  Straggler x;
  CHECK_FALSE(x.grows());
  x.become_late();
  CHECK(x.wanted() == std::vector{id_of(3)});
  CHECK(x.needed() == 2);
  CHECK(x.grows());
  x.wait(100ms);
  x.wait(100ms);
  CHECK(x.wanted().size() == 1);
  CHECK(x.needed() == 2);
  CHECK(x.needed_from_now() == 2);
}

TEST_CASE("a second attempt that has begun does not wait any more",
          "[load_of_jobs]") {
  Straggler x;
  x.become_late();
  x.join(1, 1);
  x.wait(100ms);
  CHECK(x.needed() == 2);
  CHECK(x.needed_from_now() == 2);
  CHECK_FALSE(x.grows());
  // What becomes of it is as if it had been the only one.
  x.end(1, id_of(3, 1), TaskState::KILLED);
  CHECK(x.needed() == 1);
  x.wait(100ms);
  CHECK(x.needed() == 2);
}

TEST_CASE("a second attempt is not wanted when the first one has succeeded",
          "[load_of_jobs]") {
  Straggler x;
  x.become_late();
  x.end(0, id_of(3), TaskState::FINISHED);
  CHECK(x.needed() == 0);
  CHECK_FALSE(x.grows());
}

TEST_CASE("a task that fails and begins again waits for no second attempt",
          "[load_of_jobs]") {
  Straggler x;
  x.become_late();
  x.end(0, id_of(3), TaskState::FAILED);
  // It runs again where it was.
  CHECK(x.needed() == 1);
  CHECK(x.needed_from_now() == 1);
  CHECK_FALSE(x.grows());
  x.wait(2s);
  CHECK(x.wanted() == std::vector{id_of(3), id_of(3, 1)});
  CHECK(x.needed() == 2);
}

TEST_CASE("a task that is lost with its executor waits, and no second attempt "
          "at it",
          "[load_of_jobs]") {
  Straggler x;
  x.become_late();
  x.step(ExecutorEnded{0, ExecutorLoss::from_outside, "killed"});
  CHECK(x.needed() == 1);
  CHECK(x.needed_from_now() == 1);
}

TEST_CASE("a job that is cancelled wants no second attempt", "[load_of_jobs]") {
  Straggler x;
  x.become_late();
  x.step(JobCancelled{JobId{0}, "it is not wanted", JobOutcome::cancelled});
  CHECK(x.needed() == 1);
  CHECK(x.needed_from_now() == 1);
  CHECK_FALSE(x.grows());
  x.end(0, id_of(3), TaskState::KILLED);
  CHECK(x.needed() == 0);
}
