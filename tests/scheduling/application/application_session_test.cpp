// An application's end of the cluster: scheduling/application/application_session.hpp.

#include "scheduling/application/application_session.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "scheduling/common/application_heartbeat.hpp"
#include "tests/scheduling/registration/played_connection.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;

/// Effects as short lines.
struct Words {
  std::string operator()(const ConnectToMaster& x) const {
    return "connect " + std::to_string(x.master);
  }
  std::string operator()(const SendApplicationMessage& x) const {
    if (const auto* y = std::get_if<RegisterApplication>(&x.message))
      return "register" + (y->app_id ? ' ' + to_string(*y->app_id) : "");
    if (const auto* y = std::get_if<ApplicationHeartbeat>(&x.message))
      return "heartbeat"
             + (y->heard.value > 0 ? ", heard " + std::to_string(y->heard.value)
                                   : "");
    if (const auto* y = std::get_if<ReportJobs>(&x.message))
      return to_string(y->app_id) + " has " + std::to_string(y->executors)
             + " executors";
    return "acknowledge";
  }
  std::string operator()(const AskToLeave& x) const {
    return "leave " + to_string(x.message.app_id)
           + (x.message.interrupted ? ", interrupted" : "")
           + (x.message.failure ? ", failed: " + *x.message.failure : "");
  }
  std::string operator()(const InformApplication& x) const {
    return std::visit(*this, x.news);
  }
  std::string operator()(const ApplicationConnected& x) const {
    return "connected as " + to_string(x.id);
  }
  std::string operator()(const ApplicationLeaderChanged& x) const {
    return "leader " + std::to_string(x.epoch.value);
  }
  std::string operator()(const ApplicationDisconnected&) const {
    return "disconnected";
  }
  std::string operator()(const ApplicationSearches& x) const {
    return "searches: " + x.reason;
  }
  std::string operator()(const ApplicationDead& x) const {
    return x.reason == EndReason::master_lost
               ? "dead, master lost: " + x.message
           : x.reason == EndReason::refused ? "refused: " + x.message
                                            : "dead: " + x.message;
  }
  std::string operator()(const ExecutorAdded& x) const {
    return "added " + std::to_string(x.id);
  }
  std::string operator()(const ExecutorUpdated& x) const {
    return "updated " + std::to_string(x.id);
  }
  std::string operator()(const WorkerRemoved& x) const {
    return "removed " + to_string(x.id);
  }
  std::string operator()(const ApplicationWakeAt&) const {
    return {};
  }
  std::string operator()(const EndApplicationSession& x) const {
    return x.left ? "end, left" : "end";
  }
};

const LeaderEpoch first{1};
const LeaderEpoch second{2};

struct SessionFixture {
  Instant now{};
  ApplicationSession session{config()};
  stoker::test::PlayedConnection connection;

  static ApplicationSessionConfig config() {
    ApplicationSessionConfig result;
    result.description.name = "sort";
    result.endpoint = EndpointId{"e1"};
    result.registration.masters = 2;
    result.registration.give_up_after = 60s;
    return result;
  }

  Lines step(const ApplicationEvent& event) {
    return lines(session.step(now, connection.of_present(event)));
  }

  Lines step(const MessageToApplication& message, LeaderEpoch epoch = {}) {
    return lines(session.hear(now, connection.origin(epoch), message));
  }

  Lines lines(const ApplicationEffects& effects) {
    Lines result;
    for (const auto& effect : connection.note(effects))
      if (auto line = std::visit(Words{}, effect); !line.empty())
        result.push_back(line);
    return result;
  }

  void start_registered() {
    CHECK(step(ApplicationStarted{}) == Lines{"connect 0"});
    CHECK(step(MasterConnected{}) == Lines{"register"});
    CHECK(step(RegisteredApplication{AppId{"app-1"}, "m"}, first)
          == Lines{"connected as app-1"});
  }
};

} // namespace

