// Heartbeats that are known by their bytes, and reach a real master in batches.

#include "gateway/heartbeat_batches.hpp"

#include <deque>

#include "tests/gateway/peer_fixture.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct BatchFixture : PeerFixture {
  BatchFixture() {
    say_recorded("$RegisterWorker");
    say_recorded("$WorkerLatestState");
    say(frame);
    connection->frames_processed = 0;
  }

  bool take_frame() {
    return batches.take(*heartbeat, frame);
  }

  /// Does what was to be done later, without the master.
  void run_later() {
    while (!later.empty()) {
      auto what = std::move(later.front());
      later.pop_front();
      what();
    }
  }

  void run_all() {
    do {
      run_later();
      scheduler.run();
    } while (!later.empty());
  }

  auto heard() {
    return ask<MasterStateResponse>(master, RequestMasterState{})
        ->workers.at(0)
        .last_heartbeat_ms;
  }

  const std::string frame = spark::test::recorded("3.5.9", "$Heartbeat").bytes;
  std::deque<std::function<void()>> later;
  HeartbeatBatches batches{
      master, [this](auto what) { later.push_back(std::move(what)); }};
};

} // namespace

TEST_CASE_METHOD(
    BatchFixture,
    "a heartbeat that comes again needs its worker's actor no more",
    "[gateway]") {
  for (int i = 0; i < 3; ++i) {
    advance(1s);
    auto before = heard();
    CHECK(take_frame());
    CHECK(heard() == before);
    run_all();
    CHECK(heard() > before);
  }
  CHECK(connection->frames_processed == 0);
}

TEST_CASE_METHOD(BatchFixture, "only a heartbeat that was read is known",
                 "[gateway]") {
  CHECK_FALSE(batches.take(*heartbeat, frame + 'x'));
  CHECK_FALSE(batches.take(*heartbeat, {}));
  KnownHeartbeat other;
  CHECK_FALSE(batches.take(other, frame));
  // What has left is heard no more.
  caf::anon_send(peer, SparkConnectionClosed{"it has gone"});
  scheduler.run();
  CHECK_FALSE(take_frame());
  CHECK_FALSE(batches.take(*heartbeat, {}));
  CHECK(later.empty());
}

TEST_CASE_METHOD(BatchFixture,
                 "a worker that is faster than the master waits once",
                 "[gateway]") {
  CHECK(take_frame());
  run_later();
  // It is under way.
  advance(1s);
  auto before = heard();
  for (int i = 0; i < 1000; ++i)
    CHECK(take_frame());
  run_later();
  CHECK(later.empty());
  scheduler.run();
  REQUIRE(later.size() == 1);
  run_later();
  advance(1s);
  CHECK(heard() >= before);
  run_all();
  CHECK(later.empty());
}

TEST_CASE_METHOD(BatchFixture,
                 "heartbeats go on where a master has not taken the last ones",
                 "[gateway]") {
  kill(master);
  for (int i = 0; i < 3; ++i) {
    CHECK(take_frame());
    run_all();
  }
}

TEST_CASE_METHOD(BatchFixture,
                 "a worker that the master has forgotten is told to register",
                 "[gateway]") {
  take();
  auto all = ask<MasterStateResponse>(master, RequestMasterState{})->workers;
  caf::anon_send(master, WorkerLeft{all.at(0).id, {}});
  scheduler.run();
  take();
  CHECK(take_frame());
  run_all();
  auto told = take();
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("ReconnectWorker ") == 0);
}
