// The APP CLIENT between an application, a connector and masters that are
// played by the test.

#include "actors/app_client.hpp"

#include "tests/actors/fake_master.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;

/// News as short lines.
struct Words {
  std::string operator()(const ApplicationConnected& x) const {
    return "connected as " + to_string(x.id);
  }
  std::string operator()(const ApplicationLeaderChanged&) const {
    return "another leads";
  }
  std::string operator()(const ApplicationDisconnected& x) const {
    return "disconnected: " + x.reason;
  }
  std::string operator()(const ApplicationSearches& x) const {
    return "searching: " + x.reason;
  }
  std::string operator()(const ApplicationDead& x) const {
    return "dead: " + x.message;
  }
  std::string operator()(const ExecutorAdded& x) const {
    return "added " + std::to_string(x.id);
  }
  std::string operator()(const ExecutorUpdated& x) const {
    return "updated " + std::to_string(x.id) + " to " + to_string(x.state);
  }
  std::string operator()(const WorkerRemoved& x) const {
    return "removed " + to_string(x.id);
  }
};

/// Writes down what an application learns.
ApplicationNewsSink writer(const std::shared_ptr<Lines>& lines) {
  return [lines](const ApplicationNews& x) {
    lines->push_back(std::visit(Words{}, x));
  };
}

/// Two masters that cannot be reached.
const std::vector<MasterActor> unreachable(2);

struct AppClientFixture : DeterministicSystem {
  Record first = std::make_shared<MasterRecord>();
  Record second = std::make_shared<MasterRecord>();
  std::shared_ptr<ConnectorScript> script = std::make_shared<ConnectorScript>();
  std::shared_ptr<Lines> news = std::make_shared<Lines>();
  AppClientActor client;

  AppClientFixture() {
    script->masters = {spawn(fake_master, first), spawn(fake_master, second)};
  }

  void start() {
    AppClientConfig config;
    config.description.name = "sort";
    config.endpoint = EndpointId{"e1"};
    config.registration.masters = script->masters.size();
    config.registration.give_up_after = 60s;
    client = spawn(app_client, config, spawn(scripted_connector, script),
                   writer(news));
  }

  /// Sends what a master says.
  template <class Message>
  void say(std::size_t master, const Message& x, LeaderEpoch from = {}) {
    caf::send_as(caf::actor_cast<caf::actor>(script->masters.at(master)),
                 client, from, x);
    scheduler.run();
  }

  void start_registered() {
    start();
    say(0, RegisteredApplication{AppId{"app-1"}, "stoker://m:1"});
    CHECK(take() == Lines{"connected as app-1"});
  }

  void lose(std::size_t master) {
    auto old = std::exchange(script->masters.at(master), MasterActor{});
    kill(old);
  }

  Lines take() {
    return std::exchange(*news, {});
  }

  bool is_over() {
    auto answer = ask<bool>(client, RequestExecutors{AppId{"app-1"}, 1});
    return !answer && answer.error().category() == caf::atom("system");
  }
};

} // namespace

TEST_CASE_METHOD(AppClientFixture,
                 "an application registers, and hears of executors",
                 "[app_client]") {
  start();
  REQUIRE(first->heard<RegisterApplication>().size() == 1);
  auto x = first->heard<RegisterApplication>().front();
  CHECK(x.description.name == "sort");
  CHECK(x.driver == EndpointId{"e1"});
  CHECK_FALSE(x.app_id);
  CHECK(take().empty());
  say(0, RegisteredApplication{AppId{"app-1"}, "stoker://m:1"});
  say(0, ExecutorAdded{7});
  say(0, ExecutorUpdated{7, ExecutorState::RUNNING});
  say(0, WorkerRemoved{WorkerId{"w1"}});
  CHECK(take()
        == Lines{"connected as app-1", "added 7", "updated 7 to RUNNING",
                 "removed w1"});
}