TEST_CASE_METHOD(SessionFixture,
                 "a lost master is looked for under the same id",
                 "[application]") {
  start_registered();
  CHECK(step(MasterDisconnected{}) == Lines{"disconnected", "connect 0"});
  // The next one may lead.
  CHECK(step(MasterConnectionFailed{0, "refused"}) == Lines{"connect 1"});
  CHECK(step(MasterConnected{}) == Lines{"register app-1"});
  CHECK(step(RegisteredApplication{AppId{"app-1"}, "m"}, second)
        == Lines{"connected as app-1"});
}

TEST_CASE_METHOD(
    SessionFixture,
    "one loss of the master is told once, whoever lets in meanwhile",
    "[application]") {
  start_registered();
  CHECK(step(MasterDisconnected{}) == Lines{"disconnected", "connect 0"});
  CHECK(step(MasterConnected{}) == Lines{"register app-1"});
  // That one was about to end.
  CHECK(step(MasterDisconnected{}) == Lines{"connect 1"});
  CHECK(step(MasterConnected{}) == Lines{"register app-1"});
  CHECK(step(RegisteredApplication{AppId{"app-1"}, "m"}, second)
        == Lines{"connected as app-1"});
  CHECK(step(MasterDisconnected{}).front() == "disconnected");
}

TEST_CASE_METHOD(SessionFixture,
                 "a master that stands by and one that breaks are one loss",
                 "[application]") {
  start_registered();
  CHECK(step(MasterInStandby{}, first) == Lines{"disconnected", "connect 0"});
  CHECK(step(MasterConnected{}) == Lines{"register app-1"});
  CHECK(step(MasterDisconnected{}) == Lines{"connect 1"});
}

TEST_CASE_METHOD(SessionFixture,
                 "an application says of which ends it has heard",
                 "[application]") {
  auto ended = [](std::uint64_t number) {
    ExecutorUpdated result;
    result.state = ExecutorState::EXITED;
    result.end_number.value = number;
    return result;
  };
  start_registered();
  (void)step(ended(3), first);
  now += application_heartbeat_interval;
  CHECK(step(ApplicationTick{}) == Lines{"heartbeat, heard 3"});
  // At once when there are many.
  CHECK(step(ended(ends_per_heartbeat + 2), first) == Lines{"updated 0"});
  CHECK(step(ended(ends_per_heartbeat + 3), first)
        == Lines{"updated 0", "heartbeat, heard 259"});
  // A new connection begins with what may not have been heard: what comes before
  // says nothing of it.
  (void)step(MasterDisconnected{});
  (void)step(MasterConnected{});
  (void)step(ended(1000), second);
  (void)step(RegisteredApplication{AppId{"app-1"}, "m"}, second);
  now += application_heartbeat_interval;
  CHECK(step(ApplicationTick{}) == Lines{"heartbeat, heard 259"});
  (void)step(ended(400), second);
  now += application_heartbeat_interval;
  CHECK(step(ApplicationTick{}) == Lines{"heartbeat, heard 400"});
}

TEST_CASE_METHOD(SessionFixture,
                 "an application sends heartbeats while it is registered",
                 "[application]") {
  start_registered();
  now += application_heartbeat_interval - 1ms;
  CHECK(step(ApplicationTick{}).empty());
  now += 1ms;
  CHECK(step(ApplicationTick{}) == Lines{"heartbeat"});
  now += application_heartbeat_interval;
  CHECK(step(ApplicationTick{}) == Lines{"heartbeat"});
  // None over a connection that is not registered yet.
  (void)step(MasterDisconnected{});
  (void)step(MasterConnected{});
  now += application_heartbeat_interval;
  auto lines = step(ApplicationTick{});
  CHECK(std::find(lines.begin(), lines.end(), "heartbeat") == lines.end());
}

TEST_CASE_METHOD(SessionFixture,
                 "an application registers again when it is asked to",
                 "[application]") {
  start_registered();
  CHECK(step(ReconnectApplication{"m"}, first) == Lines{"register app-1"});
  CHECK(step(RegisteredApplication{AppId{"app-1"}, "m"}, first)
        == Lines{"connected as app-1"});
  // Not when it is over.
  (void)step(ApplicationRemoved{"killed"}, first);
  CHECK(step(ReconnectApplication{"m"}, first).empty());
}

