// The WORKER between a connector and masters that are played by the test.
// Without processes, which need threads: see programs_test.cpp.

#include "actors/worker.hpp"

#include <optional>
#include <sstream>

#include "tests/actors/fake_master.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// Two masters that cannot be reached.
const std::vector<MasterActor> no_masters(2);

struct WorkerFixture : DeterministicSystem {
  Record first = std::make_shared<MasterRecord>();
  Record second = std::make_shared<MasterRecord>();
  std::shared_ptr<ConnectorScript> script = std::make_shared<ConnectorScript>();
  std::shared_ptr<std::optional<StopWorker>> end
      = std::make_shared<std::optional<StopWorker>>();
  WorkerActor worker;

  WorkerFixture() {
    script->masters = {spawn(fake_master, first), spawn(fake_master, second)};
  }

  void start() {
    WorkerConfig config;
    config.id = WorkerId{"w1"};
    config.endpoint = EndpointId{"e1"};
    config.host = "h1";
    config.cores = 4;
    config.memory_mb = 4096;
    config.work_directory = "/proc/none";
    config.registration.masters = script->masters.size();
    config.registration.give_up_after = 60s;
    worker = spawn(
        stoker::worker, config, spawn(scripted_connector, script),
        process::MonitorConfig{"/proc/none"},
        [x = end](const StopWorker& why) { *x = why; },
        std::shared_ptr<WorkerIdentity>{}, std::shared_ptr<WorkerOutputs>{});
  }

  template <class Message>
  void say(std::size_t master, const Message& x, LeaderEpoch from = {}) {
    caf::send_as(caf::actor_cast<caf::actor>(script->masters.at(master)),
                 worker, from, x);
    scheduler.run();
  }

  void start_registered() {
    start();
    say(0, RegisteredWorker{"stoker://m:1", false});
  }

  void lose(std::size_t master) {
    kill(std::exchange(script->masters.at(master), MasterActor{}));
  }
};

std::ptrdiff_t lines_with(const std::string& words, const std::string& text) {
  std::istringstream in{text};
  std::ptrdiff_t result = 0;
  for (std::string line; std::getline(in, line);)
    result += line.find(words) != std::string::npos ? 1 : 0;
  return result;
}

LaunchExecutor launch() {
  LaunchExecutor x;
  x.app_id = AppId{"app-1"};
  x.app_desc.command.arguments = {"true"};
  return x;
}

} // namespace

TEST_CASE_METHOD(WorkerFixture, "a worker registers, then says what it runs",
                 "[worker]") {
  start();
  CHECK(first->heard<RegisterWorker>()
        == std::vector{RegisterWorker{WorkerId{"w1"},
                                      EndpointId{"e1"},
                                      "h1",
                                      0,
                                      4,
                                      4096,
                                      {},
                                      ConnectionStamp{0, 1}}});
  CHECK(first->heard<WorkerLatestState>().empty());
  say(0, RegisteredWorker{"stoker://m:1", false});
  CHECK(first->heard<WorkerLatestState>()
        == std::vector{WorkerLatestState{WorkerId{"w1"}, {}, {}}});
  // The master answers to whoever registers.
  CHECK(first->peer == caf::actor_cast<caf::strong_actor_ptr>(worker));
}

TEST_CASE_METHOD(WorkerFixture, "a registered worker sends heartbeats",
                 "[worker]") {
  start_registered();
  advance(16s);
  CHECK(first->heard<Heartbeat>()
        == std::vector{Heartbeat{WorkerId{"w1"}, EndpointId{"e1"}}});
  advance(150s);
  CHECK(first->heard<Heartbeat>().size() == 11);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a lost master is looked for, and told what runs",
                 "[worker]") {
  start_registered();
  lose(0);
  advance(1s);
  REQUIRE(second->heard<RegisterWorker>().size() == 1);
  say(1, RegisteredWorker{"stoker://m:2", true});
  CHECK(second->heard<WorkerLatestState>().size() == 1);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a STANDBY master is left, and its end is ignored",
                 "[worker]") {
  start();
  say(0, MasterInStandby{});
  REQUIRE(second->heard<RegisterWorker>().size() == 1);
  say(1, RegisteredWorker{"stoker://m:2", false});
  lose(0);
  advance(16s);
  CHECK(second->heard<RegisterWorker>().size() == 1);
  CHECK(second->heard<Heartbeat>().size() == 1);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker does not wait for a connector that is silent",
                 "[worker]") {
  script->silent = true;
  start();
  advance(11s);
  CHECK(script->asked == std::vector<std::size_t>{0, 1});
}