TEST_CASE_METHOD(AppClientFixture, "several subscribers hear the same news",
                 "[app_client]") {
  start_registered();
  auto later = std::make_shared<Lines>();
  caf::anon_send(client, SubscribeToNews{writer(later)});
  scheduler.run();
  // First how the application stands, and only to the new one.
  CHECK(*later == Lines{"connected as app-1"});
  CHECK(take().empty());
  later->clear();
  say(0, ExecutorAdded{7});
  say(0, ApplicationRemoved{"killed on request"});
  CHECK(take() == Lines{"added 7", "dead: killed on request"});
  CHECK(*later == Lines{"added 7", "dead: killed on request"});
  auto last = std::make_shared<Lines>();
  caf::anon_send(client, SubscribeToNews{writer(last)});
  scheduler.run();
  CHECK(*last == Lines{"dead: killed on request"});
}

TEST_CASE_METHOD(AppClientFixture,
                 "who subscribes first of all is told of nothing yet",
                 "[app_client]") {
  start();
  auto later = std::make_shared<Lines>();
  caf::anon_send(client, SubscribeToNews{writer(later)});
  scheduler.run();
  CHECK(later->empty());
}

TEST_CASE_METHOD(AppClientFixture,
                 "a lost master is looked for under the same id",
                 "[app_client]") {
  start_registered();
  lose(0);
  CHECK(take().front() == "disconnected: the connection to the master broke");
  auto again = second->heard<RegisterApplication>();
  REQUIRE(again.size() == 1);
  CHECK(again.front().app_id == AppId{"app-1"});
  CHECK(again.front().driver == EndpointId{"e1"});
  say(1, RegisteredApplication{AppId{"app-1"}, "stoker://m:2"});
  CHECK(take().back() == "connected as app-1");
}

TEST_CASE_METHOD(AppClientFixture,
                 "a search is told of once, until it succeeds",
                 "[app_client]") {
  auto masters = std::exchange(script->masters, unreachable);
  start();
  advance(5s);
  auto told = take();
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("searching: ") == 0);
  script->masters = masters;
  advance(10s);
  say(0, RegisteredApplication{AppId{"app-1"}, "stoker://m:1"});
  CHECK(take() == Lines{"connected as app-1"});
  auto other = std::exchange(script->masters.at(1), MasterActor{});
  lose(0);
  advance(5s);
  CHECK(take().size() == 2);
}

TEST_CASE_METHOD(AppClientFixture,
                 "without a master for too long, the client gives up",
                 "[app_client]") {
  script->masters = unreachable;
  start();
  advance(59s);
  CHECK_FALSE(is_over());
  (void)take();
  advance(2s);
  REQUIRE(take().size() == 1);
  CHECK(is_over());
}

TEST_CASE_METHOD(AppClientFixture,
                 "a standby does not hide that another master refuses the "
                 "application",
                 "[app_client]") {
  const std::string why = "stoker://m:1: the master is another build";
  std::size_t refusing = GENERATE(0U, 1U);
  auto standby = 1 - refusing;
  script->masters.at(refusing) = MasterActor{};
  script->failure = why;
  script->failure_code = Errc::refused;
  const auto& record = standby == 0 ? first : second;
  start();
  std::size_t heard = 0;
  for (int i = 0; i < 70; ++i) {
    for (auto asked = record->heard<RegisterApplication>().size();
         heard < asked; ++heard)
      say(standby, MasterInStandby{});
    advance(1s);
  }
  auto all = why + "; " + master_in_standby;
  CHECK(take() == Lines{"searching: " + all, "dead: no master: " + all});
  CHECK(is_over());
}

TEST_CASE_METHOD(AppClientFixture,
                 "a connector that says nothing is not waited for",
                 "[app_client]") {
  script->silent = true;
  start();
  CHECK(script->asked == std::vector<std::size_t>{0});
  advance(11s);
  CHECK(script->asked == std::vector<std::size_t>{0, 1});
}

