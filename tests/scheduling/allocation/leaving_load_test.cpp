// What an application's load says of executors that are to leave.

#include "scheduling/allocation/load_of_jobs.hpp"
#include "scheduling/jobs/job_scheduler.hpp"
#include "tests/scheduling/allocation/heard_manager.hpp"
#include "tests/support/catch.hpp"

namespace stoker {

namespace {

/// An application whose task scheduler tells an allocation manager.
class LoadedApplication {
public:
  void step(const JobsEvent& x) {
    auto effects = scheduler_.step(Instant{}, x);
    manager_.hear(load_.after(x, effects, scheduler_.state()));
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
    return manager_.executors();
  }
  [[nodiscard]] int needed() const {
    return manager_.needed();
  }

  /// Who begins to hear now.
  [[nodiscard]] test::HeardManager another() const {
    test::HeardManager result;
    result.hear(LoadOfJobs{}.begin(scheduler_.state()));
    return result;
  }

private:
  JobScheduler scheduler_{JobsConfig{}};
  LoadOfJobs load_;
  test::HeardManager manager_;
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
  CHECK(app.another().executors() == 1);
  CHECK(app.another().needed() == 2);

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
  CHECK(app.another().executors() == 0);
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
