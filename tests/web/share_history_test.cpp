// What companies have used over time.

#include "web/share_history.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

ClusterCopy cluster_of(std::optional<TenantsConfig> tenants) {
  auto stored = std::make_shared<StoredState>();
  stored->config.emplace().tenants = std::move(tenants);
  std::uint32_t number = 0;
  for (const auto* user : {"ann", "bob", "eve"}) {
    StoredApplication app;
    app.number = ++number;
    app.id = AppId{user};
    app.description.user = user;
    stored->applications.push_back(app);
    StoredExecutor executor;
    executor.app_id = app.id;
    executor.cores = static_cast<int>(number);
    executor.state = ExecutorState::RUNNING;
    stored->executors.push_back(executor);
  }
  FeedUpdate update;
  update.position.epoch = LeaderEpoch{1};
  update.snapshot = stored;
  ClusterCopy result;
  result.follow(update);
  return result;
}

} // namespace

TEST_CASE("the cores of users are counted for their companies", "[web]") {
  TenantsConfig tenants;
  for (const auto* name : {"acme", "globex"})
    tenants.companies.emplace_back().name = name;
  tenants.users.push_back({"ann", "acme"});
  tenants.users.push_back({"bob", "acme"});
  ShareHistory history;
  history.look(cluster_of(tenants), Instant{});
  REQUIRE(history.samples().size() == 1);
  CHECK(history.samples().front().cores
        == std::map<std::string, int>{
            {"acme", 3}, {"globex", 0}, {"(others)", 3}});
}

TEST_CASE("without companies there is one line", "[web]") {
  ShareHistory history;
  history.look(cluster_of(std::nullopt), Instant{});
  CHECK(history.samples().front().cores
        == std::map<std::string, int>{{"all applications", 6}});
}

TEST_CASE("before a master has led there is nothing to show", "[web]") {
  ShareHistory history;
  history.look(ClusterCopy{}, Instant{});
  CHECK(history.samples().empty());
}

TEST_CASE("a long history has fewer samples of each hour", "[web]") {
  auto cluster = cluster_of(std::nullopt);
  ShareHistory history;
  Instant now{};
  for (int i = 0; i < 5000; ++i) {
    if (history.wait(now) == Duration{})
      history.look(cluster, now);
    now += std::chrono::seconds{1};
  }
  CHECK(history.samples().size() <= ShareHistory::samples_max);
  CHECK(history.samples().size() >= ShareHistory::samples_max / 2);
  CHECK(history.samples().front().at == Instant{});
  CHECK(now - history.samples().back().at <= std::chrono::seconds{20});
}
