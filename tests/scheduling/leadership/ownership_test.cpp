// Who may speak for a worker, an application and what they run.

#include <string>
#include <vector>

#include "tests/scheduling/leadership/played_master.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

const Speaker node_a{"node a", false};
const Speaker node_b{"node b", false};
const Speaker ann{"user ann", false};
const Speaker bob{"user bob", false};
const Speaker itself{"node m", true};

RegisterApplication application(const std::string& driver) {
  RegisterApplication result;
  result.description.name = "app";
  result.description.command.arguments = {"run"};
  result.driver = EndpointId{driver};
  return result;
}

/// Leads; node a's worker w1 and ann's application are registered, and the worker
/// has its executor.
struct Owners : Host {
  Owners() {
    take(logic.start());
    lead();
    say(1, worker("w1"), node_a);
    say(2, application("d1"), ann);
    words.clear();
  }

  Words say(PeerNumber peer, const Event& what, const Speaker& who) {
    take(logic.hear(now, peer, what, who));
    while (logic.has_uncommitted())
      commit();
    return taken();
  }

  Words ask(const Event& what, const Speaker& who) {
    take(logic.ask(now, 9, what, who));
    while (logic.has_uncommitted())
      commit();
    return taken();
  }

  [[nodiscard]] const ClusterState& state() const {
    return logic.cluster().state();
  }
  [[nodiscard]] const Application& app() const {
    return state().applications.all().begin()->second;
  }
};

bool is_refused(const Words& words) {
  return !words.empty() && words.front().starts_with("refuse: ");
}

} // namespace

TEST_CASE("who registers is remembered, and what he claims to be is not",
          "[ownership]") {
  Owners x;
  auto claimed = worker("w2");
  claimed.identity = "node a";
  x.say(3, claimed, node_b);
  const auto& workers = x.state().workers;
  CHECK(workers.at(*workers.find(WorkerId{"w1"})).stored.identity == "node a");
  CHECK(workers.at(*workers.find(WorkerId{"w2"})).stored.identity == "node b");
  CHECK(x.app().stored.identity == "user ann");
  auto driver = submission();
  driver.identity = "user ann";
  x.ask(driver, bob);
  CHECK(x.state().drivers.all().begin()->second.stored.identity == "user bob");
}

TEST_CASE("nobody takes a worker's place but who registered it",
          "[ownership]") {
  Owners x;
  auto robber = worker("w1");
  SECTION("under its id") {
    robber.worker = EndpointId{"other"};
  }
  SECTION("under its endpoint") {
    robber.id = WorkerId{"other"};
  }
  SECTION("at its address") {
    auto listens = worker("w1");
    listens.port = 7078;
    listens.id = WorkerId{"listens"};
    listens.worker = EndpointId{"listens"};
    x.say(4, listens, node_a);
    robber = worker("robber");
    robber.port = 7078;
  }
  robber.stamp = {9, 9};
  auto words = x.say(3, robber, node_b);
  REQUIRE(words.size() == 2);
  CHECK(words[0].ends_with(" belongs to node a, and not to node b"));
  CHECK(words[1] == "to 3: RegisterWorkerFailed");
  // It is still reached over its own connection.
  CHECK(x.logic.connections().find(w1) == PeerNumber{1});
}

TEST_CASE(
    "a node registers a worker when its certificate is for the worker's host",
    "[ownership]") {
  Owners x;
  const Speaker node{
      "node n1",
      false,
      {"n1", "n1.example.org", "*.rack2.example.org", "10.0.0.7", "fd00::7"}};
  int number = 0;
  auto words_for = [&](const std::string& host) {
    auto one = worker("of-n1-" + std::to_string(++number));
    one.host = host;
    return x.say(10 + number, one, node);
  };
  for (const auto* host : {"n1", "N1.Example.org", "a.rack2.example.org",
                           "10.0.0.7", "fd00::7", "[fd00::7]"}) {
    INFO(host);
    CHECK_FALSE(is_refused(words_for(host)));
  }
  for (const auto* host :
       {"n2", "n1.example.com", "rack2.example.org", ".rack2.example.org",
        "a.b.rack2.example.org", "10.0.0.70"}) {
    INFO(host);
    auto words = words_for(host);
    REQUIRE(is_refused(words));
    CHECK(words.back()
          == "to " + std::to_string(10 + number) + ": RegisterWorkerFailed");
  }
  CHECK(words_for("n2").front()
        == "refuse: the certificate of node n1 is for n1, n1.example.org, "
           "*.rack2.example.org, 10.0.0.7, fd00::7, not for a worker at "
           "'n2'; start the worker with --host and a name of its certificate, "
           "or make one with 'stoker certs DIR --host n2'");
  // The own credentials of a machine's user name no hosts.
  auto any = worker("any");
  any.host = "whatever";
  CHECK_FALSE(is_refused(x.say(50, any, node_a)));
}

