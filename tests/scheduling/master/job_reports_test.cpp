// What a master keeps of what drivers say of their jobs, and what it tells of that.

#include "scheduling/master/job_reports.hpp"

#include "scheduling/planning/explain_tasks.hpp"
#include "scheduling/planning/reported_jobs.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

AppId app(int number) {
  return AppId{"app-19700101000000-000" + std::to_string(number)};
}

/// One job that runs, with a stage that is active and one that waits, and one that
/// has ended.
ReportJobs report_of(int number) {
  ReportJobs x;
  x.app_id = app(number);
  x.executors = 1;
  x.jobs.resize(2);
  x.jobs[0].id = JobId{1};
  x.jobs[0].running = 1;
  x.jobs[1].status = JobStatus::SUCCEEDED;
  x.jobs[1].ended_ms = 1;
  x.stages.resize(3);
  x.stages[0].status = StageStatus::COMPLETE;
  x.stages[0].ended_ms = 1;
  x.stages[1].id = StageId{1};
  x.stages[1].name = "split";
  x.stages[1].status = StageStatus::ACTIVE;
  x.stages[1].running = 1;
  x.stages[1].waits = "3 tasks wait for free cores: 1 of 1 are in use";
  x.stages[2].id = StageId{2};
  x.stages[2].waits = "it waits for stage 'split'";
  return x;
}

/// "app-1: 1 RUNNING, 0 SUCCEEDED"
std::string text_of(const JobsResponse& x) {
  std::string result;
  for (const auto& app : x.applications) {
    result += to_string(app.app_id).substr(19) + ':';
    for (const auto& job : app.jobs)
      result += " j" + to_string(job.id) + ' ' + to_string(job.status);
    for (const auto& stage : app.stages)
      result += " s" + to_string(stage.id) + ' ' + to_string(stage.status);
    result += '\n';
  }
  return result;
}

/// A master with two applications that have said something.
struct ReportedCluster {
  Trace trace;
  JobReports reports;

  ReportedCluster() {
    run({"config retained_applications=1", "elect", "worker w1 2 cores 2 GB",
         "app one 1 core 512 MB by ann", "app two 1 core 512 MB by ben"});
    take(1);
    take(2);
  }

  void run(std::initializer_list<const char*> lines) {
    for (const auto* line : lines)
      (void)trace.run(line);
  }

  void take(int number) {
    CHECK(reports.take(Instant{2s}, state(), report_of(number)));
  }

  [[nodiscard]] const ClusterState& state() const {
    return trace.cluster().state();
  }

  std::string ask(const RequestJobs& x) {
    return text_of(reported_jobs(state(), reports, x));
  }
};

} // namespace

TEST_CASE("of a driver that is away it is said that it is, with what runs",
          "[scheduling]") {
  ReportedCluster cluster;
  cluster.run({"lost one"});
  auto jobs = reported_jobs(cluster.state(), cluster.reports, {});
  REQUIRE(jobs.applications.size() == 2);
  const std::string away
      = "its driver is not connected: this is what it said last";
  const auto& one = jobs.applications.front();
  CHECK(one.jobs.at(0).message == away);
  CHECK(one.jobs.at(1).message.empty());
  CHECK(one.stages.at(0).waits == away);
  CHECK(one.stages.at(2).waits.empty());
  CHECK(jobs.applications.back().jobs.at(0).message.empty());
}

