// What pages tell of workers, applications, executors, drivers, jobs and queues.

#include <set>
#include <string>
#include <vector>

#include "pages/applications.hpp"
#include "pages/cluster_figures.hpp"
#include "pages/drivers.hpp"
#include "pages/events.hpp"
#include "pages/executors.hpp"
#include "pages/explanation.hpp"
#include "pages/history.hpp"
#include "pages/jobs.hpp"
#include "pages/plan.hpp"
#include "pages/queues.hpp"
#include "pages/sentence.hpp"
#include "pages/workers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::pages;
using namespace stoker::test;

namespace {

/// The cell of a name.
Cell cell_of(const std::vector<Fact>& facts, const std::string& name) {
  for (const auto& x : facts)
    if (x.name == name)
      return x.cell;
  FAIL("there is no " << name);
  return {};
}

Cell cell_of(const Table& table, const std::string& head, std::size_t row = 0) {
  for (std::size_t i = 0; i < table.head.size(); ++i)
    if (table.head[i] == head)
      return table.rows.at(row).cells.at(i);
  FAIL("there is no " << head);
  return {};
}

/// Each row has as many cells as there are heads, and a key of its own.
void check_form(const Table& x) {
  std::set<std::string> keys;
  for (const auto& row : x.rows) {
    CHECK(row.cells.size() == x.head.size());
    CHECK(keys.insert(row.key).second);
  }
}

} // namespace

TEST_CASE("a worker is shown with what is used of it", "[pages]") {
  WorkerInfo x{WorkerId{"w1"}, "h1", 7078, WorkerState::ALIVE, 8, 3, 2048, 512};
  x.resources["gpu"] = {"0", "1"};
  x.resources_used["gpu"] = {"1"};
  x.spark_versions = {"3.5.9"};
  x.only_spark = true;
  x.problem = "it could not start a program";
  auto table = workers_table({x}, {});
  check_form(table);
  CHECK(cell_of(table, "Worker").href == "/workers/w1");
  CHECK(cell_of(table, "Cores") == use(3, 8));
  CHECK(cell_of(table, "Memory").text == "512 MB of 2 GB");
  CHECK(cell_of(table, "Other resources").text == "1 of 2 gpu");
  CHECK(cell_of(table, "Spark").text == "3.5.9 only");
  CHECK(cell_of(facts_of(x), "Resource gpu in use") == use(1, 2));
  CHECK(cell_of(facts_of(x), "Addresses of gpu").text == "0, 1 (in use: 1)");
  CHECK(cell_of(facts_of(x), "Given nothing because").text == *x.problem);
}

TEST_CASE("what has ended is shown with what it used", "[pages]") {
  HistoryResponse x;
  auto& entry = x.entries.emplace_back();
  entry.id = "app-1/0";
  entry.state = "EXITED";
  entry.started_ms = 1'000;
  entry.ended_ms = 6'000;
  entry.core_ms = 10'000;
  entry.use = ResourceUse{8'200, 64, 2'048};
  x.entries.emplace_back().id = "app-1/1";
  auto table = history_table(x, "/history?after=1");
  check_form(table);
  CHECK(table.next == "/history?after=1");
  CHECK(cell_of(table, "Id").href == "/history?id=app-1%2F0");
  CHECK(cell_of(table, "Ended (UTC)") == text("1970-01-01 00:00:06"));
  CHECK(cell_of(table, "Core time").text == "10.0 s");
  CHECK(cell_of(table, "CPU time").text == "8.2 s");
  CHECK(cell_of(table, "Peak memory").text == "64 MB");
  CHECK(cell_of(table, "Output").text == "2.0 KB");
  CHECK(cell_of(table, "CPU time", 1).text == "-");
  // Without companies there is no column of them.
  CHECK(html(table).find("Company") == std::string::npos);
}

TEST_CASE("use is shown by month and company", "[pages]") {
  UseResponse x;
  x.months.push_back(
      {"2026-11", "atlas", "ann", 5'400'000, 7'372'800, 0, 1, 2, 3});
  auto table = use_table(x);
  check_form(table);
  CHECK(cell_of(table, "Core hours").text == "1.50");
  CHECK(cell_of(table, "Memory GB hours").text == "2.00");
  CHECK(cell_of(table, "Executors").text == "3");
}