TEST_CASE("a node registers no further worker when its certificate has 1000",
          "[ownership]") {
  Owners x;
  const Speaker node{"node n1", false, {"n1", "n2"}};
  int number = 0;
  auto add = [&](const Speaker& who, const std::string& host) {
    auto one = worker("n-" + std::to_string(++number));
    one.host = host;
    return x.say(10, one, who);
  };
  for (int i = 0; i < 1000; ++i)
    REQUIRE_FALSE(is_refused(add(node, i % 2 == 0 ? "n1" : "n2")));
  auto words = add(node, "n1");
  REQUIRE(is_refused(words));
  CHECK(words.front()
        == "refuse: node n1 has 1000 workers, as many as a certificate admits; "
           "make a certificate for each machine with 'stoker certs'");
  CHECK(words.back() == "to 10: RegisterWorkerFailed");
  // Other nodes have theirs, and one that is there may come back.
  CHECK_FALSE(is_refused(add({"node n3", false, {"n3"}}, "n3")));
  auto again = worker("n-1");
  again.host = "n1";
  CHECK_FALSE(is_refused(x.say(10, again, node)));
  x.say(10, WorkerLeft{WorkerId{"n-1"}, EndpointId{"n-1"}}, node);
  CHECK_FALSE(is_refused(add(node, "n1")));
  CHECK(is_refused(add(node, "n1")));
  CHECK_FALSE(x.state().workers.invariant_violation());
}

TEST_CASE("an application has a driver of Spark's only when the master's own "
          "process registers it",
          "[ownership]") {
  Owners x;
  auto native = application("d2");
  native.description.spark_driver.emplace();
  native.description.spark_driver->host = "10.0.0.9";
  native.description.spark_driver->port = 22;
  native.description.spark_driver->ui_url = "http://10.0.0.9:80";
  auto number = x.state().applications.all().size();
  for (const auto& who : {ann, Speaker{"operator ops", false}, Speaker{}}) {
    auto words = x.say(3, native, who);
    CHECK(is_refused(words));
    CHECK(words.back() == "to 3: ApplicationRemoved");
  }
  CHECK(x.state().applications.all().size() == number);
  CHECK_FALSE(is_refused(x.say(4, native, itself)));
}

TEST_CASE("a worker that comes back keeps its place", "[ownership]") {
  Owners x;
  auto words = x.say(5, worker("w1"), node_a);
  CHECK_FALSE(is_refused(words));
  CHECK(x.logic.connections().find(w1) == PeerNumber{5});
}

TEST_CASE("nobody tells of a worker's programs but itself", "[ownership]") {
  Owners x;
  REQUIRE(x.app().executors.find(0) != nullptr);
  auto id = x.app().stored.id;
  ExecutorStateChanged ended{id, 0, ExecutorState::EXITED, {}, 0};
  CHECK(is_refused(x.ask(ended, node_b)));
  CHECK(is_refused(
      x.say(3, WorkerLeft{WorkerId{"w1"}, EndpointId{"x"}}, node_b)));
  CHECK(is_refused(
      x.say(3, WorkerLatestState{WorkerId{"w1"}, {}, {}, {}, {}}, node_b)));
  CHECK(
      is_refused(x.say(3, Heartbeat{WorkerId{"w1"}, EndpointId{"x"}}, node_b)));
  CHECK(is_refused(x.say(
      3, WorkerDecommissioning{WorkerId{"w1"}, EndpointId{"x"}}, node_b)));
  CHECK(x.app().executors.find(0) != nullptr);
  // Nor of one that was told to end, and still holds something.
  CHECK_FALSE(is_refused(x.ask(KillExecutors{id, {0}}, ann)));
  if (x.state().releases.contains({id, 0}))
    CHECK(is_refused(x.ask(ended, node_b)));
  CHECK_FALSE(is_refused(x.ask(ended, node_a)));
}

