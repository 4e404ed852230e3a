// The TASK SCHEDULER between executors that are played by the test and what surrounds
// it, with a clock that is moved by hand.

#include "actors/task_scheduler.hpp"

#include "storage/task_replay.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// What an executor was told, as words.
using Told = std::shared_ptr<std::vector<std::string>>;

ExecutorActor::behavior_type played_executor(ExecutorActor::pointer,
                                             const Told& told) {
  auto say = [told](const std::string& text) { told->push_back(text); };
  return {
      [](const RegisteredExecutor&) {},
      [=](const DescribeStage& x) { say("describe " + x.name); },
      [=](const StageOutputs& x) { say("outputs " + to_string(x.stage)); },
      [=](const LaunchTasks& x) {
        for (const auto& task : x.tasks)
          say("launch " + to_string(task.id) + ": " + task.text);
      },
      [=](const KillTask& x) { say("kill " + to_string(x.id)); },
      [=](const ReturnTasks& x) { say("return " + std::to_string(x.count)); },
      [=](const ForgetStages&) { say("forget"); },
      [=](const StopExecutor& x) { say("stop: " + x.reason); },
      [=](const BarrierTasksMayBegin& x) {
        say("begin " + to_string(x.stage));
      },
      [=](const BarrierPassed& x) { say("passed " + x.error); },
      [](const TaskEnded&) {},
      [](const FunctionsEnded&) {},
      [](const ExecutorFlush&) {},
      [](const BarrierFlush&) {},
      [](const SendHeartbeat&) {},
  };
}

/// Knows one stage, and writes down what it hears.
struct PlayedHost : JobsHost {
  DescribeStage describe(StageId stage) override {
    DescribeStage result;
    result.stage = stage;
    result.name = "s" + to_string(stage);
    return result;
  }
  LaunchTask describe(const TaskAttempt& task) override {
    return {task, {}, "input " + std::to_string(task.task)};
  }
  void fetch(const FetchResult& x,
             std::function<void(std::string)> done) override {
    words.push_back("fetch " + to_string(x.id));
    fetched = std::move(done);
  }
  Status accept(const AcceptResult& x) override {
    words.push_back("accept " + x.result.value_or("fetched"));
    return refuses ? Error{Errc::full, "the disk is full"} : Status{};
  }
  void hear(const JobsEffect& x) override {
    if (const auto* end = std::get_if<JobEnded>(&x))
      words.push_back(to_string(end->outcome)
                      + (end->why.empty() ? "" : ": " + end->why));
    if (const auto* silent = std::get_if<ExecutorSilent>(&x))
      words.push_back("executor " + std::to_string(silent->exec_id)
                      + " is silent");
  }
  void stepped(const JobsState&) override {
  }
  void report(ReportJobs x) override {
    reports.push_back(std::move(x));
  }

  std::vector<std::string> words;
  std::vector<ReportJobs> reports;
  std::function<void(std::string)> fetched;
  bool refuses = false;
};

struct TaskSchedulerFixture : DeterministicSystem {
  std::shared_ptr<PlayedHost> host = std::make_shared<PlayedHost>();
  TemporaryDirectory directory;
  std::string log_file = directory.path("log");
  std::shared_ptr<TaskLogWriter> log
      = std::make_shared<TaskLogWriter>(log_file, JobsConfig{});
  TaskSchedulerActor tasks = spawn(task_scheduler, JobsConfig{}, host, log);

  struct Executor {
    ExecutorActor actor;
    Told told = std::make_shared<std::vector<std::string>>();
  };

  Executor start_executor(int exec_id) {
    Executor result;
    result.actor = spawn(played_executor, result.told);
    caf::send_as(caf::actor_cast<caf::actor>(result.actor), tasks,
                 RegisterExecutor{exec_id, WorkerId{"w"}, "h", 1,
                                  OutputServer{"h", 1, "", "id"}});
    scheduler.run();
    return result;
  }

  void happen(JobsEvent x) {
    caf::anon_send(tasks, TaskSchedulerInternal{std::move(x)});
    scheduler.run();
  }

  void submit(int count) {
    JobSpec job;
    job.stages.push_back({});
    job.stages[0].name = "s0";
    job.stages[0].tasks = count;
    job.stages[0].is_result = true;
    happen(JobSubmitted{job});
  }

  void finish(const Executor& from, int exec_id, int task,
              const std::string& result, bool stored = false, int attempt = 0) {
    TaskStatus status;
    status.id = {StageId{0}, task, attempt};
    if (stored)
      status.result_is_stored = true;
    else
      status.result = result;
    caf::send_as(caf::actor_cast<caf::actor>(from.actor), tasks,
                 StatusUpdates{exec_id, {status}, std::nullopt});
    scheduler.run();
  }
};