TEST_CASE("an application is shown with its instances and its message",
          "[pages]") {
  ApplicationInfo x;
  x.id = AppId{"app-1"};
  x.name = "<sort>";
  x.state = ApplicationState::FAILED;
  x.max_cores = 10;
  x.cores_granted = 4;
  x.instances = 10;
  x.instances_done = 3;
  x.message = "too many failures";
  x.submitted_ms = 1000;
  x.ended_ms = 4000;
  auto table = applications_table({x}, {}, 9000);
  check_form(table);
  CHECK(cell_of(table, "Instances done").text == "3 of 10");
  CHECK(cell_of(table, "Elapsed").text == "3 s");
  CHECK(cell_of(table, "State") == state("FAILED"));
  auto facts = facts_of(x, {}, 9000);
  CHECK(cell_of(facts, "Message").text == "too many failures");
}

TEST_CASE("what an application has and asks for is shown until it ends",
          "[pages]") {
  ApplicationInfo x;
  x.max_cores = 10;
  x.cores_granted = 4;
  x.executor_limit = 5;
  x.gang = 2;
  CHECK(cell_of(facts_of(x, {}, 0), "Cores") == use(4, 10));
  CHECK(cell_of(facts_of(x, {}, 0), "Executors that it asks for").text == "5");
  CHECK(cell_of(applications_table({x}, {}, 0), "Cores")
        == number(std::int64_t{4}));
  x.ended_ms = 1;
  for (const auto& fact : facts_of(x, {}, 0)) {
    CHECK(fact.name != "Cores");
    CHECK(fact.name != "Executors that it asks for");
    CHECK(fact.name != "Executors that start together");
  }
  CHECK(cell_of(applications_table({x}, {}, 0), "Cores") == Cell{});
}

TEST_CASE("the size of executors is shown when it is known", "[pages]") {
  ApplicationInfo x;
  for (const auto& fact : facts_of(x, {}, 0))
    CHECK(fact.name != "Memory of an executor");
  x.memory_per_executor_mb = 512;
  x.cores_per_executor = 2;
  CHECK(cell_of(facts_of(x, {}, 0), "Memory of an executor").text == "512 MB");
  CHECK(cell_of(facts_of(x, {}, 0), "Cores of an executor").text == "2");
  CHECK(
      cell_of(facts_of(x, {{"gpu", 2}}, 0), "Resource gpu of an executor").text
      == "2");
}

TEST_CASE(
    "executors lead to their worker, or to their application, and name it",
    "[pages]") {
  ExecutorInfo x;
  x.app_id = AppId{"app-1"};
  x.exec_id = 2;
  x.worker_id = WorkerId{"w1"};
  x.exit_status = 1;
  auto of_app = executors_table({x}, ExecutorsOf::application, {}, 0);
  auto of_worker = executors_table({x}, ExecutorsOf::worker, {}, 0);
  check_form(of_app);
  check_form(of_worker);
  CHECK(cell_of(of_app, "Worker").href == "/workers/w1");
  CHECK(cell_of(of_worker, "Application").href == "/applications/app-1");
  CHECK(cell_of(of_app, "Executor").href == "/executors/app-1/2");
  ApplicationDescription app;
  app.name = "sort";
  app.user = "ann";
  auto facts = facts_of(x, app, 0);
  CHECK(cell_of(facts, "Exit status").text == "1");
  CHECK(cell_of(facts, "Name").text == "sort");
  CHECK(cell_of(facts, "User").text == "ann");
}

TEST_CASE(
    "what has a page leads to its events, and to its history if it has one",
    "[pages]") {
  ApplicationInfo app;
  app.id = AppId{"app-1"};
  DriverInfo driver;
  driver.id = DriverId{"driver-1"};
  ExecutorInfo executor;
  executor.app_id = app.id;
  executor.exec_id = 2;
  WorkerInfo worker;
  worker.id = WorkerId{"w 1"};
  auto check = [](const std::vector<Fact>& facts, const std::string& id) {
    CHECK(cell_of(facts, "What happened to it").href == "/events?of=" + id);
    CHECK(cell_of(facts, "What is kept of it").href == "/history?id=" + id);
  };
  check(facts_of(app, {}, 0), "app-1");
  check(facts_of(driver, 0), "driver-1");
  check(facts_of(executor, {}, 0), "app-1%2F2");
  CHECK(cell_of(facts_of(worker), "What happened to it").href
        == "/events?of=w%201");
}

