// The MASTER between workers and applications that are played by the test.
// What is decided is tested with the Cluster; here, that it is carried out.

#include "actors/master.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <sstream>

#include "scheduling/master/render.hpp"
#include "storage/replay.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;

Lines lines_that_begin(const std::string& prefix, const std::string& text) {
  Lines result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(prefix))
      result.push_back(line);
  return result;
}

const std::string log_path
    = (std::filesystem::temp_directory_path()
       / ("stoker-master-test-" + std::to_string(getpid()) + ".log"))
          .string();

struct MasterFixture : DeterministicSystem {
  MasterActor master;
  WorkerRecordPtr worker_record = std::make_shared<WorkerRecord>();
  WorkerActor worker = spawn_worker(worker_record);
  std::shared_ptr<Lines> app_lines = std::make_shared<Lines>();
  AppClientActor app = spawn(
      [](std::shared_ptr<Lines> x) { return app_recorder(std::move(x)); },
      app_lines);

  std::shared_ptr<MessageLogWriter> log;

  MasterFixture() {
    ClusterConfig config;
    config.master_url = "stoker://m:1";
    log = std::make_shared<MessageLogWriter>(log_path, config);
    master = spawn(stoker::master, config, MasterServices{log, {}});
  }

  ~MasterFixture() {
    std::filesystem::remove(log_path);
  }

  WorkerActor spawn_worker(WorkerRecordPtr record) {
    return spawn(worker_recorder, std::move(record));
  }

  template <class Handle, class Message>
  void say_as(const Handle& from, const Message& x) {
    caf::send_as(caf::actor_cast<caf::actor>(from), master, x);
    scheduler.run();
  }

  /// Asks in its name. The answer is of no use to it.
  template <class Handle, class Message>
  void ask_as(const Handle& from, const Message& x) {
    auto sender = caf::actor_cast<caf::strong_actor_ptr>(from);
    caf::actor_cast<caf::strong_actor_ptr>(master)->enqueue(
        sender, caf::make_message_id(1), caf::make_message(x), nullptr);
    scheduler.run();
  }

  void register_worker(const WorkerActor& from, const std::string& id = "w1") {
    say_as(from,
           RegisterWorker{WorkerId{id}, EndpointId{id}, "h1", 0, 4, 4096});
  }

  void register_app() {
    RegisterApplication x;
    x.description.name = "sort";
    x.description.command.arguments = {"sort"};
    x.description.cores_per_executor = 1;
    x.description.max_cores = 1;
    x.description.memory_per_executor_mb = 64;
    x.driver = EndpointId{"d1"};
    say_as(app, x);
  }

  /// The states of all workers, as the master shows them.
  Lines worker_states() {
    Lines result;
    auto state = ask<MasterStateResponse>(master, RequestMasterState{});
    for (const auto& x : state->workers)
      result.push_back(to_string(x.id) + ' ' + to_string(x.state));
    return result;
  }

  Lines take(const WorkerRecordPtr& x) {
    return std::exchange(x->lines, {});
  }
  Lines take_app() {
    return std::exchange(*app_lines, {});
  }
};

} // namespace

TEST_CASE_METHOD(MasterFixture, "messages become events, and effects messages",
                 "[master]") {
  register_worker(worker);
  CHECK(take(worker_record) == Lines{"RegisteredWorker"});
  register_app();
  CHECK(take_app() == Lines{"RegisteredApplication", "ExecutorAdded"});
  CHECK(take(worker_record) == Lines{"LaunchExecutor"});
  auto launch = worker_record->launches.at(0);
  CHECK(launch.master_url == "stoker://m:1");
  CHECK(launch.app_desc.name == "sort");
  CHECK(launch.cores == 1);
  CHECK(*ask<bool>(master, ExecutorStateChanged{launch.app_id, launch.exec_id,
                                                ExecutorState::RUNNING}));
  CHECK(take_app() == Lines{"ExecutorUpdated RUNNING"});
  CHECK(*ask<bool>(master, UnregisterApplication{launch.app_id}));
  CHECK(take(worker_record) == Lines{"KillExecutor", "ApplicationFinished"});
}

