// The LEADER ELECTION on real directories and their locks: who may lead, and who
// may lead no longer.

#include "actors/lock_election.hpp"

#include <filesystem>
#include <fstream>

#include "tests/support/deterministic_system.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct ElectionFixture : DeterministicSystem {
  TemporaryDirectory place;
  std::string directory = place.path("data");

  LeaderElectionActor spawn_election() {
    return spawn(lock_election, LockElectionConfig{directory, {}});
  }

  /// Long enough for a lock that is free to be taken, or for one that was taken
  /// away to be missed.
  void wait() {
    advance(1s, 20ms);
  }

  Pending<bool> contend(const LeaderElectionActor& x,
                        std::chrono::milliseconds after = 0ms) {
    return request<bool>(x, Contend{after});
  }

  /// Asks why it may not lead.
  Pending<std::string> await_obstacle(const LeaderElectionActor& x,
                                      std::optional<std::string> known = {}) {
    return request<std::string>(x, AwaitObstacle{std::move(known)});
  }

  void resign(const LeaderElectionActor& x) {
    caf::anon_send(x, Resign{});
    scheduler.run();
  }

  void take_lock_away() const {
    REQUIRE(fs::remove(directory + "/lock"));
  }

  [[nodiscard]] std::string taken_away() const {
    return "the lock of " + directory
           + " was taken away: its file was removed or replaced";
  }
};

} // namespace

TEST_CASE_METHOD(ElectionFixture, "one leads, and the other one when that ends",
                 "[election]") {
  auto first = spawn_election();
  auto second = spawn_election();
  CHECK(contend(first).answered());
  auto waiting = contend(second);
  wait();
  CHECK_FALSE(waiting.answered());
  SECTION("it lets another lead") {
    resign(first);
  }
  SECTION("it dies") {
    kill(first);
  }
  CHECK_FALSE(waiting.answered());
  advance(20ms, 20ms);
  CHECK(waiting.answered());
}

TEST_CASE_METHOD(
    ElectionFixture,
    "who contends hears why he may not lead, and when that changes",
    "[election]") {
  auto first = spawn_election();
  auto second = spawn_election();
  REQUIRE(contend(first).answered());
  auto waiting = contend(second);
  auto why = await_obstacle(second);
  wait();
  REQUIRE(why.answered());
  // Another one leads.
  CHECK(why.answer() == std::string{});
  auto next = await_obstacle(second, std::string{});
  wait();
  CHECK_FALSE(next.answered());
  SECTION("for another reason") {
    fs::permissions(directory, fs::perms::others_write, fs::perm_options::add);
    wait();
    REQUIRE(next.answered());
    CHECK_FALSE(next.answer()->empty());
    CHECK_FALSE(waiting.answered());
  }
  SECTION("and no more when he may") {
    resign(first);
    wait();
    CHECK(waiting.answered());
    REQUIRE(next.answered());
    CHECK(next.answer() == std::string{});
  }
}

TEST_CASE_METHOD(ElectionFixture, "one that has resigned may lead again",
                 "[election]") {
  auto first = spawn_election();
  auto second = spawn_election();
  REQUIRE(contend(first).answered());
  auto waiting = contend(second);
  resign(first);
  auto again = contend(first, 100ms);
  advance(20ms, 20ms);
  CHECK(waiting.answered());
  wait();
  CHECK_FALSE(again.answered());
  resign(second);
  wait();
  CHECK(again.answered());
}

TEST_CASE_METHOD(ElectionFixture, "nobody contends before it is time",
                 "[election]") {
  auto first = spawn_election();
  auto late = contend(first, 1s);
  advance(980ms, 20ms);
  CHECK_FALSE(late.answered());
  // The lock was free until then.
  auto other = spawn_election();
  CHECK(contend(other).answered());
  resign(other);
  advance(20ms, 20ms);
  CHECK(late.answered());
}

