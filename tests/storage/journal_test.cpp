// What every journal promises: storage/journal.hpp. And what its changes mean.

#include "storage/journal.hpp"

#include "storage/last_changes.hpp"
#include "storage/stored_tables.hpp"
#include "tests/storage/journals.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

#define EVERY_JOURNAL(name)                                                    \
  TEMPLATE_TEST_CASE(name, "[storage]", MemoryPlace, SqlitePlace)

namespace {

StoredExecutor executor(const std::string& app, int exec_id, int cores = 1) {
  StoredExecutor x;
  x.app_id = {app};
  x.exec_id = exec_id;
  x.cores = cores;
  return x;
}

StoredWorker worker(const std::string& id, std::uint32_t number) {
  StoredWorker x;
  x.id = {id};
  x.number = number;
  return x;
}

/// What is stored after these changes, committed in one go.
template <class Place>
StoredState after(const Changes& changes) {
  Place place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit(changes));
  return stored_in(place);
}

} // namespace

EVERY_JOURNAL("the first leader finds nothing, in the first epoch") {
  TestType place;
  auto first = *place.open()->lead("stoker://a:7070", 1);
  CHECK(first.epoch.value == 1);
  CHECK(first.stored == StoredState{});
}

EVERY_JOURNAL("each leadership has a higher epoch than all before") {
  TestType place;
  auto a = place.open();
  auto b = place.open();
  std::uint64_t last = 0;
  for (auto* journal : {a.get(), b.get(), b.get(), a.get()}) {
    auto epoch = journal->lead("x", 1)->epoch.value;
    CHECK(epoch > last);
    last = epoch;
  }
}

EVERY_JOURNAL("all fields of all records are there again") {
  auto seed = GENERATE(range(1, 21));
  INFO("seed " << seed);
  Random random{static_cast<std::uint64_t>(seed)};
  StoredState state;
  fill(state, random);
  StoredTables tables{state};
  Changes changes{state.counters, *state.config};
  for (const auto& x : state.workers)
    changes.emplace_back(x);
  for (const auto& x : state.applications)
    changes.emplace_back(x);
  for (const auto& x : state.instances)
    changes.emplace_back(x);
  for (const auto& x : state.executors)
    changes.emplace_back(x);
  for (const auto& x : state.drivers)
    changes.emplace_back(x);
  for (const auto& x : state.companies)
    changes.emplace_back(x);
  for (const auto& x : state.users)
    changes.emplace_back(x);
  CHECK(after<TestType>(changes) == tables.snapshot());
}

EVERY_JOURNAL("a journal whose leadership was taken over commits nothing") {
  TestType place;
  auto old = place.open();
  REQUIRE(old->lead("stoker://old:1", 1));
  REQUIRE(old->commit({StoredUser{"a", 1}}));
  auto next = place.open();
  auto leadership = *next->lead("stoker://next:1", 2);
  CHECK(leadership.stored.users == std::vector{StoredUser{"a", 1}});
  CHECK(error_of(old->commit({StoredUser{"b", 2}}))
        == Error{Errc::fenced, "stoker://next:1 leads now, in epoch 2"});
  CHECK(error_of(old->check())
        == Error{Errc::fenced, "stoker://next:1 leads now, in epoch 2"});
  CHECK(next->check());
  REQUIRE(next->commit({StoredUser{"c", 3}}));
  // The old one may lead again, with what happened meanwhile.
  auto again = *old->lead("stoker://old:1", 3);
  CHECK(again.epoch.value == 3);
  CHECK(again.stored.users
        == std::vector{StoredUser{"a", 1}, StoredUser{"c", 3}});
  REQUIRE(old->commit({StoredUser{"d", 4}}));
  CHECK(old->check());
  CHECK(next->commit({}).code() == Errc::fenced);
}

EVERY_JOURNAL("a record takes the place of the one with its key") {
  auto state = after<TestType>(
      {executor("app", 1, 1), executor("app", 2, 2), executor("app", 1, 3)});
  CHECK(state.executors
        == std::vector{executor("app", 1, 3), executor("app", 2, 2)});
}

EVERY_JOURNAL("erasing what is not there is harmless") {
  auto state = after<TestType>(
      {EraseWorker{{"w"}, {}}, EraseApplication{{"a"}}, EraseInstancesOf{{"a"}},
       EraseExecutor{{{"a"}, 1}}, EraseExecutorsOf{{"a"}}, EraseDriver{{"d"}},
       EraseUser{"u"}});
  CHECK(state == StoredState{});
}