TEST_CASE("jobs and stages are told that were asked for", "[scheduling]") {
  ReportedCluster x;
  RequestJobs request;
  CHECK(x.ask(request)
        == "0001: j1 RUNNING j0 SUCCEEDED s1 ACTIVE s2 PENDING s0 COMPLETE\n"
           "0002: j1 RUNNING j0 SUCCEEDED s1 ACTIVE s2 PENDING s0 COMPLETE\n");
  SECTION("of one application") {
    request.app_id = app(2);
    CHECK(x.ask(request)
          == "0002: j1 RUNNING j0 SUCCEEDED s1 ACTIVE s2 PENDING s0 "
             "COMPLETE\n");
    request.app_id = app(3);
    CHECK(x.ask(request).empty());
  }
  SECTION("of one user") {
    request.user = "ann";
    request.stages = false;
    CHECK(x.ask(request) == "0001: j1 RUNNING j0 SUCCEEDED\n");
  }
  SECTION("that go on") {
    request.only_active = true;
    CHECK(x.ask(request)
          == "0001: j1 RUNNING s1 ACTIVE s2 PENDING\n"
             "0002: j1 RUNNING s1 ACTIVE s2 PENDING\n");
  }
  SECTION("in one state") {
    request.state = "COMPLETE";
    CHECK(x.ask(request) == "0001: s0 COMPLETE\n0002: s0 COMPLETE\n");
  }
  SECTION("so many, the newest of those that ended") {
    request.stages = false;
    request.rows_max = 3;
    CHECK(x.ask(request)
          == "0001: j1 RUNNING\n0002: j1 RUNNING j0 SUCCEEDED\n");
    CHECK(reported_jobs(x.state(), x.reports, request).left_out == 1);
    request.rows_max = -1;
    CHECK(reported_jobs(x.state(), x.reports, request).left_out == 4);
  }
}

TEST_CASE("nothing goes on of an application that has ended", "[scheduling]") {
  ReportedCluster x;
  x.run({"at 9s unregister app-2"});
  RequestJobs request;
  request.app_id = app(2);
  auto told = reported_jobs(x.state(), x.reports, request);
  CHECK(text_of(told)
        == "0002: j1 UNKNOWN j0 SUCCEEDED s0 COMPLETE s1 FAILED s2 SKIPPED\n");
  const auto& ended = told.applications.at(0);
  CHECK(ended.executors == 0);
  CHECK(ended.jobs[0].ended_ms == 9000);
  CHECK(ended.jobs[0].running == 0);
  CHECK(ended.jobs[1].ended_ms == 1);
  CHECK(ended.stages[1].ended_ms == 9000);
  CHECK(ended.stages[1].running == 0);
  CHECK(ended.stages[1].waits.empty());
  request.only_active = true;
  CHECK(x.ask(request) == "0002:\n");
  CHECK_FALSE(explain_tasks(x.state(), x.reports, Instant{9s}, app(2)));
}

TEST_CASE("what drivers said is forgotten with their applications",
          "[scheduling]") {
  ReportedCluster x;
  x.run({"unregister app-1", "unregister app-2"});
  CHECK(x.ask({}).starts_with("0002:"));
  x.run({"app three 1 core 512 MB"});
  CHECK(x.reports.all().size() == 2);
  x.take(3);
  CHECK(x.reports.find(app(1)) == nullptr);
  CHECK(x.reports.all().size() == 2);
}

TEST_CASE("what is too large replaces nothing", "[scheduling]") {
  ReportedCluster x;
  auto large = report_of(1);
  large.jobs.resize(reported_jobs_max + 1);
  CHECK(x.reports.take(Instant{5s}, x.state(), large).code()
        == Errc::invalid_request);
  CHECK(x.reports.find(app(1))->report == report_of(1));
}

TEST_CASE("an explanation has what the driver and what the master knows of "
          "waiting tasks",
          "[scheduling]") {
  ReportedCluster x;
  auto explained = [&] {
    return explain_tasks(x.state(), x.reports, Instant{5s}, app(1));
  };
  auto tasks = explained();
  REQUIRE(tasks);
  CHECK(tasks->reported_ms_ago == 3000);
  CHECK(tasks->jobs == 1);
  CHECK(tasks->running == 1);
  CHECK(tasks->executors == 1);
  using Texts = std::vector<std::string>;
  Texts waiting{"stage 1 'split': 3 tasks wait for free cores: 1 of 1 are in "
                "use",
                "stage 2 '': it waits for stage 'split'"};
  auto executors
      = x.state().applications.all().begin()->second.executors.count();
  CHECK(executors == 2);
  waiting.emplace_back(
      "1 of its 2 executors has not registered with its driver");
  CHECK(tasks->reasons == waiting);
  x.run({"lost one"});
  waiting.emplace_back(
      "its driver is not connected, and may be further on than it has said");
  CHECK(explained()->reasons == waiting);
  CHECK_FALSE(explain_tasks(x.state(), x.reports, Instant{5s}, app(3)));
}