TEST_CASE_METHOD(ElectionFixture,
                 "a leader whose lock is taken away is told so", "[election]") {
  auto first = spawn_election();
  REQUIRE(contend(first).answered());
  auto revoked = request<std::string>(first, AwaitRevocation{});
  wait();
  CHECK_FALSE(revoked.answered());
  SECTION("the file is removed") {
    take_lock_away();
  }
  SECTION("the file is replaced") {
    std::ofstream{directory + "/other"};
    fs::rename(directory + "/other", directory + "/lock");
  }
  SECTION("the directory is replaced") {
    fs::rename(directory, directory + "-old");
    fs::create_directory(directory);
  }
  wait();
  REQUIRE(revoked.answered());
  CHECK(*revoked.answer() == taken_away());
  // It has let go, and may contend again.
  CHECK(contend(first).answered());
}

TEST_CASE_METHOD(ElectionFixture,
                 "a lock that is taken away before its leader asks is "
                 "not forgotten",
                 "[election]") {
  auto first = spawn_election();
  REQUIRE(contend(first).answered());
  take_lock_away();
  wait();
  auto revoked = request<std::string>(first, AwaitRevocation{});
  wait();
  REQUIRE(revoked.answered());
  CHECK(*revoked.answer() == taken_away());
}

TEST_CASE_METHOD(ElectionFixture, "who has resigned is told nothing any more",
                 "[election]") {
  auto first = spawn_election();
  REQUIRE(contend(first).answered());
  auto revoked = request<std::string>(first, AwaitRevocation{});
  resign(first);
  take_lock_away();
  wait();
  CHECK_FALSE(revoked.answered());
  // Neither by what happens to a later leadership.
  REQUIRE(contend(first).answered());
  take_lock_away();
  wait();
  CHECK_FALSE(revoked.answered());
}

TEST_CASE_METHOD(ElectionFixture,
                 "a directory that cannot be used yet is tried again",
                 "[election]") {
  std::ofstream{directory} << "a file";
  auto waiting = contend(spawn_election());
  wait();
  CHECK_FALSE(waiting.answered());
  fs::remove(directory);
  wait();
  CHECK(waiting.answered());
}

TEST_CASE_METHOD(ElectionFixture,
                 "one clock runs, however often a master contends",
                 "[election]") {
  auto first = spawn_election();
  for (int i = 0; i < 20; ++i) {
    REQUIRE(contend(first).answered());
    resign(first);
  }
  auto waiting = contend(first, 1s);
  wait();
  CHECK(waiting.answered());
  wait();
  CHECK(pending_timers() == 1);
}

TEST_CASE_METHOD(ElectionFixture,
                 "a leader that shows no life and cannot be killed loses its "
                 "lock",
                 "[election]") {
  // It runs in this very process.
  auto first = spawn_election();
  REQUIRE(contend(first).answered());
  auto revoked = request<std::string>(first, AwaitRevocation{});
  auto waiting = contend(spawn_election());
  SECTION("not as long as it shows some") {
    for (int i = 0; i < 30; ++i) {
      caf::anon_send(first, ShowThatItLeads{});
      wait();
    }
    CHECK_FALSE(waiting.answered());
    CHECK_FALSE(revoked.answered());
  }
  SECTION("but after 12 s without any") {
    advance(12s, 20ms);
    CHECK_FALSE(waiting.answered());
    advance(2s, 20ms);
    CHECK(waiting.answered());
    wait();
    REQUIRE(revoked.answered());
    CHECK(*revoked.answer() == taken_away());
  }
}

TEST_CASE_METHOD(ElectionFixture, "a leader whose database is gone is told so",
                 "[election]") {
  fs::create_directory(directory);
  auto database = place.write("data/some.db", "");
  auto first = spawn(lock_election, LockElectionConfig{directory, database});
  REQUIRE(contend(first).answered());
  auto revoked = request<std::string>(first, AwaitRevocation{});
  wait();
  CHECK_FALSE(revoked.answered());
  fs::remove(database);
  wait();
  REQUIRE(revoked.answered());
  CHECK(*revoked.answer()
        == "the database " + database
               + " cannot be found any more: No such file or directory");
}

TEST_CASE_METHOD(ElectionFixture,
                 "a directory that is gone is waited for, and not made anew",
                 "[election]") {
  auto first = spawn_election();
  REQUIRE(contend(first).answered());
  fs::rename(directory, directory + "-old");
  wait();
  auto waiting = contend(first);
  wait();
  CHECK_FALSE(waiting.answered());
  CHECK_FALSE(fs::exists(directory));
  fs::rename(directory + "-old", directory);
  wait();
  CHECK(waiting.answered());
}
