// What is told of the whole cluster stands in the order in which the master tells it.

#include "web/cluster_state.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// An application whose executors 0, 1 and 3 have ended, 3 first and 0 last.
ClusterCopy copy_with_executors() {
  StoredState stored;
  StoredApplication app;
  app.number = 1;
  app.id = AppId{"app-1"};
  stored.applications.push_back(app);
  for (auto [id, ended] : {std::pair{0, 30}, {1, 20}, {2, 0}, {3, 10}}) {
    StoredExecutor executor;
    executor.app_id = app.id;
    executor.exec_id = id;
    executor.state = ended > 0 ? ExecutorState::EXITED : ExecutorState::RUNNING;
    if (ended > 0)
      executor.ended = from_ms(ended);
    stored.executors.push_back(executor);
  }
  ClusterCopy result;
  result.follow({FeedPosition{LeaderEpoch{1}, 1},
                 std::make_shared<const StoredState>(std::move(stored)),
                 {}});
  MasterStateResponse said;
  said.status = RecoveryState::ALIVE;
  result.observe(said, from_ms(100));
  return result;
}

std::vector<int> executors_told(std::optional<int> max,
                                const std::optional<AppId>& app = {}) {
  RequestMasterState parts;
  parts.executors_max = max;
  parts.app_id = app;
  auto state = cluster_state(copy_with_executors(), "stoker://h:1", parts);
  std::vector<int> result;
  for (const auto& x : state.active_apps.at(0).executors)
    result.push_back(x.exec_id);
  return result;
}

} // namespace

TEST_CASE("executors that are there come first, then others as they ended",
          "[web]") {
  CHECK(executors_told({}) == std::vector{2, 3, 1, 0});
  CHECK(executors_told({}, AppId{"app-1"}) == std::vector{2, 3, 1, 0});
}

TEST_CASE("of executors too many to tell of, those that ended last are told",
          "[web]") {
  CHECK(executors_told(3) == std::vector{2, 1, 0});
  CHECK(executors_told(2) == std::vector{2, 0});
  CHECK(executors_told(1) == std::vector{2});
  CHECK(executors_told(0).empty());
}
