// Everything that is measured is documented, and dashboards and alarms ask for nothing else.

#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "metrics/master_metrics.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"
#include "web/cluster_metrics.hpp"

using namespace stoker;

namespace {

using Names = std::set<std::string>;

std::string text_of(const std::string& file) {
  std::ifstream in{STOKER_ROOT "/" + file};
  REQUIRE(in);
  return (std::ostringstream{} << in.rdbuf()).str();
}

/// A histogram has others besides its own.
std::string family_of(const std::string& name) {
  return std::regex_replace(name, std::regex{"_(bucket|count|sum)$"}, "");
}

Names names_in(const std::string& file) {
  static const std::regex pattern{"\\b(stoker|metrics_master)_[a-zA-Z_]+"};
  auto text = text_of(file);
  Names result;
  for (std::sregex_iterator i{text.begin(), text.end(), pattern}, end; i != end;
       ++i)
    result.insert(family_of(i->str()));
  return result;
}

/// What follows a key in a file of YAML, as "alert: ".
Names values_of_key(const std::string& file, const std::string& key) {
  const std::regex pattern{"\\b" + key + ": (\\w+)"};
  auto text = text_of(file);
  Names result;
  for (std::sregex_iterator i{text.begin(), text.end(), pattern}, end; i != end;
       ++i)
    result.insert((*i)[1]);
  return result;
}

/// Of a master that leads a cluster with companies.
Names measured() {
  auto stored = std::make_shared<StoredState>();
  stored->config.emplace();
  stored->config->tenants.emplace();
  stored->config->tenants->companies.emplace_back();
  FeedUpdate update;
  update.position.epoch = LeaderEpoch{1};
  update.snapshot = stored;
  ClusterCopy copy;
  copy.follow(update);
  MasterStateResponse said;
  said.status = RecoveryState::ALIVE;
  copy.observe(said, Instant{});
  Names result;
  for (const auto& x : cluster_metrics(copy, Instant{}))
    result.insert(x.name);
  test::TemporaryDirectory directory;
  MasterMetrics master{directory.write("stoker.db", "a store")};
  master.know_event("worker-lost");
  for (const auto& x : master.collect())
    result.insert(x.name);
  return result;
}

} // namespace

TEST_CASE("all that is measured is documented, and nothing else") {
  auto expected = measured();
  // They are documented together.
  std::erase_if(expected, [](const auto& x) { return x.ends_with("_Number"); });
  CHECK(names_in("docs/metrics.md") == expected);
}

TEST_CASE("dashboards and alarms ask for what is measured") {
  auto known = measured();
  for (const auto* file :
       {"examples/monitoring/grafana.json", "examples/monitoring/alerts.yml"}) {
    auto names = names_in(file);
    CHECK(names.size() >= 5);
    for (const auto& name : names) {
      INFO(file << " asks for " << name);
      CHECK(known.contains(name));
    }
  }
}

TEST_CASE("each alarm is documented, and has an example of when it goes off") {
  auto alarms = values_of_key("examples/monitoring/alerts.yml", "alert");
  CHECK(alarms.size() >= 5);
  CHECK(values_of_key("examples/monitoring/alerts_test.yml", "alertname")
        == alarms);
  auto text = text_of("docs/metrics.md");
  for (const auto& alarm : alarms) {
    INFO(alarm);
    CHECK(text.find('`' + alarm + '`') != std::string::npos);
  }
}
