// What `stoker log show` shows: tools/stoker/log_text.hpp.

#include "tools/stoker/log_text.hpp"

#include <sstream>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

LoggedStep step(std::uint64_t number, const Event& event,
                std::vector<std::string> effects = {}) {
  return {number,
          Instant{Duration{1'763'711'160'038}},
          {},
          event,
          std::move(effects),
          {},
          "{\"at\":1}"};
}

/// A worker and two applications, as a log has them.
std::vector<LoggedStep> steps() {
  RegisterApplication app;
  app.driver = EndpointId{"client-1"};
  return {
      step(1, ElectedLeader{}),
      step(2, RegisterWorker{WorkerId{"worker-1"}, EndpointId{"end-1"}, "h"},
           {"to end-1: RegisteredWorker", "wake at 5ms"}),
      step(3, app,
           {"to client-1: RegisteredApplication app_id=app-1 master_url=m",
            "to end-1: LaunchExecutor app_id=app-1"}),
      step(4, Heartbeat{WorkerId{"worker-1"}, EndpointId{"end-1"}}),
      step(5, KillExecutors{AppId{"app-10"}, {}}, {"reply true"}),
  };
}

std::string shown(const LogFilter& filter, bool json = false) {
  std::ostringstream out;
  LogPrinter printer{out, filter, json};
  for (const auto& x : steps())
    printer.print(x);
  return out.str();
}

} // namespace

TEST_CASE("a step is shown with time, number, event and effects",
          "[tools][log]") {
  LogFilter filter;
  filter.from = filter.to = 2;
  CHECK(shown(filter)
        == "2025-11-21 07:46:00.038  2  RegisterWorker id=worker-1 "
           "worker=end-1 host=h port=0 cores=0 memory_mb=0 leaving=false "
           "runs_programs=false only_spark=false\n"
           "    to end-1: RegisteredWorker\n"
           "    wake at 5ms\n");
}

TEST_CASE("a worker's steps are those that name it or its endpoint",
          "[tools][log]") {
  LogFilter filter;
  filter.names = {"worker-1"};
  auto text = shown(filter);
  CHECK(text.find("RegisterWorker") != std::string::npos);
  CHECK(text.find("Heartbeat") != std::string::npos);
  CHECK(text.find("    to end-1: LaunchExecutor") != std::string::npos);
  // Of a step that only concerns it, what concerns others is left out.
  CHECK(text.find("RegisteredApplication") == std::string::npos);
  CHECK(text.find("ElectedLeader") == std::string::npos);
}

TEST_CASE("whether a step was shown is known", "[tools][log]") {
  auto shows = [](const std::string& name, std::uint64_t from = 1) {
    std::ostringstream out;
    LogPrinter printer{out, {{name}, from, 5}, false};
    for (const auto& x : steps())
      printer.print(x);
    CHECK(printer.has_shown() == !out.str().empty());
    return printer.has_shown();
  };
  CHECK(shows("app-1"));
  CHECK_FALSE(shows("app-1", 4));
  CHECK_FALSE(shows("app-2"));
}

TEST_CASE("an application's steps are not those of one with a longer id",
          "[tools][log]") {
  LogFilter filter;
  filter.names = {"app-1"};
  auto text = shown(filter);
  CHECK(text.find("  3  RegisterApplication") != std::string::npos);
  CHECK(text.find("app-10") == std::string::npos);
  filter.names = {"app-10"};
  CHECK(shown(filter).find("  5  KillExecutors app_id=app-10")
        != std::string::npos);
}

TEST_CASE("endpoints are learnt from steps that are not shown",
          "[tools][log]") {
  LogFilter filter;
  filter.names = {"worker-1"};
  filter.from = 3;
  CHECK(shown(filter).find("    to end-1: LaunchExecutor")
        != std::string::npos);
}

TEST_CASE("for machines a step is its line with its number", "[tools][log]") {
  LogFilter filter;
  filter.from = filter.to = 4;
  CHECK(shown(filter, true) == "{\"step\":4,\"at\":1}\n");
}

TEST_CASE(
    "of a task scheduler's log a worker's steps are those of its executors",
    "[tools][log]") {
  auto jobs_step = [](std::uint64_t number, const JobsEvent& event,
                      std::vector<std::string> effects = {}) {
    return LoggedJobsStep{number, Instant{Duration{1'763'711'160'038}}, event,
                          std::move(effects), "{\"at\":1}"};
  };
  RegisterExecutor executor{3, WorkerId{"worker-1"}, "h", 2, {}};
  LogFilter filter;
  filter.names = {"worker-1"};
  std::ostringstream out;
  LogPrinter printer{out, filter, false};
  printer.print(jobs_step(1, executor));
  executor.exec_id = 33;
  executor.worker_id = WorkerId{"worker-2"};
  printer.print(jobs_step(2, executor));
  printer.print(
      jobs_step(3, JobsTick{},
                {"StartTasks exec_id=3 tasks=[0/0.0]",
                 "StartTasks exec_id=33 tasks=[0/1.0]", "JobsWakeAt when=5"}));
  printer.print(jobs_step(4, ExecutorDisconnected{33}));
  printer.print(jobs_step(5, ExecutorDisconnected{3}));
  CHECK(out.str()
        == "2025-11-21 07:46:00.038  1  RegisterExecutor exec_id=3 "
           "worker_id=worker-1 host=h cores=2 outputs={port=0}\n"
           "2025-11-21 07:46:00.038  3  JobsTick\n"
           "    StartTasks exec_id=3 tasks=[0/0.0]\n"
           "2025-11-21 07:46:00.038  5  ExecutorDisconnected exec_id=3\n");
}

TEST_CASE("an id is found as a whole word", "[tools][log]") {
  CHECK(has_word("app-1", "app-1"));
  CHECK(has_word("app_id=app-1 exec_id=0", "app-1"));
  CHECK(has_word("[app-1/0]", "app-1"));
  CHECK(has_word("app-10 app-1", "app-1"));
  CHECK_FALSE(has_word("app-10", "app-1"));
  CHECK_FALSE(has_word("my-app-1", "app-1"));
  CHECK_FALSE(has_word("", "app-1"));
}
