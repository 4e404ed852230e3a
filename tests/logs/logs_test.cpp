// Logs of real clusters and jobs: each replays as it was, and ends as the text beside it
// says. tools/record-logs makes them; with UPDATE_GOLDEN=1 in the environment
// texts that differ are written again, and the test fails.

#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "scheduling/jobs/job_invariants.hpp"
#include "scheduling/master/invariants.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/waiting.hpp"
#include "testing/catch_replay.hpp"
#include "tests/support/golden.hpp"
#include "tools/stoker/jobs_snapshot_text.hpp"
#include "tools/stoker/queues_text.hpp"
#include "tools/stoker/status_text.hpp"

namespace {

namespace fs = std::filesystem;

std::set<fs::path> recorded_logs() {
  std::set<fs::path> result;
  for (const auto& x : fs::directory_iterator{STOKER_TEST_DATA})
    if (x.path().extension() == ".log")
      result.insert(x.path());
  return result;
}

bool is_of_a_master(const fs::path& log) {
  auto kind = stoker::log_kind(log.string());
  REQUIRE(kind);
  return *kind == stoker::LogKind::master;
}

/// How jobs stand, for people.
std::string outcome(const stoker::TaskReplay& replay) {
  std::ostringstream out;
  out << replay.steps << " steps\n\n";
  print_jobs_snapshot(out, snapshot(replay.scheduler.state()));
  return out.str();
}

/// How a cluster stands, for people. Their times would be local ones.
std::string outcome(const stoker::Replay& replay) {
  setenv("TZ", "UTC", 1);
  tzset();
  std::ostringstream out;
  out << replay.steps << " steps\n\n";
  stoker::StatusView view;
  view.now_ms = stoker::to_ms(replay.cluster.now());
  print_status(out, snapshot(replay.cluster.state()), view);
  out << '\n';
  print_queues(out, queues(replay.cluster.state(), replay.cluster.now()));
  return out.str();
}

std::string read(const fs::path& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("recorded logs replay without a difference", "[logs]") {
  auto logs = recorded_logs();
  CHECK(logs.size() >= 5);
  CHECK_FALSE(std::all_of(logs.begin(), logs.end(), is_of_a_master));
  for (const auto& log : logs)
    CHECK_REPLAYS(log.string());
}

TEST_CASE("recorded logs end as they did", "[logs]") {
  for (const auto& log : recorded_logs()) {
    INFO(log);
    auto text = fs::path{log}.replace_extension(".txt");
    if (is_of_a_master(log)) {
      auto replay = stoker::replay_file(log.string());
      REQUIRE(replay);
      CHECK_FALSE(invariant_violation(replay->cluster.state()));
      stoker::test::check_golden_text(text.string(), outcome(*replay));
    } else {
      auto replay = stoker::replay_task_log_file(log.string());
      REQUIRE(replay);
      CHECK_FALSE(invariant_violation(replay->scheduler.state()));
      stoker::test::check_golden_text(text.string(), outcome(*replay));
    }
  }
}

TEST_CASE("the log of failures has an instance whose good end was known late",
          "[logs]") {
  auto text = read(fs::path{STOKER_TEST_DATA} / "failures.txt");
  CHECK(text.find("its instance has ended well as executor 0")
        != std::string::npos);
}

TEST_CASE("a log of version 1 replays", "[logs]") {
  auto path = fs::path{STOKER_TEST_DATA} / "version_1.log";
  REQUIRE(read(path).starts_with("{\"stoker_message_log\":1,"));
  REQUIRE_REPLAYS(path.string());
}

TEST_CASE("a log that cannot be replayed is a problem in words", "[logs]") {
  CHECK(stoker::testing::replay_problem("/nowhere")
        == "cannot read the message log /nowhere: No such file or directory");
}
