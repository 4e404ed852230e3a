// News of a session reach the threads that wait for them.

#include <future>

#include "jobs/job_runs.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;

namespace {

JobEnded end_of_job(int job) {
  return {JobId{job}, JobOutcome::succeeded, {}, {}, {}};
}

} // namespace

TEST_CASE("each job's thread gets what is about that job") {
  JobRuns runs;
  auto first = runs.begin(JobId{1});
  auto second = runs.begin(JobId{2});
  REQUIRE((first && second));
  auto waits = std::async(std::launch::async, [&] {
    auto run = runs.wait(JobId{2});
    return run && run->end && run->results.size() == 1;
  });
  runs.note(ResultArrived{JobId{1}, {StageId{5}, 0, 0}});
  auto run = runs.wait(JobId{1});
  REQUIRE(run);
  CHECK(run->results == std::vector{TaskAttempt{StageId{5}, 0, 0}});
  CHECK(!run->end);
  runs.note(end_of_job(1));
  CHECK(runs.wait(JobId{1})->end);
  // Of a job that nobody waits for.
  runs.note(end_of_job(3));
  {
    JobRuns both;
    auto begun = both.begin(JobId{2});
    both.note(ResultArrived{JobId{2}, {StageId{6}, 0, 0}});
    both.note(end_of_job(2));
    auto all = both.wait(JobId{2});
    CHECK((all && all->end && all->results.size() == 1));
  }
  runs.close({Errc::failed, "enough"});
  CHECK(!waits.get());
}

TEST_CASE("nobody waits for jobs of an application that is dead") {
  JobRuns runs;
  auto run = runs.begin(JobId{1});
  REQUIRE(run);
  runs.note(ApplicationNews{ApplicationDead{EndReason::master_lost, "gone"}});
  auto waited = runs.wait(JobId{1});
  REQUIRE(!waited);
  CHECK(waited.error() == Error{Errc::not_alive, "gone"});
  CHECK(runs.begin(JobId{2}).code() == Errc::not_alive);
  // The first reason stays.
  runs.close({Errc::failed, "interrupted"});
  CHECK(runs.closed()->message == "gone");
}

TEST_CASE("whoever waits for all ends waits for the last one") {
  JobRuns runs;
  std::future<void> waits;
  {
    auto run = runs.begin(JobId{1});
    REQUIRE(run);
    waits = std::async(std::launch::async, [&] { runs.await_ends(); });
    CHECK(waits.wait_for(std::chrono::milliseconds{20})
          == std::future_status::timeout);
  }
  waits.get();
}
