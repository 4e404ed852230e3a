// What happened once happens again: a test for each log that is worth keeping.

#include "scheduling/master/snapshot.hpp"
#include "testing/catch_replay.hpp"

TEST_CASE("what a lost worker ran goes on elsewhere") {
  REQUIRE_REPLAYS(LOGS "/lost_worker.log");
}

TEST_CASE("no application waits after a lost worker") {
  auto replay = stoker::replay_file(LOGS "/lost_worker.log");
  REQUIRE(replay);
  for (const auto& app : snapshot(replay->cluster.state()).active_apps)
    CHECK(app.state == stoker::ApplicationState::RUNNING);
}