EVERY_JOURNAL("an application's executors are erased, and may come again") {
  TestType place;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit({executor("app", 0), executor("app", 1),
                           executor("apple", 0), executor("ap", 0)}));
  REQUIRE(journal->commit(
      {executor("app", 2), EraseExecutorsOf{{"app"}}, executor("app", 1, 5)}));
  CHECK(stored_in(place).executors
        == std::vector{executor("ap", 0), executor("app", 1, 5),
                       executor("apple", 0)});
}

EVERY_JOURNAL("records come in order of number or key") {
  auto state = after<TestType>(
      {worker("a", 10), worker("b", 9), worker("c", 100), executor("b", 10),
       executor("b", 9), executor("B", 1), StoredUser{"z"}, StoredUser{"Z"},
       StoredUser{"\xc3\xa9"}, StoredUser{""}});
  CHECK(state.workers
        == std::vector{worker("b", 9), worker("a", 10), worker("c", 100)});
  CHECK(state.executors
        == std::vector{executor("B", 1), executor("b", 9), executor("b", 10)});
  CHECK(state.users
        == std::vector{StoredUser{""}, StoredUser{"Z"}, StoredUser{"z"},
                       StoredUser{"\xc3\xa9"}});
}

EVERY_JOURNAL("texts of users are kept byte by byte") {
  using namespace std::string_literals;
  StoredApplication x;
  x.id.value = "a\0b"s;
  x.description.name = "\xff\xfe no UTF-8, \"quotes\" \\ \t\n\x7f"s;
  x.description.command.environment["\xc3"] = "\0\x01\x1f\xed\xa0\x80"s;
  x.description.user = "\xe2\x82";
  CHECK(after<TestType>({x}).applications == std::vector{x});
}

EVERY_JOURNAL("fractions are exactly those that were stored") {
  Random random{7};
  Changes changes;
  StoredTables tables;
  for (auto i = 0; i < 200; ++i) {
    StoredCompany x{"c" + std::to_string(i)};
    x.usage_cores = static_cast<double>(random.below(1U << 30)) / 3.0e7;
    x.usage_memory_mb = static_cast<double>(random.below(1U << 30)) * 1.1e20;
    changes.emplace_back(x);
  }
  tables.apply(changes);
  CHECK(after<TestType>(changes).companies == tables.snapshot().companies);
}

EVERY_JOURNAL("any sequence of commits leaves what the tables say") {
  auto seed = GENERATE(range(1, 31));
  INFO("seed " << seed);
  Random random{static_cast<std::uint64_t>(seed)};
  TestType place;
  StoredTables tables;
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  for (auto commits = 12; commits > 0; --commits) {
    Changes changes;
    for (auto n = random.below(30); n > 0; --n)
      changes.push_back(random_change(random));
    REQUIRE(journal->commit(changes));
    tables.apply(changes);
    if (random.below(3) > 0)
      continue;
    journal = place.open();
    REQUIRE(journal->lead("b", 2)->stored == tables.snapshot());
  }
  CHECK(stored_in(place) == tables.snapshot());
}

TEST_CASE("what a later change undoes need not be written", "[storage]") {
  auto seed = GENERATE(range(1, 101));
  INFO("seed " << seed);
  Random random{static_cast<std::uint64_t>(seed)};
  Changes before, changes;
  for (auto n = random.below(40); n > 0; --n)
    before.push_back(random_change(random));
  for (auto n = random.below(60); n > 0; --n)
    changes.push_back(random_change(random));
  StoredTables all, last;
  all.apply(before);
  last.apply(before);
  all.apply(changes);
  for (const auto* x : last_changes(changes))
    last.apply(*x);
  CHECK(last.snapshot() == all.snapshot());
}

TEST_CASE("of several changes to a record the last is written", "[storage]") {
  Changes changes{executor("a", 1),          EraseUser{"u"},  executor("a", 2),
                  EraseExecutorsOf{{"a"}},   StoredUser{"u"}, executor("a", 1),
                  EraseExecutor{{{"a"}, 1}}, executor("b", 1)};
  CHECK(last_changes(changes)
        == std::vector<const Change*>{&changes[3], &changes[4], &changes[6],
                                      &changes[7]});
}

TEST_CASE("a store in memory fails when it is told to", "[storage]") {
  bool fails = false;
  MemoryPlace place{std::make_shared<MemoryStore>([&]() -> Status {
    if (fails)
      return Error{Errc::full, "full"};
    return {};
  })};
  auto journal = place.open();
  REQUIRE(journal->lead("a", 1));
  REQUIRE(journal->commit({StoredUser{"a"}}));
  fails = true;
  CHECK(journal->commit({StoredUser{"b"}}).code() == Errc::full);
  CHECK(journal->lead("a", 1).code() == Errc::full);
  fails = false;
  REQUIRE(journal->commit({StoredUser{"c"}}));
  CHECK(place.store->snapshot().users
        == std::vector{StoredUser{"a"}, StoredUser{"c"}});
}
