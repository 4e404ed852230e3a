// The FEED: who follows what a MASTER commits is answered when there is
// something new, and sees only what is stored.

#include "actors/feed.hpp"

#include "actors/journal.hpp"
#include "actors/master.hpp"
#include "storage/memory_journal.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct FeedFixture : DeterministicSystem {
  std::function<Status()> disk = [] { return Status{}; };
  std::shared_ptr<MemoryStore> store
      = std::make_shared<MemoryStore>([this] { return disk(); });
  FeedActor feed = spawn(stoker::feed, std::size_t{100});
  WorkerRecordPtr record = std::make_shared<WorkerRecord>();
  WorkerActor worker = spawn(worker_recorder, record);

  MasterActor start(bool stores = true) {
    MasterServices services;
    services.feed = feed;
    if (stores)
      services.journal = spawn(journal, JournalFactory{[store = store] {
                                 return std::make_unique<MemoryJournal>(store);
                               }});
    return spawn(master, ClusterConfig{}, services);
  }

  void register_worker(const MasterActor& x) {
    caf::send_as(
        caf::actor_cast<caf::actor>(worker), x,
        RegisterWorker{WorkerId{"w1"}, EndpointId{"w1"}, "h1", 0, 4, 4096});
    scheduler.run();
  }

  Pending<FeedUpdate> follow(FeedPosition after) {
    return request<FeedUpdate>(feed, FollowChanges{after});
  }
};

} // namespace

TEST_CASE_METHOD(FeedFixture,
                 "who follows is answered when something is committed",
                 "[feed]") {
  auto stores = GENERATE(true, false);
  INFO("stores: " << stores);
  auto x = start(stores);
  auto first = follow({});
  REQUIRE(first.answered());
  REQUIRE(first.answer()->snapshot);
  CHECK(first.answer()->snapshot->workers.empty());
  auto next = follow(first.answer()->position);
  auto other = follow(first.answer()->position);
  CHECK_FALSE(next.answered());
  register_worker(x);
  REQUIRE(next.answered());
  REQUIRE(other.answered());
  CHECK_FALSE(next.answer()->snapshot);
  REQUIRE(next.answer()->batches.size() == 1);
  CHECK(std::holds_alternative<StoredWorker>(
      next.answer()->batches.front()->front()));
  CHECK(follow({}).answer()->snapshot->workers.size() == 1);
}

TEST_CASE_METHOD(FeedFixture, "what cannot be committed is not followed",
                 "[feed]") {
  auto x = start();
  auto position = follow({}).answer()->position;
  disk = [] { return Error{Errc::full, "the disk is full"}; };
  auto next = follow(position);
  register_worker(x);
  CHECK_FALSE(next.answered());
  CHECK(store->snapshot().workers.empty());
}

TEST_CASE_METHOD(FeedFixture,
                 "who cares is answered when a driver has told of its jobs",
                 "[feed]") {
  start();
  auto position = follow({}).answer()->position;
  auto careless = follow(position);
  auto waiting = request<FeedUpdate>(feed, FollowChanges{position, 0});
  CHECK_FALSE(waiting.answered());
  caf::anon_send(feed, JobsReported{});
  scheduler.run();
  CHECK_FALSE(careless.answered());
  REQUIRE(waiting.answered());
  CHECK(waiting.answer()->jobs == 1);
  CHECK(waiting.answer()->position == position);
  CHECK(waiting.answer()->batches.empty());
  CHECK_FALSE(request<FeedUpdate>(feed, FollowChanges{position, 1}).answered());
}
