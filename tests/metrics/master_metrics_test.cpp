// What a master counts, from several threads at once.

#include "metrics/master_metrics.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "metrics/open_metrics.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

std::string text_of(const MasterMetrics& x) {
  return write_metrics(x.collect(), MetricsFormat::open_metrics);
}

bool has(const std::string& text, std::string_view line) {
  return text.find(line) != std::string::npos;
}

} // namespace

TEST_CASE("a master counts what it does", "[metrics]") {
  MasterMetrics metrics;
  metrics.step();
  metrics.step();
  metrics.know_event("worker-leaves");
  metrics.event("worker-lost");
  metrics.refusal("application");
  metrics.commit(2ms, 7);
  metrics.failed_commit();
  metrics.leadership();
  metrics.set_peers(3);
  auto text = text_of(metrics);
  for (const auto* line :
       {"stoker_steps_total 2\n",
        "stoker_events_total{event=\"worker-lost\"} 1\n",
        "stoker_events_total{event=\"worker-leaves\"} 0\n",
        "stoker_refusals_total{kind=\"driver\"} 0\n",
        "stoker_refusals_total{kind=\"connection\"} 0\n",
        "stoker_refusals_total{kind=\"application\"} 1\n",
        "stoker_committed_changes_total 7\n", "stoker_failed_commits_total 1\n",
        "stoker_leaderships_total 1\n", "stoker_peers 3\n",
        "stoker_commit_seconds_bucket{le=\"0.001\"} 0\n",
        "stoker_commit_seconds_bucket{le=\"0.0025\"} 1\n",
        "stoker_commit_seconds_bucket{le=\"+Inf\"} 1\n",
        "stoker_commit_seconds_count 1\n"})
    CHECK(has(text, line));
}

TEST_CASE("what the store takes and what its disk has are measured",
          "[metrics]") {
  TemporaryDirectory directory;
  MasterMetrics metrics{directory.path("stoker.db")};
  auto text = text_of(metrics);
  CHECK(has(text, "stoker_store_disk_bytes "));
  CHECK(has(text, "stoker_store_disk_free_bytes "));
  CHECK_FALSE(has(text, "stoker_store_bytes "));
  directory.write("stoker.db", std::string(1000, 'x'));
  directory.write("stoker.db-wal", std::string(24, 'x'));
  CHECK(has(text_of(metrics), "stoker_store_bytes 1024\n"));
}

TEST_CASE("a store that is a link is measured where it leads", "[metrics]") {
  TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path("disk"));
  directory.write("disk/moved.db", std::string(1000, 'x'));
  directory.write("disk/moved.db-wal", std::string(24, 'x'));
  std::filesystem::create_symlink("disk/moved.db", directory.path("stoker.db"));
  MasterMetrics metrics{directory.path("stoker.db")};
  CHECK(has(text_of(metrics), "stoker_store_bytes 1024\n"));
}

TEST_CASE("nothing is said of a store that there is not", "[metrics]") {
  CHECK_FALSE(has(text_of(MasterMetrics{}), "stoker_store"));
}

TEST_CASE("what is counted is read meanwhile", "[metrics]") {
  MasterMetrics metrics;
  std::thread master{[&] {
    for (int i = 0; i < 1000; ++i) {
      metrics.step();
      metrics.event(i % 2 == 0 ? "executor-started" : "executor-ended");
    }
  }};
  for (int i = 0; i < 10; ++i)
    (void)metrics.collect();
  master.join();
  CHECK(has(text_of(metrics),
            "stoker_events_total{event=\"executor-ended\"} 500\n"));
}