TEST_CASE_METHOD(MasterFixture, "requests are answered with what was decided",
                 "[master]") {
  register_worker(worker);
  CHECK_FALSE(*ask<bool>(master, RequestExecutors{AppId{"app-9"}, 1}));
  CHECK_FALSE(*ask<bool>(master, KillExecutors{AppId{"app-9"}, {}}));
  CHECK_FALSE(
      ask<SubmitDriverResponse>(master, RequestSubmitDriver{})->success);
  CHECK_FALSE(ask<KillDriverResponse>(master, RequestKillDriver{})->success);
  CHECK_FALSE(ask<DriverStatusResponse>(master, RequestDriverStatus{})->found);
  CHECK_FALSE(
      ask<KillApplicationResponse>(master, RequestKillApplication{})->success);
  CHECK(ask<DecommissionWorkersResponse>(master,
                                         DecommissionWorkers{{WorkerId{"w1"}}})
            ->ids.size()
        == 1);
}

TEST_CASE_METHOD(MasterFixture,
                 "nobody says over another connection how many executors an "
                 "application wants",
                 "[master]") {
  register_worker(worker);
  register_app();
  auto app_id = worker_record->launches.at(0).app_id;
  CHECK(failed_with(ask<bool>(master, RequestExecutors{app_id, 3}),
                    Errc::not_alive));
}

TEST_CASE_METHOD(MasterFixture,
                 "a worker that beats stays, one that does not is lost",
                 "[master]") {
  register_worker(worker);
  for (int i = 0; i < 10; ++i) {
    advance(15s, 1s);
    say_as(worker, Heartbeat{WorkerId{"w1"}, EndpointId{"w1"}});
  }
  CHECK(worker_states() == Lines{"w1 ALIVE"});
  advance(59s, 1s);
  CHECK(worker_states() == Lines{"w1 ALIVE"});
  advance(1s, 1s);
  CHECK(worker_states() == Lines{"w1 DEAD"});
  // Shown for a while, then not any more.
  advance(16min, 10s);
  CHECK(worker_states().empty());
}

TEST_CASE_METHOD(MasterFixture, "a broken connection is an event", "[master]") {
  register_worker(worker);
  register_app();
  (void)take_app();
  kill(worker);
  CHECK(worker_states() == Lines{"w1 UNKNOWN"});
  advance(14s, 1s);
  CHECK(worker_states() == Lines{"w1 DEAD"});
  CHECK(take_app() == Lines{"ExecutorUpdated LOST", "WorkerRemoved"});
}

TEST_CASE_METHOD(MasterFixture, "the late end of an old connection is ignored",
                 "[master]") {
  register_worker(worker);
  auto record = std::make_shared<WorkerRecord>();
  auto again = spawn_worker(record);
  register_worker(again);
  CHECK(take(record) == Lines{"RegisteredWorker"});
  say_as(again, WorkerLatestState{WorkerId{"w1"}, {}, {}});
  kill(worker);
  CHECK(worker_states() == Lines{"w1 ALIVE"});
  kill(again);
  CHECK(worker_states() == Lines{"w1 UNKNOWN"});
}

TEST_CASE_METHOD(MasterFixture,
                 "a connection that is used for two is lost for both",
                 "[master]") {
  register_worker(worker, "w1");
  register_worker(worker, "w2");
  register_worker(worker, "w1");
  kill(worker);
  CHECK(worker_states() == Lines{"w1 UNKNOWN", "w2 UNKNOWN"});
}

TEST_CASE_METHOD(MasterFixture, "a worker is known by its heartbeats as well",
                 "[master]") {
  say_as(worker, Heartbeat{WorkerId{"w1"}, EndpointId{"w1"}});
  CHECK(take(worker_record) == Lines{"ReconnectWorker"});
}

TEST_CASE_METHOD(MasterFixture, "a message without a sender does no harm",
                 "[master]") {
  register_worker(worker);
  caf::anon_send(master, RegisterWorker{WorkerId{"w1"}, EndpointId{"w1"}, "h1",
                                        0, 4, 4096});
  scheduler.run();
  CHECK(take(worker_record).front() == "RegisteredWorker");
  kill(worker);
  CHECK(worker_states() == Lines{"w1 UNKNOWN"});
}

TEST_CASE_METHOD(MasterFixture,
                 "a driver that is lost may come back, for a while",
                 "[master]") {
  register_worker(worker);
  register_app();
  kill(app);
  auto apps = [&] {
    return ask<MasterStateResponse>(master, RequestMasterState{})
        ->active_apps.size();
  };
  advance(12s, 1s);
  CHECK(apps() == 1);
  advance(2s, 1s);
  CHECK(apps() == 0);
}

