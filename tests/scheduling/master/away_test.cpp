// Applications whose driver is away: it may have ended, so that nothing is started
// for it before it is back.

#include <algorithm>
#include <optional>
#include <string>

#include "scheduling/master/cluster.hpp"
#include "scheduling/master/invariants.hpp"
#include "scheduling/planning/explain.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

RegisterApplication application() {
  RegisterApplication result;
  result.driver = EndpointId{"driver"};
  result.description.command.arguments = {"run"};
  result.description.cores_per_executor = 1;
  result.description.max_cores = 1;
  result.description.instances = Instances{1, 0};
  return result;
}

RegisterWorker worker(const std::string& name) {
  return {WorkerId{name}, EndpointId{name}, name, 0, 1, 4096};
}

/// A leader, and how many executors it has had started.
struct Leader {
  Cluster cluster{[] {
    ClusterConfig config;
    config.master_url = "stoker://m:1";
    return config;
  }()};
  Instant now{};
  int started = 0;

  explicit Leader(StoredState stored = {}) {
    step(ElectedLeader{LeaderEpoch{1}, std::move(stored)});
  }

  StepResult step(const Event& what) {
    auto result = cluster.step(now, what);
    for (const auto& x : result.messages)
      if (std::holds_alternative<StartExecutor>(x))
        ++started;
    return result;
  }

  [[nodiscard]] const Application& app() const {
    return cluster.state().applications.all().begin()->second;
  }
};

} // namespace

TEST_CASE("nothing is started for an application whose driver is away",
          "[away]") {
  Leader x;
  x.step(worker("w1"));
  x.step(application());
  REQUIRE(x.started == 1);
  x.step(EndpointLost{EndpointId{"driver"}});
  x.step(WorkerLeft{WorkerId{"w1"}, EndpointId{"w1"}});
  x.step(worker("w2"));
  CHECK(x.started == 1);
  auto why = explain(x.cluster, x.now, x.app().stored.id);
  REQUIRE_FALSE(why.reasons.empty());
  CHECK(why.reasons.front().find("before the driver is back")
        != std::string::npos);
  SECTION("it comes back") {
    auto again = application();
    again.app_id = x.app().stored.id;
    x.step(again);
    CHECK(x.started == 2);
  }
  SECTION("it does not come back") {
    x.now += x.cluster.config().reconnect_timeout;
    x.step(CheckForWorkerTimeOut{});
    CHECK(x.started == 1);
    CHECK(x.cluster.state().applications.all().empty());
  }
}

TEST_CASE(
    "a new leader starts nothing for an application before its driver has "
    "answered",
    "[away]") {
  StoredState stored;
  {
    Leader former;
    former.step(application());
    stored.applications.push_back(former.app().stored);
    stored.counters.applications = 1;
  }
  Leader x{stored};
  x.step(worker("w1"));
  x.now += x.cluster.config().recovery_timeout;
  x.step(CheckForWorkerTimeOut{});
  REQUIRE(x.cluster.status() == RecoveryState::ALIVE);
  CHECK(x.started == 0);
  x.step(MasterChangeAcknowledged{x.app().stored.id});
  CHECK(x.started == 1);
}

TEST_CASE("a returned worker hears of the end of an application it names",
          "[away]") {
  Leader x;
  x.step(worker("w1"));
  x.step(application());
  auto id = x.app().stored.id;
  x.step(WorkerLeft{WorkerId{"w1"}, EndpointId{"w1"}});
  // Its executor is started again elsewhere.
  x.step(worker("w2"));
  REQUIRE(x.started == 2);
  x.step(worker("w1"));
  WorkerLatestState report;
  report.id = WorkerId{"w1"};
  report.applications = {id};
  x.step(report);
  auto told = x.step(UnregisterApplication{id}).messages;
  CHECK(std::any_of(told.begin(), told.end(), [](const auto& message) {
    const auto* send = std::get_if<Send>(&message);
    return send != nullptr && send->to == EndpointId{"w1"}
           && std::holds_alternative<ApplicationFinished>(send->message);
  }));
}

TEST_CASE("a driver of Spark's has one application when it registers twice",
          "[away]") {
  Leader x;
  auto from = [](const char* endpoint, const char* user = "u") {
    auto result = application();
    result.driver = EndpointId{endpoint};
    result.description.user = user;
    result.description.command.spark = SparkProgram{"3.5.9", "Backend"};
    result.description.spark_driver = SparkDriver{"h", 4040, "3.5.9", ""};
    return result;
  };
  x.step(from("first"));
  auto count = [&] { return x.cluster.state().applications.all().size(); };
  REQUIRE(count() == 1);
  SECTION("at this master, over another connection") {
    CHECK(x.step(from("second")).messages.empty());
    CHECK(count() == 1);
  }
  SECTION("at the standby that leads now") {
    StoredState stored;
    stored.applications.push_back(x.app().stored);
    Leader next{stored};
    auto all = [&] { return next.cluster.state().applications.all().size(); };
    // It is called back first.
    auto told = next.step(from("second")).messages;
    REQUIRE(told.size() == 1);
    CHECK(std::holds_alternative<MasterInStandby>(
        std::get<Send>(told.front()).message));
    CHECK(all() == 1);
    SECTION("and answers") {
      next.step(
          MasterChangeAcknowledged{x.app().stored.id, EndpointId{"first"}});
      CHECK(next.step(from("second")).messages.empty());
      CHECK(all() == 1);
    }
    SECTION("and cannot be reached") {
      next.now += 1min;
      next.step(CheckForWorkerTimeOut{});
      next.step(from("second"));
      CHECK(all() == 1);
    }
  }
  SECTION("but not as another user") {
    x.step(from("second", "v"));
    CHECK(count() == 2);
  }
  SECTION("but not after its connection broke: another process may have it") {
    x.step(EndpointLost{EndpointId{"first"}});
    CHECK_FALSE(x.step(from("second")).messages.empty());
    CHECK(count() == 2);
    // The last one counts.
    CHECK(x.step(from("third")).messages.empty());
  }
  SECTION("but not after its end") {
    x.step(UnregisterApplication{x.app().stored.id});
    CHECK_FALSE(x.step(from("second")).messages.empty());
    CHECK(count() == 1);
  }
  CHECK_FALSE(invariant_violation(x.cluster.state()));
}
