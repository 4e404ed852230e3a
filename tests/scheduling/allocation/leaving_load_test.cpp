// What an application's load says of executors that are to leave.

#include "scheduling/allocation/allocation_manager.hpp"
#include "scheduling/allocation/load_of_jobs.hpp"
#include "scheduling/jobs/job_scheduler.hpp"
#include "tests/support/catch.hpp"

namespace stoker {

namespace {

using namespace std::chrono_literals;

/// An application whose task scheduler tells an allocation manager.
class LoadedApplication {
public:
  LoadedApplication() : scheduler_(JobsConfig{}), manager_(settings()) {
    (void)manager_.start(Instant{0ms});
  }

  void step(const JobsEvent& x) {
    auto effects = scheduler_.step(Instant{0ms}, x);
    hear(load_.after(x, effects, scheduler_.state()));
  }

  /// Of executor `exec_id`, which has one core.
  void join(int exec_id) {
    step(RegisterExecutor{exec_id, WorkerId{"w"}, "h", 1,
                          OutputServer{"h", 7000, "/outputs", "id"}});
  }

  void submit(int tasks) {
    StageSpec stage;
    stage.tasks = tasks;
    stage.is_result = true;
    step(JobSubmitted{{JobId{0}, "job", "default", {stage}}});
  }

  [[nodiscard]] std::int64_t executors() const {
    return manager_.status().executors;
  }
  [[nodiscard]] int needed() const {
    return manager_.status().needed;
  }

  /// Who begins to hear now.
  [[nodiscard]] AllocationStatus heard_by_another() const {
    LoadOfJobs load;
    AllocationManager manager{settings()};
    (void)manager.start(Instant{0ms});
    for (const auto& event : load.begin(scheduler_.state()))
      (void)manager.step(Instant{0ms}, event);
    return manager.status();
  }

private:
  static AllocationSettings settings() {
    AllocationSettings result;
    result.enabled = true;
    return result;
  }

  void hear(const AllocationEvents& events) {
    for (const auto& event : events)
      (void)manager_.step(Instant{0ms}, event);
  }

  JobScheduler scheduler_;
  LoadOfJobs load_;
  AllocationManager manager_;
};

} // namespace

TEST_CASE("an executor that is to leave has left, while what runs there goes "
          "on") {
  LoadedApplication app;
  app.submit(2);
  app.join(0);
  app.join(1);
  REQUIRE(app.executors() == 2);

  app.step(DecommissionExecutor{0, "its worker leaves"});
  CHECK(app.executors() == 1);
  CHECK(app.needed() == 2);
  CHECK(app.heard_by_another().executors == 1);
  CHECK(app.heard_by_another().needed == 2);

  app.join(2);
  CHECK(app.executors() == 2);
  app.step(ExecutorEnded{0, ExecutorLoss::from_outside, "its worker left"});
  CHECK(app.executors() == 2);
  CHECK(app.needed() == 2);
}

TEST_CASE("an executor that was to leave before it came never joins") {
  LoadedApplication app;
  app.step(DecommissionExecutor{0, "its worker leaves"});
  app.join(0);
  CHECK(app.executors() == 0);
  CHECK(app.heard_by_another().executors == 0);
  app.step(ExecutorEnded{0, ExecutorLoss::from_outside, "its worker left"});
  CHECK(app.executors() == 0);
}

TEST_CASE("an executor that is kept after all joins again") {
  LoadedApplication app;
  app.submit(1);
  app.join(0);
  app.step(DecommissionExecutor{0, "it is not needed"});
  REQUIRE(app.executors() == 0);
  app.step(KeepExecutor{0});
  CHECK(app.executors() == 1);
  app.step(ExecutorEnded{0, ExecutorLoss::by_itself, "exit code 1"});
  CHECK(app.executors() == 0);
}

} // namespace stoker