TEST_CASE_METHOD(MasterFixture, "a master tells where an output is",
                 "[master]") {
  register_worker(worker);
  register_app();
  ProgramId executor = ExecutorId{worker_record->launches.at(0).app_id, 0};
  auto place
      = ask<OutputPlaceResponse>(master, about<RequestOutputPlace>(executor));
  REQUIRE(place);
  CHECK(place->worker_id == WorkerId{"w1"});
  CHECK_FALSE(place->finished);
  executor = ExecutorId{AppId{"app-9"}, 0};
  CHECK(failed_with(
      ask<OutputPlaceResponse>(master, about<RequestOutputPlace>(executor)),
      Errc::not_found));
  CHECK_FALSE(ask<OutputPlaceResponse>(master, RequestOutputPlace{}));
}

TEST_CASE_METHOD(MasterFixture, "a worker is asked for the output that it has",
                 "[master]") {
  register_worker(worker);
  RequestOutput x;
  x.worker_id = WorkerId{"w1"};
  x.reader = "test";
  auto answer = ask<OutputResponse>(master, x);
  REQUIRE(answer);
  CHECK(*answer == output_response());
  CHECK(worker_record->output_requests == std::vector{x});
  worker_record->error = caf::make_error(Errc::unreadable);
  CHECK(failed_with(ask<OutputResponse>(master, x), Errc::unreadable));
}

TEST_CASE_METHOD(MasterFixture,
                 "output is not waited for when its worker is lost",
                 "[master]") {
  register_worker(worker);
  worker_record->silent = true;
  RequestOutput x;
  x.worker_id = WorkerId{"w1"};
  auto pending = request<OutputResponse>(master, x);
  CHECK_FALSE(pending.answered());
  kill(worker);
  CHECK(failed_with(pending.answer(), Errc::not_running));
}

TEST_CASE_METHOD(MasterFixture, "a worker is given the time that it may wait",
                 "[master]") {
  register_worker(worker);
  worker_record->silent = true;
  RequestOutput x;
  x.worker_id = WorkerId{"w1"};
  x.wait_ms = 10'000;
  auto pending = request<OutputResponse>(master, x);
  advance(19s, 1s);
  CHECK_FALSE(pending.answered());
  advance(2s, 1s);
  CHECK_FALSE(pending.answer());
}

TEST_CASE_METHOD(MasterFixture, "output of a worker that nobody has is refused",
                 "[master]") {
  register_worker(worker);
  RequestOutput x;
  x.worker_id = WorkerId{"worker-9"};
  CHECK(failed_with(ask<OutputResponse>(master, x), Errc::not_found));
  x.worker_id = WorkerId{"w1"};
  kill(worker);
  CHECK(failed_with(ask<OutputResponse>(master, x), Errc::not_running));
}

TEST_CASE_METHOD(MasterFixture,
                 "an application writes to its executors, and nobody else does",
                 "[master]") {
  register_worker(worker);
  register_app();
  auto id = worker_record->launches.at(0).app_id;
  WriteInput x{WorkerId{"w1"}, ExecutorId{id, 0}, 3, "input", true};
  ask_as(app, x);
  CHECK(worker_record->inputs == std::vector{x});
  // Who asks here is not the application.
  CHECK(failed_with(ask<InputResponse>(master, x), Errc::not_running));
  SECTION("an executor that it does not have") {
    x.executor.exec_id = 9;
    ask_as(app, x);
  }
  SECTION("one that runs elsewhere") {
    register_worker(spawn_worker(std::make_shared<WorkerRecord>()), "w2");
    x.worker_id = WorkerId{"w2"};
    ask_as(app, x);
  }
  SECTION("an application that is not there") {
    x.executor.app_id = AppId{"app-9"};
    ask_as(app, x);
    CHECK(failed_with(ask<InputResponse>(master, x), Errc::not_found));
  }
  SECTION("a worker that is not connected") {
    kill(worker);
    ask_as(app, x);
  }
  CHECK(worker_record->inputs.size() == 1);
}

