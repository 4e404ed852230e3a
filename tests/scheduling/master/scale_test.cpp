// A large cluster, stepped through. Nothing is timed here; a pass that walks
// all workers for each application would make this test the slowest of all,
// which is what it is for.

#include <string>

#include "scheduling/master/cluster.hpp"
#include "scheduling/master/invariants.hpp"
#include "scheduling/master/snapshot.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("a thousand workers serve two thousand applications",
          "[scheduling]") {
  constexpr int workers = 1000;
  constexpr int apps = 2000;
  Cluster cluster{{}};
  (void)cluster.step({}, ElectedLeader{});
  for (int i = 0; i < workers; ++i) {
    auto name = "w" + std::to_string(i);
    (void)cluster.step({}, RegisterWorker{WorkerId{name}, EndpointId{name},
                                          name, 0, 16, 65536});
  }
  std::size_t launched = 0;
  auto count = [&](const StepResult& result) {
    for (const auto& x : result.messages)
      launched += std::holds_alternative<StartExecutor>(x) ? 1 : 0;
  };
  for (int i = 0; i < apps; ++i) {
    RegisterApplication x;
    x.driver = EndpointId{"a" + std::to_string(i)};
    x.description.command.arguments = {"executor"};
    x.description.cores_per_executor = 2;
    x.description.memory_per_executor_mb = 512;
    x.description.max_cores = 16;
    count(cluster.step({}, x));
  }
  // Half of them have all they may, the other half waits.
  CHECK(launched == 8000);
  auto state = snapshot(cluster.state());
  for (const auto& app : state.active_apps)
    if (app.state == ApplicationState::RUNNING)
      for (const auto& x : app.executors)
        count(cluster.step({}, ExecutorStateChanged{app.id, x.exec_id,
                                                    ExecutorState::EXITED,
                                                    std::nullopt, 0}));
  // Each end makes room for exactly one more.
  CHECK(launched == 16000);
  CHECK(invariant_violation(cluster.state()) == std::nullopt);
}