TEST_CASE_METHOD(SessionFixture,
                 "a new leader is acknowledged, and believed alone",
                 "[application]") {
  start_registered();
  (void)step(MasterDisconnected{});
  (void)step(MasterConnected{});
  CHECK(step(MasterChanged{"m"}, second) == Lines{"acknowledge", "leader 2"});
  CHECK(step(ExecutorAdded{1}, second) == Lines{"added 1"});
  // What the last leader still says is not heard, and its connection is left.
  CHECK(step(ApplicationRemoved{"killed"}, first)
        == Lines{"disconnected", "connect 0"});
}

TEST_CASE_METHOD(SessionFixture, "what a replaced leader says changes nothing",
                 "[application]") {
  start_registered();
  (void)step(ExecutorAdded{1}, second);
  for (const MessageToApplication& message : std::vector<MessageToApplication>{
           ExecutorAdded{2}, ExecutorUpdated{1}, WorkerRemoved{WorkerId{"w"}},
           RegisteredApplication{AppId{"app-9"}, "m"}, MasterChanged{"m"}})
    for (const auto& line : step(message, first))
      CHECK((line == "disconnected" || line.starts_with("connect ")));
  CHECK(session.app_id() == AppId{"app-1"});
}

TEST_CASE_METHOD(SessionFixture, "a master in STANDBY is left for the next",
                 "[application]") {
  CHECK(step(ApplicationStarted{}) == Lines{"connect 0"});
  CHECK(step(MasterConnected{}) == Lines{"register"});
  CHECK(step(MasterInStandby{}) == Lines{"connect 1"});
}

TEST_CASE_METHOD(SessionFixture,
                 "a removed application is dead, and looks no more",
                 "[application]") {
  start_registered();
  CHECK(step(ApplicationRemoved{"killed"}, first) == Lines{"dead: killed"});
  CHECK(step(ApplicationRemoved{"killed"}, first).empty());
  CHECK(step(RegisteredApplication{AppId{"app-1"}, "m"}, first).empty());
  CHECK(step(MasterDisconnected{}).empty());
  now += 120s;
  CHECK(step(ApplicationTick{}).empty());
  CHECK(step(ApplicationStopRequested{}) == Lines{"end"});
  CHECK(step(MasterConnected{}).empty());
}

TEST_CASE_METHOD(SessionFixture,
                 "leaving is asked once and ends with the answer",
                 "[application]") {
  start_registered();
  SECTION("well") {
    CHECK(step(ApplicationStopRequested{}) == Lines{"leave app-1"});
  }
  SECTION("early") {
    CHECK(step(ApplicationStopRequested{true, {}})
          == Lines{"leave app-1, interrupted"});
  }
  SECTION("in vain") {
    CHECK(step(ApplicationStopRequested{false, "it is too large"})
          == Lines{"leave app-1, failed: it is too large"});
  }
  CHECK(step(ApplicationStopRequested{}).empty());
  CHECK(step(UnregisterAnswered{true}) == Lines{"end, left"});
}

TEST_CASE_METHOD(SessionFixture,
                 "leaving ends when the master is lost meanwhile",
                 "[application]") {
  start_registered();
  (void)step(ApplicationStopRequested{});
  CHECK(step(MasterDisconnected{}) == Lines{"end"});
}

TEST_CASE_METHOD(SessionFixture, "who is removed while leaving has left",
                 "[application]") {
  start_registered();
  (void)step(ApplicationStopRequested{});
  CHECK(step(ApplicationRemoved{"killed"}, first)
        == Lines{"dead: killed", "end, left"});
}

TEST_CASE_METHOD(SessionFixture, "without a master for too long it gives up",
                 "[application]") {
  (void)step(ApplicationStarted{});
  (void)step(MasterConnectionFailed{0, "refused"});
  now += 61s;
  CHECK(step(MasterConnectionFailed{0, "refused"})
        == Lines{"dead, master lost: no master: refused", "end"});
}