TEST_CASE_METHOD(AppClientFixture,
                 "a master that says nothing is left for the next",
                 "[app_client]") {
  start();
  CHECK(second->heard<RegisterApplication>().empty());
  advance(11s);
  CHECK(second->heard<RegisterApplication>().size() == 1);
}

TEST_CASE_METHOD(AppClientFixture,
                 "the late end of a master that was left is ignored",
                 "[app_client]") {
  start();
  advance(11s);
  say(1, RegisteredApplication{AppId{"app-1"}, "stoker://m:2"});
  (void)take();
  lose(0);
  CHECK(take().empty());
  CHECK(ask<bool>(client, RequestExecutors{AppId{"app-1"}, 1}));
}

TEST_CASE_METHOD(AppClientFixture,
                 "requests of the application reach the master",
                 "[app_client]") {
  start_registered();
  CHECK(*ask<bool>(client, RequestExecutors{AppId{"app-1"}, 5}));
  CHECK(first->heard<RequestExecutors>()
        == std::vector{RequestExecutors{AppId{"app-1"}, 5}});
  CHECK(*ask<bool>(client, KillExecutors{AppId{"app-1"}, {1, 2}}));
  CHECK(first->heard<KillExecutors>()
        == std::vector{KillExecutors{AppId{"app-1"}, {1, 2}}});
  CHECK(ask<OutputResponse>(client, RequestOutput{}) == output_response());
  first->error = caf::make_error(Errc::not_found);
  CHECK(failed_with(ask<OutputResponse>(client, RequestOutput{}),
                    Errc::not_found));
}

TEST_CASE_METHOD(AppClientFixture, "requests without a master fail at once",
                 "[app_client]") {
  script->masters = unreachable;
  start();
  CHECK(failed_with(ask<bool>(client, RequestExecutors{}), Errc::not_alive));
  CHECK(failed_with(ask<bool>(client, KillExecutors{}), Errc::not_alive));
  CHECK(failed_with(ask<OutputResponse>(client, RequestOutput{}),
                    Errc::not_alive));
}

TEST_CASE_METHOD(AppClientFixture,
                 "an open request fails when the master is lost",
                 "[app_client]") {
  start_registered();
  first->answers = false;
  auto log = request<OutputResponse>(client, RequestOutput{});
  auto more = request<bool>(client, RequestExecutors{AppId{"app-1"}, 5});
  CHECK_FALSE(log.answered());
  lose(0);
  CHECK(failed_with(log.answer(), Errc::not_alive));
  CHECK(failed_with(more.answer(), Errc::not_alive));
}

TEST_CASE_METHOD(AppClientFixture,
                 "a master that never answers a request fails it",
                 "[app_client]") {
  start_registered();
  first->answers = false;
  auto log = request<OutputResponse>(client, RequestOutput{});
  advance(21s);
  CHECK_FALSE(log.answer());
}

TEST_CASE_METHOD(AppClientFixture,
                 "output that may take its time is waited for longer",
                 "[app_client]") {
  start_registered();
  first->answers = false;
  RequestOutput x;
  x.wait_ms = 10'000;
  auto output = request<OutputResponse>(client, x);
  advance(29s);
  CHECK_FALSE(output.answered());
  advance(2s);
  CHECK_FALSE(output.answer());
}

TEST_CASE_METHOD(AppClientFixture,
                 "input is passed on, and waited for as long as it may take",
                 "[app_client]") {
  start_registered();
  WriteInput x{WorkerId{"w1"}, ExecutorId{AppId{"app-1"}, 0}, 3, "data", true};
  CHECK(ask<InputResponse>(client, x) == input_response());
  CHECK(first->inputs == std::vector{x});
  first->answers = false;
  auto late = request<InputResponse>(client, x);
  advance(29s);
  CHECK_FALSE(late.answered());
  advance(2s);
  CHECK_FALSE(late.answer());
  auto lost = request<InputResponse>(client, x);
  lose(0);
  CHECK(failed_with(lost.answer(), Errc::not_alive));
}

