// What is shown of the executors of an application over its time.

#include "web/page_charts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "web/cluster_page_content.hpp"
#include "web/cluster_view.hpp"

using namespace stoker;
using stoker::test::contains;

namespace {

constexpr const char* see_history
    = "<a href=\"/history?id=app-1\">See the history";

StoredExecutor stored_executor(int id, std::int64_t launched_ms,
                               std::optional<std::int64_t> ended_ms = {},
                               std::uint64_t end_number = 0) {
  StoredExecutor result;
  result.app_id = AppId{"app-1"};
  result.exec_id = id;
  result.launched = from_ms(launched_ms);
  result.state = ended_ms ? ExecutorState::EXITED : ExecutorState::RUNNING;
  if (ended_ms)
    result.ended = from_ms(*ended_ms);
  result.end_number = end_number;
  return result;
}

/// An application that began at 1000, of whose executors these are kept.
ClusterCopy cluster_with_kept(int started, std::vector<StoredExecutor> kept,
                              std::optional<std::int64_t> ended_ms = {}) {
  StoredState stored;
  StoredApplication app;
  app.number = 1;
  app.id = AppId{"app-1"};
  app.submitted = from_ms(1000);
  app.next_exec_id = started;
  app.state = ended_ms ? ApplicationState::FINISHED : ApplicationState::RUNNING;
  if (ended_ms)
    app.ended = from_ms(*ended_ms);
  stored.applications.push_back(app);
  stored.executors = std::move(kept);
  ClusterCopy result;
  result.follow({FeedPosition{LeaderEpoch{1}, 1},
                 std::make_shared<const StoredState>(std::move(stored)),
                 {}});
  MasterStateResponse said;
  said.status = RecoveryState::ALIVE;
  result.observe(said, from_ms(1000));
  return result;
}

/// A section of the application's page.
std::string section_of_app(const ClusterCopy& cluster, const std::string& id) {
  EventLog events;
  ShareHistory shares;
  auto page = page_content(ApplicationPage{AppId{"app-1"}},
                           PageSources{cluster, events, shares}, {}, Instant{});
  REQUIRE(page);
  for (const auto& x : page->sections)
    if (x.id == id)
      return x.html;
  FAIL("no section " << id);
  return {};
}

std::string chart_of_app(const ClusterCopy& cluster) {
  return section_of_app(cluster, "chart");
}

/// As the script on the page reads them, which is how HTML has quotes.
std::string points_text(const std::string& list) {
  return "&quot;points&quot;:" + list;
}

} // namespace

TEST_CASE("where all executors are kept, they are shown from the beginning on",
          "[web]") {
  auto cluster = cluster_with_kept(
      2, {stored_executor(0, 2000, 3000, 1), stored_executor(1, 2500)});
  auto text = chart_of_app(cluster);
  CHECK(contains(text,
                 points_text("[[1000,0E0],[2000,1E0],[2500,2E0],[3000,1E0]]")));
  CHECK_FALSE(contains(text, see_history));
  CHECK_FALSE(contains(section_of_app(cluster, "executors"), see_history));
}

TEST_CASE("where executors are forgotten, the chart begins with the first end "
          "that is kept, and says so",
          "[web]") {
  auto cluster = cluster_with_kept(6, {stored_executor(3, 2000, 5000, 4),
                                       stored_executor(4, 2500, 6000, 5),
                                       stored_executor(5, 2600)});
  auto text = chart_of_app(cluster);
  CHECK(contains(text, points_text("[[5000,2E0],[6000,1E0]]")));
  // Nor does its table say that there were none before.
  CHECK_FALSE(contains(text, "1970-01-01T00:00:01Z"));
  CHECK(contains(text, "It begins with the first end that is kept: 3 that have "
                       "ended are in the history alone."));
  CHECK(contains(text, see_history));
  text = section_of_app(cluster, "executors");
  CHECK(contains(text, "app-1/3"));
  CHECK(contains(text, "3 that have ended are in the history alone."));
  CHECK(contains(text, see_history));
}

TEST_CASE("where no end is kept, nothing is said of how many executors there "
          "were",
          "[web]") {
  auto cluster = cluster_with_kept(1, {});
  auto text = chart_of_app(cluster);
  CHECK_FALSE(contains(text, "data-chart"));
  CHECK_FALSE(contains(text, "Values"));
  CHECK(contains(text, "There is no time of which all executors are kept."));
  CHECK(contains(text, "1 that has ended is in the history alone."));
  CHECK(contains(text, see_history));
  text = section_of_app(cluster, "executors");
  CHECK_FALSE(contains(text, "There is none."));
  CHECK(contains(text, "None runs, or is kept."));
  CHECK(contains(text, see_history));
  // The one that runs tells nothing of those before.
  CHECK_FALSE(
      contains(chart_of_app(cluster_with_kept(2, {stored_executor(1, 2000)})),
               "data-chart"));
  // All ended with their application.
  CHECK_FALSE(contains(chart_of_app(cluster_with_kept(
                           2, {stored_executor(1, 2000, 9000, 2)}, 9000)),
                       "data-chart"));
}

TEST_CASE("an end that stays for another reason than its age tells nothing of "
          "those that are forgotten",
          "[web]") {
  auto lost = stored_executor(0, 2000, 3000, 1);
  lost.index = 0;
  lost.state = ExecutorState::LOST;
  auto ending = stored_executor(1, 2000, 3500, 2);
  ending.ending = true;
  auto last = stored_executor(4, 2000, 7000, 5);
  // Ends are in the order in which the master took them.
  auto told_late = stored_executor(5, 2000, 6000, 6);
  auto cluster = cluster_with_kept(6, {lost, ending, last, told_late});
  CHECK(first_end_kept(cluster, AppId{"app-1"}) == 7000);
  cluster = cluster_with_kept(6, {lost, ending});
  CHECK_FALSE(first_end_kept(cluster, AppId{"app-1"}));
}

TEST_CASE("an application that never had an executor is shown to have none",
          "[web]") {
  auto cluster = cluster_with_kept(0, {});
  CHECK(contains(chart_of_app(cluster), points_text("[[1000,0E0]]")));
  CHECK(contains(section_of_app(cluster, "executors"), "There is none."));
}