TEST_CASE_METHOD(WorkerFixture,
                 "a master that forgot the worker is registered with "
                 "again",
                 "[worker]") {
  start_registered();
  say(0, ReconnectWorker{"stoker://m:1"});
  CHECK(first->heard<RegisterWorker>().size() == 2);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a failed start is reported until it is acknowledged",
                 "[worker]") {
  start_registered();
  first->answers = false;
  say(0, launch());
  auto reports = first->heard<ExecutorStateChanged>();
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().state == ExecutorState::FAILED);
  CHECK(reports.front().message);
  advance(6s);
  CHECK(first->heard<ExecutorStateChanged>().size() == 2);
  // An error is no acknowledgement.
  first->error = caf::make_error(Errc::not_alive);
  advance(5s);
  CHECK(first->heard<ExecutorStateChanged>().size() == 3);
  first->error = caf::none;
  first->answers = true;
  advance(5s);
  CHECK(first->heard<ExecutorStateChanged>().size() == 4);
  advance(60s);
  CHECK(first->heard<ExecutorStateChanged>().size() == 4);
}

TEST_CASE_METHOD(WorkerFixture, "a worker that is refused ends, and says why",
                 "[worker]") {
  start();
  say(0, RegisterWorkerFailed{"it has other cores"});
  REQUIRE(*end);
  CHECK((*end)->reason == EndReason::refused);
  CHECK((*end)->error == "the master refuses this worker: it has other cores");
}

TEST_CASE_METHOD(WorkerFixture, "a worker without a master for too long ends",
                 "[worker]") {
  script->masters = no_masters;
  start();
  advance(59s);
  CHECK_FALSE(*end);
  advance(2s);
  REQUIRE(*end);
  CHECK((*end)->reason == EndReason::master_lost);
  CHECK((*end)->error.find("no master: ") == 0);
}

TEST_CASE_METHOD(WorkerFixture,
                 "a worker says each reason why no master is found, once",
                 "[worker]") {
  CapturedLog log;
  start_registered();
  lose(1);
  lose(0);
  advance(10s);
  // Another one is there now.
  const std::string build
      = "the master is another build of Stoker 0.2.0, whose messages differ";
  script->failure = build;
  advance(10s);
  script->failure = "connection refused";
  advance(10s);
  auto told = [&](const std::string& reason) {
    return lines_with("[master-unreachable] " + reason + "; trying again",
                      log.text());
  };
  CHECK(told("connection refused") == 1);
  CHECK(told(build) == 1);
  // It is another loss when it has been there between.
  script->masters.at(0) = spawn(fake_master, first);
  advance(6s);
  say(0, RegisteredWorker{"stoker://m:1", false});
  lose(0);
  advance(10s);
  CHECK(told("connection refused") == 2);
}

TEST_CASE_METHOD(WorkerFixture, "a worker that is stopped leaves in good order",
                 "[worker]") {
  start_registered();
  caf::anon_send(worker, WorkerInternal{WorkerStopRequested{}});
  scheduler.run();
  CHECK(first->heard<WorkerDecommissioning>().size() == 1);
  REQUIRE(*end);
  CHECK((*end)->reason == EndReason::stopped);
  CHECK((*end)->error.empty());
}

TEST_CASE_METHOD(WorkerFixture, "a decommissioned worker without programs ends",
                 "[worker]") {
  start_registered();
  say(0, DecommissionWorker{});
  REQUIRE(*end);
  CHECK((*end)->reason == EndReason::stopped);
  CHECK((*end)->error.empty());
}

TEST_CASE_METHOD(WorkerFixture, "output that does not exist has a problem",
                 "[worker]") {
  start_registered();
  auto problem_of = [this](const AppId& app) {
    RequestOutput x;
    x.positions = {about<OutputPosition>(ExecutorId{app, 0})};
    auto answer = ask<OutputResponse>(worker, x);
    REQUIRE(answer);
    REQUIRE(answer->parts.size() == 1);
    CHECK(answer->parts.front().complete);
    return answer->parts.front().problem.value_or("");
  };
  CHECK(problem_of(AppId{"../etc"})
        == "this is not the output of an executor or a driver");
  CHECK(problem_of(AppId{"app-1"}).starts_with("there is no stdout in "));
}

TEST_CASE_METHOD(WorkerFixture, "a question about nothing is answered at once",
                 "[worker]") {
  start_registered();
  RequestOutput x;
  x.wait_ms = 10'000;
  x.taken = {ExecutorId{AppId{"app-1"}, 0}};
  CHECK(ask<OutputResponse>(worker, x) == OutputResponse{});
}