TEST_CASE("what has exited looks like a failure only with a status that is one",
          "[pages]") {
  ExecutorInfo x;
  x.state = ExecutorState::EXITED;
  auto page = [&] { return html(facts_of(x, {}, 0)); };
  x.exit_status = 0;
  CHECK(contains(page(), "class=\"badge state-EXITED\""));
  x.exit_status = 3;
  CHECK(contains(page(), "class=\"badge state-EXITED is-failure\""));
  // It was asked to end.
  x.state = ExecutorState::KILLED;
  x.exit_status = 143;
  CHECK(contains(page(), "class=\"badge state-KILLED\""));
  HistoryResponse history;
  auto& entry = history.entries.emplace_back();
  entry.state = "EXITED";
  entry.exit_status = 3;
  CHECK(contains(html(history_table(history, "")), "state-EXITED is-failure"));
}

TEST_CASE("a driver is shown with where it runs and goes on", "[pages]") {
  DriverInfo x;
  x.id = DriverId{"driver-1"};
  x.relaunched_as = DriverId{"driver-2"};
  x.restarts = 3;
  auto table = drivers_table({x}, {}, 0);
  check_form(table);
  CHECK(cell_of(table, "Worker").text == "-");
  CHECK(cell_of(table, "Restarts").text == "3");
  CHECK(cell_of(facts_of(x, 0), "Goes on as").href == "/drivers/driver-2");
}

TEST_CASE("jobs and stages are shown as far as they are", "[pages]") {
  ApplicationJobs x;
  JobInfo job;
  job.id = JobId{1};
  job.tasks = 10;
  job.done = 4;
  x.jobs = {job};
  StageInfo stage;
  stage.id = StageId{2};
  stage.waits = "it waits for stage 1";
  stage.jobs = {JobId{1}};
  stage.use.cpu_ms = 12'300;
  x.stages = {stage};
  x.jobs_left_out = 5;
  auto jobs = jobs_table(x, 0);
  auto stages = stages_table(x, {}, 0);
  check_form(jobs);
  check_form(stages);
  CHECK(jobs.title == "Jobs (5 more that its driver no longer tells of)");
  CHECK(cell_of(jobs, "Tasks done") == use(4, 10));
  CHECK(cell_of(stages, "Waits for").text == "it waits for stage 1");
  CHECK(cell_of(stages, "Elapsed").text == "-");
  CHECK(cell_of(stages, "CPU").text == "12.3 s");
  CHECK(stages_table(x, JobId{1}, 0).rows.size() == 1);
  CHECK(stages_table(x, JobId{2}, 0).rows.empty());
}

TEST_CASE("a job has a page of its own, and says what became of it",
          "[pages]") {
  ApplicationJobs x;
  x.app_id = AppId{"app-1"};
  JobInfo job;
  job.id = JobId{7};
  job.status = JobStatus::FAILED;
  job.message = "task 0 failed";
  x.jobs = {job};
  CHECK(cell_of(jobs_table(x, 0), "Job").href == "/jobs/app-1/7");
  CHECK(cell_of(all_jobs_table({{x}, 0}, 0), "Job").href == "/jobs/app-1/7");
  auto facts = facts_of(x, job, 0);
  CHECK(cell_of(facts, "Application").href == "/applications/app-1");
  CHECK(cell_of(facts, "State") == state("FAILED"));
  CHECK(cell_of(facts, "Message").text == "task 0 failed");
}

