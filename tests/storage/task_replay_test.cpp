// Stepping a task scheduler's log again: storage/task_replay.hpp.

#include "storage/task_replay.hpp"

#include <sstream>

#include "storage/replay.hpp"
#include "tests/storage/recorded_jobs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// A log of two jobs on two executors, of which one is lost.
std::string recorded_jobs() {
  TemporaryDirectory directory;
  RecordedJobs jobs{directory.path("log")};
  jobs.add_executor(0);
  jobs.add_executor(1);
  jobs.run_job(5);
  jobs.step(ExecutorEnded{1, ExecutorLoss::by_itself, "exit code 3"});
  jobs.run_job(3);
  jobs.flush();
  return directory.read("log");
}

std::string replaced_in(std::string text, const std::string& what,
                        const std::string& with) {
  auto i = text.find(what);
  REQUIRE(i != std::string::npos);
  return text.replace(i, what.size(), with);
}

std::string difference_in_task_log(const std::string& log) {
  std::istringstream in{log};
  return replay_task_log(in).problem();
}

} // namespace

TEST_CASE("a task scheduler's log replays without a difference",
          "[storage][replay]") {
  auto log = recorded_jobs();
  CHECK(difference_in_task_log(log).empty());
  std::istringstream in{log};
  auto replay = replay_task_log(in);
  CHECK(replay.steps > 8);
  CHECK(replay.scheduler.state().jobs.empty());
  CHECK(replay.scheduler.state().executors.all().size() == 1);
}

TEST_CASE("a log replays although its results and errors were cut short",
          "[storage][replay]") {
  TemporaryDirectory directory;
  RecordedJobs jobs{directory.path("log")};
  jobs.add_executor(0);
  std::string errors;
  for (int i = 0; i < 30'000; ++i)
    errors += static_cast<char>(i * 7);
  jobs.run_job(3, 1 << 20, errors);
  jobs.flush();
  CHECK(directory.read("log").size() < 20'000);
  auto replayed = replay_task_log_file(directory.path("log"));
  REQUIRE(replayed);
  CHECK(replayed->problem().empty());
}

TEST_CASE("a log with long lists of outputs replays", "[storage][replay]") {
  TemporaryDirectory directory;
  RecordedJobs jobs{directory.path("log")};
  jobs.add_executor(0);
  jobs.add_executor(1);
  jobs.run_job(100);
  jobs.flush();
  auto log = directory.read("log");
  CHECK(log.find(" places=100 fingerprint=") != std::string::npos);
  CHECK(difference_in_task_log(log).empty());
}

TEST_CASE("the first step of a task scheduler that differs is shown",
          "[storage][replay]") {
  auto log = replaced_in(recorded_jobs(), "StartTasks exec_id=0",
                         "StartTasks exec_id=1");
  auto problem = difference_in_task_log(log);
  CHECK(problem.find("step 3 at 1970-01-01 00:00:00.003 UTC (JobSubmitted "
                     "job={id=0 ")
        == 0);
  CHECK(problem.find("): then: StartTasks exec_id=1 tasks=[")
        != std::string::npos);
  CHECK(problem.find(", now: StartTasks exec_id=0 tasks=[")
        != std::string::npos);
}

TEST_CASE("another decision about a job is a difference", "[storage][replay]") {
  // As if the program that wrote it had tried no task twice.
  auto log = replaced_in(recorded_jobs(), "\"max_failures\":4",
                         "\"max_failures\":1");
  CHECK(difference_in_task_log(log).find(
            "): then: StartTasks exec_id=0 tasks=[0/4.0], now: EndTask "
            "exec_id=1 id=0/1.0 reason=\"the job has ended\"")
        != std::string::npos);
}

TEST_CASE("a replay of jobs ends where it shall", "[storage][replay]") {
  std::istringstream in{recorded_jobs()};
  auto replay = replay_task_log(in, {3, {}});
  CHECK(replay.steps == 3);
  CHECK(replay.scheduler.state().jobs.size() == 1);
  CHECK(replay.scheduler.state().stages.at(StageId{0}).tasks->running() > 0);
}

TEST_CASE("a log that submits what cannot be submitted is an error",
          "[storage][replay]") {
  auto log = replaced_in(recorded_jobs(), "\"tasks\":5", "\"tasks\":-5");
  CHECK_THROWS_WITH(difference_in_task_log(log),
                    Catch::Matchers::StartsWith(
                        "step 3 submits a job that cannot be: stage 'map' "));
}

TEST_CASE("a task scheduler's log in several files replays as one",
          "[storage][replay][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  std::uint64_t steps = 0;
  {
    RecordedJobs jobs{path, {4000, 100}};
    jobs.add_executor(0);
    for (int i = 0; i < 5; ++i)
      jobs.run_job(6);
    steps = jobs.steps();
  }
  auto files = message_log_files(path);
  REQUIRE(files.size() > 2);
  for (const auto& file : files) {
    INFO(file);
    auto replay = replay_task_log_file(file);
    REQUIRE(replay);
    CHECK(replay->steps == steps);
    CHECK(replay->problem().empty());
  }
}

TEST_CASE("a task scheduler's log without its beginning cannot be replayed",
          "[storage][replay][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  {
    RecordedJobs jobs{path, {4000, 2}};
    jobs.add_executor(0);
    for (int i = 0; i < 5; ++i)
      jobs.run_job(6);
  }
  auto replay = replay_task_log_file(path);
  CHECK(replay.code() == Errc::unreadable);
  CHECK(replay.error().message.starts_with("the log's beginning is gone"));
}

TEST_CASE("a replay of one kind refuses a log of the other",
          "[storage][replay]") {
  TemporaryDirectory directory;
  auto path = directory.write("log", recorded_jobs());
  auto replay = replay_file(path);
  CHECK(replay.code() == Errc::unreadable);
  CHECK(replay.error().message
        == path + ": a task scheduler's log, and not a master's log");
}