using Sayings = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "an executor is told of a stage before its first task",
                 "[actors]") {
  submit(2);
  auto executor = start_executor(0);
  CHECK(*executor.told
        == Sayings{"describe s0", "launch stage 0 task 0 attempt 0: input 0"});
}

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "results are taken, and the job ends with the last",
                 "[actors]") {
  auto executor = start_executor(0);
  submit(2);
  finish(executor, 0, 0, "one");
  finish(executor, 0, 1, "", true);
  CHECK(host->words == Sayings{"accept one", "fetch stage 0 task 1 attempt 0"});
  host->fetched("");
  scheduler.run();
  CHECK(host->words.back() == "succeeded");
  CHECK(executor.told->back() == "forget");
}

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "each step of a task scheduler goes to its log", "[actors]") {
  auto executor = start_executor(0);
  submit(2);
  finish(executor, 0, 0, "one");
  finish(executor, 0, 1, "", true);
  host->fetched("");
  scheduler.run();
  log->flush();
  auto replay = replay_task_log_file(log_file);
  REQUIRE(replay);
  CHECK(replay->problem().empty());
  CHECK(replay->steps == 5);
  CHECK(replay->scheduler.state().executors.available() == 1);
}

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "a result that cannot be taken fails its job", "[actors]") {
  host->refuses = true;
  auto executor = start_executor(0);
  submit(2);
  finish(executor, 0, 0, "one");
  CHECK(host->words == Sayings{"accept one", "failed: the disk is full"});
}

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "a last result that cannot be taken fails its job, too",
                 "[actors]") {
  host->refuses = true;
  auto executor = start_executor(0);
  submit(1);
  finish(executor, 0, 0, "one");
  CHECK(host->words == Sayings{"accept one", "failed: the disk is full"});
}

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "the tasks of an executor whose connection broke run "
                 "elsewhere after a second",
                 "[actors]") {
  auto first = start_executor(0);
  submit(1);
  auto second = start_executor(1);
  kill(first.actor);
  advance(900ms);
  CHECK(second.told->empty());
  advance(200ms);
  CHECK(*second.told
        == Sayings{"describe s0", "launch stage 0 task 0 attempt 1: input 0"});
}

TEST_CASE_METHOD(
    TaskSchedulerFixture,
    "an executor that says nothing for two minutes is told to stop, "
    "and its tasks run elsewhere",
    "[actors]") {
  auto first = start_executor(0);
  submit(1);
  auto second = start_executor(1);
  for (int i = 0; i < 12; ++i) {
    CHECK(host->words.empty());
    advance(10s, 1s);
    caf::send_as(caf::actor_cast<caf::actor>(second.actor), tasks,
                 ExecutorHeartbeat{1});
    scheduler.run();
  }
  CHECK(host->words == Sayings{"executor 0 is silent"});
  CHECK(first.told->back() == "stop: it has said nothing for too long");
  CHECK(*second.told
        == Sayings{"describe s0", "launch stage 0 task 0 attempt 1: input 0"});
  // Whatever it says now.
  auto told = first.told->size();
  finish(first, 0, 0, "one");
  kill(first.actor);
  CHECK(first.told->size() == told);
  finish(second, 1, 0, "other", false, 1);
  CHECK(host->words
        == Sayings{"executor 0 is silent", "accept other", "succeeded"});
}

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "an executor that the master says has ended is lost at once",
                 "[actors]") {
  auto first = start_executor(0);
  submit(1);
  auto second = start_executor(1);
  happen(ExecutorEnded{0, ExecutorLoss::from_outside, "killed"});
  CHECK(second.told->size() == 2);
}

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "another one under the number of an executor gets nothing",
                 "[actors]") {
  auto first = start_executor(0);
  auto second = start_executor(0);
  submit(2);
  CHECK(first.told->size() == 2);
  CHECK(second.told->empty());
}

TEST_CASE_METHOD(TaskSchedulerFixture, "with the driver executors end",
                 "[actors]") {
  auto executor = start_executor(0);
  caf::anon_send(tasks, StopTaskScheduler{"no more jobs"});
  scheduler.run();
  CHECK(*executor.told == Sayings{"stop: no more jobs"});
}

TEST_CASE_METHOD(TaskSchedulerFixture,
                 "what jobs do is reported a second after the last report, and "
                 "at the end",
                 "[actors]") {
  auto executor = start_executor(0);
  submit(2);
  auto before = host->reports.size();
  finish(executor, 0, 0, "one");
  CHECK(host->reports.size() == before);
  advance(1s, 100ms);
  REQUIRE(host->reports.size() == before + 1);
  CHECK(host->reports.back().jobs.front().done == 1);
  // Nothing changes.
  advance(10s, 1s);
  CHECK(host->reports.size() == before + 1);
  CHECK(*ask<bool>(tasks, StopTaskScheduler{"no more jobs"}));
  REQUIRE(host->reports.size() == before + 2);
  CHECK(host->reports.back().jobs.front().status == JobStatus::KILLED);
}