TEST_CASE_METHOD(AppClientFixture,
                 "a removed application is dead, and is not looked "
                 "after any more",
                 "[app_client]") {
  start_registered();
  say(0, ApplicationRemoved{"killed on request"});
  CHECK(take() == Lines{"dead: killed on request"});
  lose(0);
  advance(120s);
  CHECK(take().empty());
  CHECK(second->events.empty());
}

TEST_CASE_METHOD(AppClientFixture,
                 "what a dead application wrote can still be read",
                 "[app_client]") {
  start_registered();
  first->answers = false;
  auto under_way = request<OutputResponse>(client, RequestOutput{});
  say(0, ApplicationRemoved{"instance 0 failed"});
  CHECK_FALSE(under_way.answered());
  first->answers = true;
  CHECK(ask<OutputResponse>(client, RequestOutput{}) == output_response());
  // Nothing is left to take leave from.
  CHECK(ask<bool>(client, StopAppClient{}));
  CHECK(first->heard<UnregisterApplication>().empty());
  CHECK(under_way.answered());
  CHECK(is_over());
}

TEST_CASE_METHOD(AppClientFixture,
                 "leaving is answered once the master has heard",
                 "[app_client]") {
  start_registered();
  CHECK(*ask<bool>(client, StopAppClient{}));
  CHECK(first->heard<UnregisterApplication>()
        == std::vector{UnregisterApplication{AppId{"app-1"}}});
  CHECK(is_over());
}

TEST_CASE_METHOD(AppClientFixture, "leaving without a master is answered too",
                 "[app_client]") {
  script->masters = unreachable;
  start();
  // No master knows it: nothing is left running.
  CHECK(*ask<bool>(client, StopAppClient{}));
  CHECK(is_over());
}

TEST_CASE_METHOD(AppClientFixture,
                 "what a master that is gone may know is left running",
                 "[app_client]") {
  start_registered();
  auto old = script->masters.at(0);
  script->masters = unreachable;
  kill(old);
  CHECK_FALSE(*ask<bool>(client, StopAppClient{}));
  CHECK(is_over());
}

TEST_CASE_METHOD(AppClientFixture,
                 "leaving is answered when the master is lost "
                 "meanwhile",
                 "[app_client]") {
  start_registered();
  first->answers = false;
  auto stop = request<bool>(client, StopAppClient{});
  lose(0);
  CHECK(stop.answered());
  CHECK(is_over());
}

TEST_CASE_METHOD(AppClientFixture, "a new leader is acknowledged",
                 "[app_client]") {
  start_registered();
  say(0, MasterChanged{"stoker://m:2"});
  CHECK(first->heard<MasterChangeAcknowledged>()
        == std::vector{
            MasterChangeAcknowledged{AppId{"app-1"}, EndpointId{"e1"}}});
}

TEST_CASE_METHOD(AppClientFixture, "timers do not add up over many connections",
                 "[app_client]") {
  start();
  std::size_t most = 0;
  for (int i = 0; i < 200; ++i) {
    auto number = script->asked.back();
    say(number, RegisteredApplication{AppId{"app-1"}, "stoker://m"});
    lose(number);
    script->masters.at(number) = spawn(fake_master, first);
    advance(1s);
    most = std::max(most, pending_timers());
  }
  CHECK(script->asked.size() > 200);
  // The latest answers that were waited for, each until its time-out.
  CHECK(most < 40);
}

TEST_CASE_METHOD(AppClientFixture,
                 "what an application says of its jobs goes to its master, and "
                 "to the next one",
                 "[app_client]") {
  start_registered();
  ReportJobs report;
  report.cores = 7;
  caf::anon_send(client, report);
  scheduler.run();
  REQUIRE(first->reports.size() == 1);
  CHECK(first->reports.front().app_id == AppId{"app-1"});
  CHECK(first->reports.front().cores == 7);
  lose(0);
  CHECK(second->reports.empty());
  say(1, RegisteredApplication{AppId{"app-1"}, "stoker://m:2"});
  CHECK(second->reports == first->reports);
}
