// The JOURNAL: leaderships begin, commit and fail as storage/journal.hpp says,
// and no error ends the actor.

#include <stdexcept>

#include "actors/journal.hpp"

#include "storage/memory_journal.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct JournalFixture : DeterministicSystem {
  /// What the disk and the opening of the store do now.
  std::function<Status()> disk = [] { return Status{}; };
  std::function<Status()> opening = [] { return Status{}; };
  std::shared_ptr<MemoryStore> store
      = std::make_shared<MemoryStore>([this] { return disk(); });

  JournalActor spawn_journal() {
    return spawn(journal,
                 JournalFactory{[this]() -> Result<std::unique_ptr<Journal>> {
                   if (auto status = opening(); !status)
                     return std::move(status).error();
                   return std::make_unique<MemoryJournal>(store);
                 }});
  }

  JournalAnswer open(const JournalActor& x, std::int64_t at_ms) {
    return *ask<JournalAnswer>(x, OpenJournal{"stoker://m:1", at_ms});
  }

  JournalAnswer commit(const JournalActor& x, const std::string& user) {
    return *ask<JournalAnswer>(x, CommitChanges{std::make_shared<const Changes>(
                                      Changes{StoredUser{user}})});
  }

  std::vector<std::string> stored() const {
    std::vector<std::string> result;
    for (const auto& x : store->snapshot().users)
      result.push_back(x.name);
    return result;
  }
};

using Names = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(JournalFixture,
                 "a leadership begins with what was committed before",
                 "[journal]") {
  auto first = spawn_journal();
  auto answer = open(first, 100);
  CHECK(answer.status);
  CHECK(answer.leadership.epoch == LeaderEpoch{100});
  CHECK(answer.leadership.stored.users.empty());
  CHECK(commit(first, "eva").status);
  CHECK(stored() == Names{"eva"});
  auto second = open(spawn_journal(), 200).leadership;
  CHECK(second.epoch == LeaderEpoch{200});
  REQUIRE(second.stored.users.size() == 1);
  CHECK(second.stored.users.front().name == "eva");
}

TEST_CASE_METHOD(JournalFixture, "a journal commits nothing once another leads",
                 "[journal]") {
  auto first = spawn_journal();
  auto second = spawn_journal();
  REQUIRE(open(first, 100).status);
  REQUIRE(open(second, 90).status);
  auto answer = commit(first, "eva");
  CHECK(answer.status.code() == Errc::fenced);
  CHECK_FALSE(answer.status.error().message.empty());
  CHECK(stored().empty());
  CHECK(commit(second, "adam").status);
  // It may lead again, and then finds what the other one has committed.
  auto again = open(first, 80);
  CHECK(again.status);
  CHECK(again.leadership.epoch == LeaderEpoch{102});
  CHECK(again.leadership.stored.users.size() == 1);
  CHECK(commit(second, "eva").status.code() == Errc::fenced);
  CHECK(commit(first, "eva").status);
  CHECK(stored() == Names{"adam", "eva"});
}

TEST_CASE_METHOD(JournalFixture,
                 "a commit that fails is told, and can be tried again",
                 "[journal]") {
  auto x = spawn_journal();
  REQUIRE(open(x, 100).status);
  disk = [] { return Error{Errc::full, "the disk is full"}; };
  auto answer = commit(x, "eva");
  CHECK(answer.status.code() == Errc::full);
  CHECK(answer.status.error().message == "the disk is full");
  CHECK(stored().empty());
  disk = [] { return Status{}; };
  CHECK(commit(x, "eva").status);
  CHECK(stored() == Names{"eva"});
}

TEST_CASE_METHOD(JournalFixture, "a leadership that cannot begin is told why",
                 "[journal]") {
  auto x = spawn_journal();
  SECTION("the store is damaged") {
    opening = [] { return Error{Errc::corrupt, "damaged"}; };
    auto answer = open(x, 100);
    CHECK(answer.status.code() == Errc::corrupt);
    CHECK(answer.status.error().message == "damaged");
  }
  SECTION("its epoch cannot be written") {
    disk = [] { return Error{Errc::full, "the disk is full"}; };
    CHECK(open(x, 100).status.code() == Errc::full);
  }
  SECTION("something else went wrong") {
    opening = []() -> Status { throw std::runtime_error{"no memory"}; };
    auto answer = open(x, 100);
    CHECK(answer.status.code() == Errc::io);
    CHECK(answer.status.error().message == "no memory");
  }
  opening = disk = [] { return Status{}; };
  auto answer = open(x, 200);
  CHECK(answer.status);
  CHECK(answer.leadership.epoch == LeaderEpoch{200});
}
