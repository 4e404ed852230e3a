// What leaders commit, for those who follow it: storage/change_feed.hpp.

#include "storage/change_feed.hpp"

#include <random>
#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

SharedChanges users(const std::vector<std::string>& names) {
  Changes result;
  for (const auto& x : names)
    result.push_back(StoredUser{x});
  return std::make_shared<const Changes>(std::move(result));
}

/// Follows a feed, and has what it has seen.
struct Follower {
  void read(const ChangeFeed& feed) {
    if (!feed.has_news(position))
      return;
    auto update = feed.read(position);
    if (update.snapshot) {
      tables = StoredTables{*update.snapshot};
      ++snapshots;
    }
    for (const auto& batch : update.batches)
      tables.apply(*batch);
    position = update.position;
  }

  StoredTables tables;
  FeedPosition position;
  int snapshots = 0;
};

} // namespace

TEST_CASE("a feed without a leadership has no news", "[feed]") {
  CHECK_FALSE(ChangeFeed{}.has_news({}));
}

TEST_CASE("who begins to follow gets a snapshot, then what follows it",
          "[feed]") {
  ChangeFeed feed;
  feed.begin(LeaderEpoch{5}, {});
  feed.append(LeaderEpoch{5}, 1, users({"a"}));
  auto first = feed.read({});
  REQUIRE(first.snapshot);
  CHECK(first.snapshot->users.size() == 1);
  CHECK(first.batches.empty());
  CHECK_FALSE(feed.has_news(first.position));
  feed.append(LeaderEpoch{5}, 2, users({"b"}));
  feed.append(LeaderEpoch{5}, 3, users({"c"}));
  REQUIRE(feed.has_news(first.position));
  auto next = feed.read(first.position);
  CHECK_FALSE(next.snapshot);
  CHECK(next.batches.size() == 2);
  CHECK(next.position == FeedPosition{LeaderEpoch{5}, 3});
}

TEST_CASE("who has fallen behind gets a snapshot instead", "[feed]") {
  ChangeFeed feed{3};
  feed.begin(LeaderEpoch{5}, {});
  auto position = feed.read({}).position;
  feed.append(LeaderEpoch{5}, 1, users({"a", "b"}));
  feed.append(LeaderEpoch{5}, 2, users({"c", "d"}));
  auto update = feed.read(position);
  REQUIRE(update.snapshot);
  CHECK(update.snapshot->users.size() == 4);
  // The last batch is kept, however large.
  feed.append(LeaderEpoch{5}, 3, users({"e", "f", "g", "h", "i"}));
  CHECK(feed.read(update.position).batches.size() == 1);
}

TEST_CASE("a new leadership begins with a snapshot for everybody", "[feed]") {
  ChangeFeed feed;
  feed.begin(LeaderEpoch{5}, {});
  feed.append(LeaderEpoch{5}, 1, users({"a"}));
  auto position = feed.read({}).position;
  feed.begin(LeaderEpoch{6}, {});
  auto update = feed.read(position);
  REQUIRE(update.snapshot);
  CHECK(update.snapshot->users.empty());
  SECTION("what an earlier leader has committed late is no part of it") {
    feed.append(LeaderEpoch{5}, 2, users({"b"}));
    CHECK_FALSE(feed.has_news(update.position));
  }
}

TEST_CASE("whoever follows at whatever speed sees what is stored",
          "[feed][property]") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random{seed};
    ChangeFeed feed{1 + random() % 20};
    StoredTables stored;
    std::vector<Follower> followers(4);
    std::uint64_t epoch = 0;
    std::uint64_t batch = 0;
    for (int i = 0; i < 100; ++i) {
      if (epoch == 0 || random() % 20 == 0) {
        feed.begin(LeaderEpoch{++epoch}, stored.snapshot());
        batch = 0;
      }
      std::vector<std::string> names;
      for (auto n = 1 + random() % 4; n > 0; --n)
        names.push_back(std::to_string(random() % 50));
      auto changes = users(names);
      stored.apply(*changes);
      feed.append(LeaderEpoch{epoch}, ++batch, changes);
      for (std::size_t n = 0; n < followers.size(); ++n)
        if (random() % (1 + 4 * n) == 0)
          followers[n].read(feed);
    }
    for (auto& x : followers) {
      x.read(feed);
      CHECK(x.tables.snapshot() == stored.snapshot());
    }
  }
}