TEST_CASE_METHOD(MasterFixture, "the message log replays without a difference",
                 "[master]") {
  register_worker(worker);
  register_app();
  auto id = worker_record->launches.at(0).app_id;
  REQUIRE(
      ask<bool>(master, ExecutorStateChanged{id, 0, ExecutorState::RUNNING}));
  advance(20s, 1s);
  RequestSubmitDriver submit;
  submit.driver_description.command.arguments = {"drive"};
  REQUIRE(ask<SubmitDriverResponse>(master, submit)->success);
  kill(worker);
  advance(2min, 1s);
  REQUIRE(ask<KillApplicationResponse>(master, RequestKillApplication{id})
              ->success);

  log->flush();
  auto replayed = replay_file(log_path);
  REQUIRE(replayed);
  CHECK(replayed->problem().empty());
  MessageLogReader reader{message_log_files(log_path)};
  std::vector<LoggedStep> steps;
  while (auto step = reader.next())
    steps.push_back(*step);
  REQUIRE(steps.size() > 6);
  CHECK(std::holds_alternative<ElectedLeader>(steps.at(0).event));
  CHECK(steps.at(1).from == EndpointId{"w1"});
  CHECK(to_string(steps.at(1).event).find("RegisterWorker id=w1") == 0);
  CHECK(std::holds_alternative<RequestKillApplication>(steps.back().event));
}

TEST_CASE_METHOD(DeterministicSystem,
                 "a master leads without a message log that cannot be begun",
                 "[master]") {
  TemporaryDirectory directory;
  auto path = directory.write("log", "somebody else's");
  REQUIRE(chmod(path.c_str(), 0) == 0);
  std::shared_ptr<MessageLogWriter> log;
  {
    Unprivileged user{directory.path(".")};
    log = std::make_shared<MessageLogWriter>(path, ClusterConfig{});
  }
  CapturedLog logged;
  auto master = spawn(stoker::master, ClusterConfig{}, MasterServices{log, {}});
  scheduler.run();
  // Once, and not only when something happens.
  CHECK(lines_that_begin("[message-log-lost]", logged.text())
        == Lines{"[message-log-lost] cannot write the message log " + path
                 + ": Permission denied; the master goes on without"});
  CHECK(ask<MasterStateResponse>(master, RequestMasterState{})->status
        == RecoveryState::ALIVE);
  CHECK(lines_that_begin("[message-log-lost]", logged.text()).size() == 1);
}

TEST_CASE_METHOD(MasterFixture, "timers do not add up over many heartbeats",
                 "[master]") {
  register_worker(worker);
  std::size_t most = 0;
  for (int i = 0; i < 500; ++i) {
    advance(1s, 1s);
    say_as(worker, Heartbeat{WorkerId{"w1"}, EndpointId{"w1"}});
    most = std::max(most, pending_timers());
  }
  CHECK(most <= 3);
}

TEST_CASE_METHOD(MasterFixture,
                 "what a driver says of its jobs is told, and what others say "
                 "of them is not",
                 "[master]") {
  register_worker(worker);
  register_app();
  auto id = ask<MasterStateResponse>(master, RequestMasterState{})
                ->active_apps.at(0)
                .id;
  ReportJobs report;
  report.app_id = id;
  report.jobs.emplace_back();
  report.jobs.back().name = "count";
  report.stages.emplace_back();
  report.stages.back().waits = "1 task waits for free cores";
  // Neither over another connection nor of another application.
  say_as(worker, report);
  caf::anon_send(master, report);
  scheduler.run();
  auto of_another = report;
  of_another.app_id = AppId{"app-9"};
  say_as(app, of_another);
  CHECK(ask<JobsResponse>(master, RequestJobs{})->applications.empty());
  CHECK_FALSE(ask<ExplanationResponse>(master, RequestExplanation{id})->tasks);
  say_as(app, report);
  // One that is too large changes nothing.
  auto large = report;
  large.jobs.resize(reported_jobs_max + 1);
  say_as(app, large);
  advance(3s, 1s);
  auto told = ask<JobsResponse>(master, RequestJobs{});
  REQUIRE(told->applications.size() == 1);
  CHECK(told->applications.front().name == "sort");
  REQUIRE(told->applications.front().jobs.size() == 1);
  CHECK(told->applications.front().jobs.front().name == "count");
  auto tasks = ask<ExplanationResponse>(master, RequestExplanation{id})->tasks;
  REQUIRE(tasks);
  CHECK(tasks->reported_ms_ago == 3000);
  CHECK(tasks->reasons.front() == "stage 0 '': 1 task waits for free cores");
}
