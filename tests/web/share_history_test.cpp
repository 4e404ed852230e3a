// What companies have used over time.

#include "web/share_history.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "web/page_charts.hpp"

using namespace stoker;
using stoker::test::contains;

namespace {

/// A cluster on which each of the users has an application: the first one with 1 core, the
/// next one with 2.
ClusterCopy cluster_of(std::optional<TenantsConfig> tenants,
                       const std::vector<std::string>& users
                       = {"ann", "bob", "eve"}) {
  auto stored = std::make_shared<StoredState>();
  stored->config.emplace().tenants = std::move(tenants);
  std::uint32_t number = 0;
  for (const auto& user : users) {
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

/// Each line, with how many cores it had.
using ShownCores = std::vector<std::pair<std::string, std::vector<int>>>;

ShownCores shown_cores(const ShareHistory::Lines& x) {
  ShownCores result;
  for (const auto& line : x.lines)
    result.emplace_back(line.name, line.cores);
  return result;
}

} // namespace

TEST_CASE("the cores of users are counted for their companies", "[web]") {
  TenantsConfig tenants;
  for (const auto* name : {"globex", "acme"})
    tenants.companies.emplace_back().name = name;
  tenants.users.push_back({"ann", "acme"});
  tenants.users.push_back({"bob", "acme"});
  ShareHistory history;
  history.look(cluster_of(tenants), Instant{});
  auto shown = history.lines();
  // In the order of the file, and then what is of no company.
  CHECK(shown_cores(shown)
        == ShownCores{{"globex", {0}}, {"acme", {3}}, {"(others)", {3}}});
  CHECK(shown.companies_in_all == 2);
  CHECK(shown.companies_added_up == 0);
}

TEST_CASE("without companies there is one line", "[web]") {
  ShareHistory history;
  history.look(cluster_of(std::nullopt), Instant{});
  CHECK(shown_cores(history.lines()) == ShownCores{{"all applications", {6}}});
}

TEST_CASE("of many companies those that use most have lines", "[web]") {
  constexpr std::size_t count = ShareHistory::companies_max + 25;
  TenantsConfig tenants;
  for (std::size_t i = 0; i < count; ++i)
    tenants.companies.emplace_back().name = "c" + std::to_string(i);
  const auto last = tenants.companies.back().name;
  const auto before_last = tenants.companies[count - 2].name;
  tenants.users.push_back({"ann", before_last});
  tenants.users.push_back({"bob", last});
  ShareHistory history;
  history.look(cluster_of(tenants), Instant{});
  auto shown = history.lines();
  CHECK(shown.companies_in_all == count);
  CHECK(shown.companies_added_up == 25);
  REQUIRE(shown.lines.size() == ShareHistory::companies_max + 1);
  CHECK(shown.lines.front().name == "c0");
  CHECK(shown.lines[ShareHistory::companies_max - 2].name == before_last);
  CHECK(shown.lines[ShareHistory::companies_max - 1].name == last);
  CHECK(shown.lines.back().name == "(others)");
  // Nobody has used more than all lines together show.
  CHECK(shown.lines.back().cores == std::vector{3});
}

TEST_CASE("of very many companies that use something the sum is right",
          "[web]") {
  constexpr int count = 3 * ShareHistory::companies_told_apart_max;
  TenantsConfig tenants;
  std::vector<std::string> users;
  for (int i = 0; i < count; ++i) {
    auto name = "c" + std::to_string(i);
    tenants.companies.emplace_back().name = name;
    users.push_back("u" + std::to_string(i));
    tenants.users.push_back({users.back(), name});
  }
  ShareHistory history;
  history.look(cluster_of(tenants, users), Instant{});
  const auto& sample = history.samples().front();
  CHECK(sample.by_company.size() == ShareHistory::companies_told_apart_max);
  CHECK(sample.cores == count * (count + 1) / 2);
  int shown = 0;
  for (const auto& line : history.lines().lines)
    shown += line.cores.front();
  CHECK(shown == sample.cores);
  // Those with the most cores.
  CHECK(history.lines().lines.front().name == "c" + std::to_string(count - 12));
}

TEST_CASE("what the chart of cores leaves out is said beside it", "[web]") {
  TenantsConfig tenants;
  for (std::size_t i = 0; i < ShareHistory::companies_max; ++i)
    tenants.companies.emplace_back().name = "c" + std::to_string(i);
  ShareHistory history;
  history.look(cluster_of(tenants), Instant{});
  const std::string note{"companies no more than 12 have a line each"};
  CHECK_FALSE(contains(shares_chart(history), note));
  tenants.companies.emplace_back().name = "one more";
  history.look(cluster_of(tenants), Instant{});
  CHECK(contains(shares_chart(history), "Of 13 " + note));
}

TEST_CASE("a company that uses nothing any more is shown to use nothing",
          "[web]") {
  TenantsConfig tenants;
  tenants.companies.emplace_back().name = "acme";
  tenants.default_company = "acme";
  ShareHistory history;
  history.look(cluster_of(tenants), Instant{});
  history.look(cluster_of(tenants, {}), Instant{} + std::chrono::seconds{2});
  CHECK(shown_cores(history.lines()) == ShownCores{{"acme", {6, 0}}});
}

TEST_CASE("before a master has led there is nothing to show", "[web]") {
  ShareHistory history;
  history.look(ClusterCopy{}, Instant{});
  CHECK(history.samples().empty());
  CHECK(history.lines().lines.empty());
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
