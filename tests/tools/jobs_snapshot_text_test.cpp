// How jobs are shown: tools/stoker/jobs_snapshot_text.hpp.

#include "tools/stoker/jobs_snapshot_text.hpp"

#include <sstream>

#include "scheduling/jobs/job_scheduler.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

std::string shown_jobs(const JobsState& state) {
  std::ostringstream out;
  print_jobs_snapshot(out, snapshot(state));
  return out.str();
}

} // namespace

TEST_CASE("jobs are shown with their stages and executors", "[tools]") {
  StageSpec map;
  map.name = "map";
  map.tasks = 6;
  StageSpec reduce;
  reduce.id = StageId{1};
  reduce.name = "reduce";
  reduce.tasks = 2;
  reduce.reads = {{map.id, DependencyKind::shuffle}};
  reduce.is_result = true;
  JobsConfig config;
  config.queued_work = Duration{0};
  JobScheduler scheduler{config};
  Instant now{};
  for (int i = 0; i < 2; ++i)
    (void)scheduler.step(
        now,
        RegisterExecutor{i, WorkerId{"w" + std::to_string(i)}, "h", 2, {}});
  (void)scheduler.step(
      now, JobSubmitted{{JobId{}, "words", "default", {map, reduce}}});
  StatusUpdates done;
  done.ended.emplace_back();
  (void)scheduler.step(now, done);
  // Its end is not known yet.
  (void)scheduler.step(now, ExecutorDisconnected{1});
  CHECK(shown_jobs(scheduler.state()) == R"(Jobs
  ID  NAME   POOL     RESULTS MISSING OF STAGES
  0   words  default  1

Stages
  ID  NAME    PHASE    TASKS  DONE  RUNNING  PENDING  MOST FAILURES  JOBS
  0   map     ACTIVE   6      1     4        1        0              0
  1   reduce  WAITING  2      0     0        2        0              0

Executors
  ID  WORKER  HOST  CONNECTION    CORES USED  RUNNING  SENT AHEAD
  0   w0      h     connected     2 of 2      2        0
  1   w1      h     disconnected  2 of 2      2        0
)");
}

TEST_CASE("that there are no jobs is shown, too", "[tools]") {
  CHECK(shown_jobs(JobScheduler{JobsConfig{}}.state())
        == "Jobs\n  (none)\n\nStages\n  (none)\n\nExecutors\n  (none)\n");
}
