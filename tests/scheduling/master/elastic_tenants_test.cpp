// What an elastic application of a tenant gives back is another's in the same step.

#include <map>
#include <optional>
#include <string>

#include "scheduling/master/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// A leader of one worker with eight cores, which two companies have together, and
/// executors of one core.
struct SharedCluster {
  static ClusterConfig config() {
    ClusterConfig result;
    result.master_url = "stoker://m:1";
    auto& tenants = result.tenants.emplace();
    tenants.min_executor_cores = 1;
    tenants.min_executor_memory_mb = 1;
    for (const auto* name : {"a", "b"}) {
      CompanyConfig company{name};
      company.cores = 4;
      company.memory_mb = 4096;
      tenants.companies.push_back(company);
      tenants.users.push_back({name, name});
    }
    return result;
  }

  SharedCluster() {
    step(ElectedLeader{LeaderEpoch{1}, {}});
    step(RegisterWorker{WorkerId{"w"}, EndpointId{"w"}, "w", 0, 8, 8192});
  }

  StepResult step(const Event& what) {
    auto result = cluster.step(Instant{}, what);
    started.clear();
    for (const auto& x : result.messages)
      if (const auto* start = std::get_if<StartExecutor>(&x))
        ++started[start->app_id];
    return result;
  }

  AppId submit(const std::string& user, int executors) {
    RegisterApplication x;
    x.driver = EndpointId{"driver-" + std::to_string(++submitted)};
    x.description.command.arguments = {"run"};
    x.description.user = user;
    x.description.cores_per_executor = 1;
    x.description.memory_per_executor_mb = 64;
    x.description.max_cores = 8;
    x.description.initial_executor_limit = executors;
    step(x);
    const auto& applications = cluster.state().applications;
    return applications.at(*applications.find_by_driver(x.driver)).stored.id;
  }

  /// Of a company.
  [[nodiscard]] TenantFigures figures(std::size_t company) const {
    const auto* tenants = cluster.state().admission.tenants();
    return tenants->view(Instant{}).companies.at(company).figures;
  }

  Cluster cluster{config()};
  int submitted = 0;

  /// By application, in the last step.
  std::map<AppId, int> started;
};

} // namespace

TEST_CASE(
    "when an elastic application wants less, what it asked for is free for the "
    "next of the queue in the same step",
    "[tenants]") {
  SharedCluster x;
  auto first = x.submit("a", 8);
  REQUIRE(x.started[first] == 8);
  auto second = x.submit("b", 3);
  REQUIRE(x.figures(1).queued == 1);
  // As the driver says it: first how many it wants, then which ones end.
  x.step(RequestExecutors{first, 5, {}});
  CHECK(x.figures(0).requested.cores == 8);
  CHECK(x.figures(1).queued == 1);
  x.step(KillExecutors{first, {0, 1, 2}});
  CHECK(x.figures(0).requested.cores == 5);
  CHECK(x.figures(0).running.cores == 5);
  CHECK(x.figures(1).requested.cores == 3);
  CHECK(x.figures(1).running.cores == 3);
  CHECK(x.figures(1).queued == 0);
  CHECK(x.started == std::map<AppId, int>{{second, 3}});
}

TEST_CASE("what an elastic application wants and does not have keeps nobody "
          "waiting",
          "[tenants]") {
  SharedCluster x;
  auto first = x.submit("a", 5);
  x.step(RequestExecutors{first, 8, {}});
  REQUIRE(x.figures(0).running.cores == 8);
  x.step(RequestExecutors{first, 40, {}});
  auto second = x.submit("b", 2);
  REQUIRE(x.figures(1).queued == 1);
  x.step(KillExecutors{first, {7}});
  // It still wants more. The other one has less.
  CHECK(x.started == std::map<AppId, int>{{second, 1}});
  CHECK(x.figures(1).queued == 0);
  x.step(RequestExecutors{first, 3, {}});
  x.step(KillExecutors{first, {0, 1, 2, 3, 4}});
  CHECK(x.figures(0).requested.cores == 3);
  CHECK(x.figures(0).running.cores == 3);
  CHECK(x.started == std::map<AppId, int>{{first, 1}, {second, 1}});
  CHECK(x.figures(1).running.cores == 2);
}

TEST_CASE("an executor of an elastic application that ends by itself frees its "
          "company's share in the same step",
          "[tenants]") {
  SharedCluster x;
  auto first = x.submit("a", 8);
  auto second = x.submit("b", 2);
  x.step(RequestExecutors{first, 7, {}});
  REQUIRE(x.figures(1).queued == 1);
  ExecutorStateChanged end;
  end.app_id = first;
  end.exec_id = 2;
  end.state = ExecutorState::EXITED;
  end.exit_status = 0;
  x.step(end);
  CHECK(x.figures(0).requested.cores == 7);
  CHECK(x.figures(0).running.cores == 7);
  CHECK(x.figures(1).requested.cores == 1);
  CHECK(x.figures(1).running.cores == 1);
  CHECK(x.started == std::map<AppId, int>{{second, 1}});
}
