// Stepping a log again: storage/replay.hpp.

#include <sstream>

#include "scheduling/master/cluster.hpp"
#include "storage/message_log.hpp"
#include "storage/replay.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

RegisterWorker worker() {
  return {WorkerId{"w1"}, EndpointId{"e1"}, "h1", 0, 4, 4096};
}

/// A log of a master that admits a worker and loses it.
std::string recorded() {
  TemporaryDirectory directory;
  ClusterConfig config;
  Cluster cluster{config};
  MessageLogWriter writer{directory.path("log"), config};
  auto append = [&](std::int64_t at_ms, const Event& event) {
    Instant at{Duration{at_ms}};
    REQUIRE(writer.append(at, {}, event, cluster.step(at, event)));
  };
  append(0, ElectedLeader{});
  append(10, worker());
  append(60'010, CheckForWorkerTimeOut{});
  writer.flush();
  return directory.read("log");
}

std::string replaced(std::string text, const std::string& what,
                     const std::string& with) {
  auto i = text.find(what);
  REQUIRE(i != std::string::npos);
  return text.replace(i, what.size(), with);
}

std::string difference_in(const std::string& log) {
  std::istringstream in{log};
  return replay(in).problem();
}

} // namespace

TEST_CASE("a log replays without a difference", "[storage][replay]") {
  CHECK(difference_in(recorded()).empty());
}

TEST_CASE("the first step that differs is shown", "[storage][replay]") {
  auto log = replaced(recorded(), "wake at 60010ms", "wake at 60011ms");
  CHECK(
      difference_in(log)
      == "step 2 at 1970-01-01 00:00:00.010 UTC (RegisterWorker id=w1 "
         "worker=e1 host=h1 port=0 cores=4 "
         "memory_mb=4096 leaving=false runs_programs=false only_spark=false): "
         "then: wake at "
         "60011ms, now: wake at "
         "60010ms");
}

TEST_CASE("a missing or an additional effect is a difference",
          "[storage][replay]") {
  auto log = recorded();
  CHECK(difference_in(replaced(log, ",\"wake at 60010ms\"", ""))
            .find("then: nothing, now: wake at 60010ms")
        != std::string::npos);
  CHECK(difference_in(replaced(log, "\"wake at 60010ms\"",
                               "\"wake at 60010ms\",\"more\""))
            .find("then: more, now: nothing")
        != std::string::npos);
}

TEST_CASE("another configuration is a difference", "[storage][replay]") {
  auto log = replaced(recorded(), "\"worker_timeout\":60000",
                      "\"worker_timeout\":50000");
  CHECK(difference_in(log).find("step 2 ") == 0);
}

TEST_CASE("a log in which time goes backwards is damaged",
          "[storage][replay]") {
  std::istringstream in{replaced(recorded(), "\"at\":60010", "\"at\":9")};
  CHECK_THROWS_WITH(replay(in),
                    "line 4 is damaged: its time is before the last one's");
}

TEST_CASE("each leadership begins with its own configuration",
          "[storage][replay]") {
  TemporaryDirectory directory;
  ClusterConfig config;
  Instant at{};
  {
    MessageLogWriter writer{directory.path("log"), config};
    for (auto timeout : {50'000, 40'000}) {
      config.worker_timeout = Duration{timeout};
      Cluster cluster{config};
      for (const Event& event : {Event{ElectedLeader{}}, Event{worker()}}) {
        at += Duration{1};
        auto effects = cluster.step(at, event);
        auto begins = std::holds_alternative<ElectedLeader>(event);
        REQUIRE(
            writer.append(at, {}, event, effects, begins ? &config : nullptr));
      }
    }
  }
  auto result = replay_file(directory.path("log"));
  REQUIRE(result);
  CHECK(result->problem().empty());
  CHECK(result->steps == 4);
  CHECK(result->cluster.config().worker_timeout == Duration{40'000});
}