TEST_CASE("a user ends what is his, and an operator what is anybody's",
          "[ownership]") {
  Owners x;
  const Speaker ops{"operator ops", false};
  auto app = x.app().stored.id;
  auto driver = submission();
  driver.driver_description.user = "ann";
  x.ask(driver, itself);
  auto id = x.state().drivers.all().begin()->second.stored.id;
  CHECK(is_refused(x.ask(RequestKillApplication{app}, bob)));
  CHECK(is_refused(x.ask(RequestKillDriver{id}, bob)));
  CHECK(is_refused(x.ask(KillExecutors{app, {0}}, bob)));
  CHECK_FALSE(is_refused(x.ask(RequestKillDriver{id}, ann)));
  CHECK_FALSE(is_refused(x.ask(KillExecutors{app, {0}}, ops)));
  SECTION("ended by who registered it") {
    CHECK_FALSE(is_refused(x.ask(RequestKillApplication{app}, ann)));
  }
  SECTION("ended by an operator") {
    CHECK_FALSE(is_refused(x.ask(RequestKillApplication{app}, ops)));
  }
  // What nobody knows is answered as that.
  CHECK_FALSE(is_refused(x.ask(RequestKillApplication{AppId{"app-9"}}, bob)));
}

TEST_CASE("nobody speaks for an application but who registered it",
          "[ownership]") {
  Owners x;
  auto id = x.app().stored.id;
  CHECK(is_refused(x.ask(UnregisterApplication{id}, bob)));
  CHECK(is_refused(x.ask(RequestExecutors{id, 0, {}}, bob)));
  CHECK(is_refused(x.ask(KillExecutors{id, {0}}, bob)));
  CHECK(is_refused(x.say(3, ApplicationHeartbeat{EndpointId{"d1"}, {}}, bob)));
  CHECK(is_refused(x.say(3, MasterChangeAcknowledged{id}, bob)));
  auto words = x.say(3, application("d1"), bob);
  CHECK(is_refused(words));
  CHECK(words.back() == "to 3: ApplicationRemoved");
  auto returning = application("d2");
  returning.app_id = id;
  CHECK(is_refused(x.say(3, returning, bob)));
  CHECK(x.app().stored.id == id);
  CHECK_FALSE(is_refused(x.ask(UnregisterApplication{id}, ann)));
}

TEST_CASE("the master's own process speaks for anybody", "[ownership]") {
  Owners x;
  CHECK_FALSE(is_refused(x.say(3, worker("w1"), itself)));
  CHECK_FALSE(
      is_refused(x.ask(UnregisterApplication{x.app().stored.id}, itself)));
}

TEST_CASE("where nobody proves anything, nothing belongs to anybody",
          "[ownership]") {
  Owners x;
  CHECK_FALSE(is_refused(x.say(3, worker("w1"), Speaker{})));
  x.say(4, worker("w2"), Speaker{});
  x.say(6, application("d2"), Speaker{});
  // Who proves something first has it from then on.
  CHECK_FALSE(is_refused(x.say(5, worker("w2"), node_a)));
  CHECK(is_refused(x.say(5, worker("w2"), node_b)));
  CHECK_FALSE(is_refused(x.say(7, application("d2"), ann)));
  CHECK(is_refused(x.say(7, application("d2"), bob)));
}

TEST_CASE("whose a worker and an application are survives a change of leaders",
          "[ownership]") {
  Owners x;
  StoredState stored;
  stored.workers.push_back(x.state().workers.all().begin()->second.stored);
  stored.applications.push_back(x.app().stored);
  Host next;
  next.take(next.logic.start());
  next.take(next.logic.on(ElectionWon{next.term}));
  next.take(next.logic.on(
      now, LeadershipBegun{next.term, Leadership{LeaderEpoch{8}, stored}}));
  while (next.logic.has_uncommitted())
    next.commit();
  (void)next.taken();
  next.take(next.logic.hear(now, 3, worker("w1"), node_b));
  CHECK(is_refused(next.taken()));
  next.take(next.logic.hear(now, 3, application("d1"), bob));
  CHECK(is_refused(next.taken()));
}

TEST_CASE("of an application's jobs only its owner tells, over its present "
          "connection",
          "[ownership]") {
  Owners x;
  auto id = x.app().stored.id;
  CHECK(may_tell_of(x.state(), id, ann));
  CHECK(may_tell_of(x.state(), id, itself));
  CHECK(may_tell_of(x.state(), id, bob).code() == Errc::not_allowed);
  CHECK(may_tell_of(x.state(), id, node_a).code() == Errc::not_allowed);
  CHECK(may_tell_of(x.state(), AppId{"app-9"}, ann).code() == Errc::not_found);
  CHECK(x.logic.is_reached(id, 2));
  CHECK_FALSE(x.logic.is_reached(id, 1));
  CHECK_FALSE(x.logic.is_reached(id, 0));
  CHECK_FALSE(x.logic.is_reached(AppId{"app-9"}, 2));
  x.take(x.logic.disconnect(now, 2));
  CHECK_FALSE(x.logic.is_reached(id, 2));
  CHECK_FALSE(x.logic.is_reached(id, 0));
}