TEST_CASE("queues show companies, their users, and who waits", "[pages]") {
  QueuesResponse x;
  auto& company = x.tenants.emplace().companies.emplace_back();
  company.name = "acme";
  company.place = 1;
  company.share = 0.25;
  company.max_cores = 8;
  company.users.emplace_back().name = "ann";
  x.admitted = {{AppId{"app-1"}, "sort", "ann", 1, 2, 2'000'000'000}};
  x.admitted_in_all = 4;
  x.queued = {{AppId{"app-2"}, "scan", "ann", 0, 0, 0}};
  x.queued_in_all = 1;
  auto companies = companies_table(*x.tenants);
  check_form(companies);
  CHECK(cell_of(companies, "Share").text == "25.0 %");
  CHECK(cell_of(companies, "Turn").text == "1");
  CHECK(cell_of(companies, "Cap").text == "8 cores");
  CHECK(cell_of(companies, "Turn", 1).text == "-");
  CHECK_FALSE(contains(html(companies), "high=\"0\""));
  company.share = 1.25;
  company.purchased = {8, 1536};
  companies = companies_table(*x.tenants);
  CHECK(cell_of(companies, "Purchased").text == "8 cores, 1.5 GB");
  // More than there is has a colour of its own.
  CHECK(contains(html(companies), "high=\"0\" optimum=\"0\""));
  auto served = served_table(x);
  check_form(served);
  CHECK(served.title == "Served in this order (and 3 more)");
  CHECK(cell_of(served, "Cores that it waits for").text == "all");
  auto& user = company.users.front();
  user.place = 1;
  user.blocked = "user ann has 1 program admitted, and may have 1";
  auto queued = queued_table(x, {{"app-2", {{6, 1536}, 1000}}}, 61'000);
  check_form(queued);
  CHECK(cell_of(queued, "Place in queue").text == "1");
  CHECK(cell_of(queued, "Company").text == "acme");
  CHECK(cell_of(queued, "Cores").text == "6");
  CHECK(cell_of(queued, "Memory").text == "1.5 GB");
  CHECK(cell_of(queued, "Has waited").text == "1 min");
  CHECK(cell_of(queued, "Waits because").text
        == "User ann has 1 program admitted, and may have 1. User ann is "
           "number 1 of company acme, which is number 1.");
  check_form(queued_table(x, {}, 0));
}

TEST_CASE("stages are shown in the order in which they were made", "[pages]") {
  ApplicationJobs x;
  for (auto id : {3, 1, 2}) {
    StageInfo stage;
    stage.id = StageId{id};
    x.stages.push_back(stage);
  }
  auto table = stages_table(x, {}, 0);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(cell_of(table, "Stage", i).text == std::to_string(i + 1));
}

TEST_CASE("an event leads to what it is of", "[pages]") {
  auto href = [](const std::string& fields) {
    return cell_of(events_table({{1, 0, "it-happened", fields, "", false}}, {}),
                   "Of")
        .href;
  };
  CHECK(href("worker=w1 host=h1") == "/workers/w1");
  CHECK(href("driver=driver-1 worker=w1") == "/drivers/driver-1");
  CHECK(href("app=app-1 name=x") == "/applications/app-1");
  CHECK(href("app=app-1 executor=2 worker=w1") == "/executors/app-1/2");
  CHECK(href("app=app-1") == "/applications/app-1");
  CHECK(href("worker=\"a b\"").empty());
  CHECK(href("").empty());
}

TEST_CASE("a plan says what it was asked, with units", "[pages]") {
  RequestPlan x;
  x.add_workers.push_back({2, 8, 15'872});
  auto& app = x.add_apps.emplace_back();
  app.user = "ann";
  app.cores_per_executor = 1;
  app.memory_per_executor_mb = 4;
  x.remove_workers = {WorkerId{"w1"}};
  x.end_apps = {AppId{"app-1"}};
  CHECK(assumptions(x)
        == std::vector<std::string>{
            "2 workers come, with 8 cores and 15.5 GB each.",
            "An application of ann comes, and asks for 1 executor with 1 core "
            "and 4 MB.",
            "w1 goes, with all that runs there.", "app-1 ends."});
  PlanResponse answer;
  answer.total = {18, 16'384};
  answer.free = {17, 15'872};
  CHECK(afterwards(answer)
        == "Afterwards 17 of 18 cores and 15.5 GB of 16 GB would be free. "
           "Nothing was changed.");
}

TEST_CASE("what a plan names leads to its page, if it is there", "[pages]") {
  PlanResponse x;
  x.starts = {{AppId{"app-1"}, "sort", WorkerId{"w1"}, 1, 1, 512},
              {AppId{"app-2"}, "planned", WorkerId{"new-worker-1"}, 1, 1, 512}};
  x.outcomes = {{AppId{"app-1"}, "sort", 0, 1, 0, ""},
                {{}, "planned", 0, 0, 0, "no worker has so much"}};
  x.drivers = {{DriverId{"driver-1"}, "drive", DriverState::RELAUNCHING,
                WorkerId{"w1"}, 1, 512, DriverId{"driver-2"},
                "its worker was lost; runs again as driver-2", 0},
               {DriverId{"driver-2"}, "drive", DriverState::SUBMITTED,
                std::nullopt, 1, 512, std::nullopt, "there is no worker", 2}};
  IsThere is_there{
      [](const AppId& id) { return id == AppId{"app-1"}; },
      [](const WorkerId& id) { return id == WorkerId{"w1"}; },
      [](const DriverId& id) { return id == DriverId{"driver-1"}; }};
  auto starts = starts_table(x, is_there);
  check_form(starts);
  CHECK(cell_of(starts, "Application").href == "/applications/app-1");
  CHECK(cell_of(starts, "Worker").href == "/workers/w1");
  CHECK(cell_of(starts, "Application", 1) == text("app-2"));
  CHECK(cell_of(starts, "Worker", 1) == text("new-worker-1"));
  auto outcomes = outcomes_table(x, is_there);
  check_form(outcomes);
  CHECK(cell_of(outcomes, "Application").href == "/applications/app-1");
  CHECK(cell_of(outcomes, "Cores it waits for").text == "0");
  auto drivers = driver_outcomes_table(x, is_there);
  check_form(drivers);
  CHECK(cell_of(drivers, "Driver").href == "/drivers/driver-1");
  CHECK(cell_of(drivers, "State").text == "RELAUNCHING");
  CHECK(cell_of(drivers, "Worker").href == "/workers/w1");
  CHECK(cell_of(drivers, "Driver", 1) == text("driver-2"));
  CHECK(cell_of(drivers, "Executors reserved", 1).text == "2");
  CHECK(cell_of(drivers, "Worker", 1) == text("-"));
  // One that is refused waits for nothing.
  CHECK(cell_of(outcomes, "Cores it waits for", 1).text == "-");
}

TEST_CASE("an id begins a sentence as it is", "[pages]") {
  CHECK(sentence("app-1 has ended already") == "app-1 has ended already.");
  CHECK(sentence("it is so.") == "It is so.");
  CHECK(sentence("") == ".");
}

TEST_CASE("a problem is an alert, and no markup", "[pages]") {
  auto text = problem_html("kind is '<b>'");
  CHECK(contains(text, "role=\"alert\""));
  CHECK(contains(text, "Kind is"));
  CHECK_FALSE(contains(text, "<b>"));
}

TEST_CASE("no name turns the line around in which it stands", "[pages]") {
  CHECK(text("a\u202eb").text == "a?b");
  CHECK_FALSE(contains(sentences_html("", {"a\u202eb"}), "\u202e"));
}

TEST_CASE("an explanation is told in sentences", "[pages]") {
  ExplanationResponse x;
  x.reasons = {"all cores are in use"};
  x.remedy = "one worker has 1 core free";
  x.position = 3;
  x.estimate = StartEstimate{60'000, AppId{"app-1"}, "its time limit"};
  x.tasks.emplace().reasons = {"stage 1 waits"};
  CHECK(sentences_of(x)
        == std::vector<std::string>{
            "All cores are in use.",
            "It starts when one worker has 1 core free.",
            "It may start in about 60 s, when app-1 ends (guessed from its "
            "time limit).",
            "No job of it runs.", "Stage 1 waits."});
  // It runs already, with fewer executors than it may have.
  x.executors = 1;
  CHECK(sentences_of(x).at(1)
        == "Another executor starts when one worker has 1 core free.");
}

TEST_CASE("a cluster is shown in a few figures", "[pages]") {
  ClusterFigures x;
  x.workers_alive = 2;
  x.cores = 8;
  x.cores_used = 3;
  auto facts = facts_of(x);
  CHECK(cell_of(facts, "Workers").text == "2 alive");
  CHECK(cell_of(facts, "Cores in use") == use(3, 8));
  CHECK(cell_of(facts, "Drivers").text == "0 running, 0 waiting");
  x.workers_lost = 1;
  CHECK(cell_of(facts_of(x), "Workers").text == "2 alive, 1 lost");
  x.workers_left = 3;
  CHECK(cell_of(facts_of(x), "Workers").text == "2 alive, 3 left, 1 lost");
  x.workers_unknown = 1;
  x.workers_leaving = 4;
  CHECK(cell_of(facts_of(x), "Workers").text
        == "2 alive, 1 unknown, 4 leaving, 3 left, 1 lost");
  x.drivers_running = 4;
  x.drivers_waiting = 1500;
  CHECK(cell_of(facts_of(x), "Drivers").text == "4 running, 1500 waiting");
  x.drivers_unknown = 1;
  CHECK(cell_of(facts_of(x), "Drivers").text
        == "4 running, 1500 waiting, 1 unknown");
}
