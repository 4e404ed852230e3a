// Which jobs are refused, and with what words: scheduling/jobs/stage_spec.hpp.

#include "scheduling/jobs/stage_spec.hpp"

#include "scheduling/jobs/job_scheduler.hpp"
#include "tests/scheduling/jobs/job_trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

JobSpec job(const std::vector<std::string>& stages) {
  JobSpec result;
  for (const auto& text : stages)
    result.stages.push_back(stage_spec(text));
  if (!result.stages.empty())
    result.stages.back().is_result = true;
  return result;
}

std::string problem(const JobSpec& x) {
  auto valid = validate(x);
  return valid ? "" : valid.error().message;
}

} // namespace

TEST_CASE("a job that can be done is taken", "[jobs]") {
  CHECK(problem(job({"0x1"})).empty());
  CHECK(problem(job({"0x3", "1x2<0", "2x2-1<0"})).empty());
}

TEST_CASE("a job that cannot be done is refused with the stage and the reason",
          "[jobs]") {
  CHECK(problem(job({})) == "a job needs at least one stage");
  CHECK(problem(job({"0x0"})) == "stage 's0' has no tasks");
  CHECK(problem(job({"0x1*0"})) == "stage 's0' wants 0 cores for a task");
  CHECK(problem(job({"0x1<7"})) == "stage 's0' reads an unknown stage");
  CHECK(problem(job({"0x1", "0x2"}))
        == "stage 's0' has the number of another stage");
  CHECK(problem(job({"0x1", "1x2-0"}))
        == "stage 's1' has 2 tasks, and reads task by task from 's0', which "
           "has 1");
  CHECK(problem(job({"0x1<2", "1x1<0", "2x1<1", "3x1"}))
        == "the stages form a circle: 's0' reads 's2' reads 's1' reads 's0'");
  CHECK(problem(job({"0x1<0", "1x1"}))
        == "the stages form a circle: 's0' reads 's0'");
  auto x = job({"0x1", "1x1<0"});
  x.stages[0].is_result = true;
  CHECK(problem(x)
        == "stage 's1' reads 's0', whose results go to the job's owner");
  x = job({"0x1"});
  x.stages[0].is_result = false;
  CHECK(problem(x) == "a job needs a stage with results");
  x = job({"0x1"});
  x.stages[0].places.resize(2);
  CHECK(problem(x) == "stage 's0' has places for another number of tasks");
}

TEST_CASE("a chain of ten thousand stages is looked through", "[jobs]") {
  std::vector<std::string> stages{"0x1"};
  for (std::size_t i = 1; i < stages_max; ++i)
    stages.push_back(std::to_string(i) + "x1<" + std::to_string(i - 1));
  CHECK(problem(job(stages)).empty());
  stages[0] += "<" + std::to_string(stages_max - 2);
  CHECK(problem(job(stages)).starts_with("the stages form a circle"));
}

TEST_CASE("stages of earlier jobs can be had again, but not changed",
          "[jobs]") {
  JobScheduler scheduler{JobsConfig{}};
  (void)scheduler.step({}, JobSubmitted{job({"0x2", "1x1<0"})});
  auto next = job({"0x2", "2x1<0"});
  CHECK(!may_submit(scheduler.state(), next));
  next.id = JobId{1};
  CHECK(may_submit(scheduler.state(), next));
  next.stages[0].tasks = 3;
  CHECK(!may_submit(scheduler.state(), next));
  next = job({"0x2", "1x1<0"});
  next.id = JobId{1};
  CHECK(!may_submit(scheduler.state(), next));
}