TEST_CASE_METHOD(SessionFixture, "who was never registered is refused",
                 "[application]") {
  (void)step(ApplicationStarted{});
  (void)step(MasterConnected{});
  CHECK(step(ApplicationRemoved{"it needs more than there is"}, first)
        == Lines{"refused: it needs more than there is"});
}

TEST_CASE_METHOD(SessionFixture, "a master that was left is not believed",
                 "[application]") {
  start_registered();
  auto left = connection.origin(first);
  (void)step(MasterDisconnected{});
  (void)step(MasterConnected{});
  CHECK(lines(session.hear(now, left, ApplicationRemoved{"killed"})).empty());
  CHECK(lines(session.step(now, MasterDisconnected{left.connection})).empty());
}

TEST_CASE_METHOD(SessionFixture,
                 "each search is told of once, when its first round has failed",
                 "[application]") {
  start_registered();
  (void)step(MasterDisconnected{});
  CHECK(step(MasterConnectionFailed{0, "refused"}) == Lines{"connect 1"});
  CHECK(step(MasterConnectionFailed{0, "no route"})
        == Lines{"searches: no route; refused"});
  now += 200ms;
  CHECK(step(ApplicationTick{}) == Lines{"connect 0"});
  CHECK(step(MasterConnectionFailed{0, "refused"}) == Lines{"connect 1"});
  CHECK(step(MasterConnectionFailed{0, "refused"}).empty());
  now += 200ms;
  CHECK(step(ApplicationTick{}) == Lines{"connect 0"});
  CHECK(step(MasterConnected{}) == Lines{"register app-1"});
  // A new leader that knows the application ends the search, too.
  (void)step(MasterChanged{"m"}, second);
  CHECK(step(ApplicationTick{}).empty());
  (void)step(MasterDisconnected{});
  (void)step(MasterConnectionFailed{0, "refused"});
  CHECK(step(MasterConnectionFailed{0, "refused"})
        == Lines{"searches: refused"});
}

TEST_CASE_METHOD(SessionFixture,
                 "an application tells why no master leads when masters in "
                 "STANDBY say so",
                 "[application]") {
  const std::string why = "the master is STANDBY: ... (the disk is full)";
  (void)step(ApplicationStarted{});
  (void)step(MasterConnected{});
  CHECK(step(MasterInStandby{why}) == Lines{"connect 1"});
  (void)step(MasterConnected{});
  CHECK(step(MasterInStandby{})
        == Lines{"searches: the master is STANDBY; " + why});
  now += 61s;
  (void)step(ApplicationTick{});
  (void)step(MasterConnected{});
  (void)step(MasterInStandby{why});
  (void)step(MasterConnected{});
  CHECK(step(MasterInStandby{why})
        == Lines{"dead, master lost: no master: " + why, "end"});
}

TEST_CASE_METHOD(
    SessionFixture,
    "each master that an application registers with is told of its "
    "jobs",
    "[application]") {
  ReportJobs report;
  report.executors = 1;
  CHECK(step(ApplicationStarted{}) == Lines{"connect 0"});
  CHECK(step(MasterConnected{}) == Lines{"register"});
  // Nobody hears it yet.
  CHECK(step(report).empty());
  CHECK(step(RegisteredApplication{AppId{"app-1"}, "m"}, first)
        == Lines{"connected as app-1", "app-1 has 1 executors"});
  report.executors = 2;
  CHECK(step(report) == Lines{"app-1 has 2 executors"});
  (void)step(MasterDisconnected{});
  report.executors = 3;
  CHECK(step(report).empty());
  (void)step(MasterConnected{});
  CHECK(step(RegisteredApplication{AppId{"app-1"}, "m"}, second)
        == Lines{"connected as app-1", "app-1 has 3 executors"});
  // Not when it is over.
  (void)step(ApplicationRemoved{"killed"}, second);
  CHECK(step(report).empty());
}
