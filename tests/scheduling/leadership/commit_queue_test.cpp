// What is said, and when: scheduling/leadership/commit_queue.hpp.

#include "scheduling/leadership/commit_queue.hpp"

#include <map>
#include <random>
#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Texts = std::vector<std::string>;
using Queue = CommitQueue<std::string>;

/// Changes that are told apart by their names.
Changes changes(const Texts& names) {
  Changes result;
  for (const auto& x : names)
    result.push_back(EraseUser{x});
  return result;
}

Texts names_of(const std::optional<Changes>& x) {
  Texts result;
  for (const auto& change : x.value_or(Changes{}))
    result.push_back(std::get<EraseUser>(change).name);
  return result;
}

} // namespace

TEST_CASE("what changes nothing is said at once", "[leadership]") {
  Queue queue;
  CHECK(queue.push({}, "hello") == Texts{"hello"});
  CHECK_FALSE(queue.waits());
  CHECK_FALSE(queue.begin().has_value());
}

TEST_CASE("what changes something is said once that is committed",
          "[leadership]") {
  Queue queue;
  CHECK(queue.push(changes({"a", "b"}), "says a and b").empty());
  CHECK(queue.waits());
  CHECK(names_of(queue.begin()) == Texts{"a", "b"});
  CHECK(queue.waits());
  CHECK(queue.committed() == Texts{"says a and b"});
  CHECK_FALSE(queue.waits());
  CHECK_FALSE(queue.begin().has_value());
}

TEST_CASE("nothing overtakes what waits for a commit", "[leadership]") {
  Queue queue;
  CHECK(queue.push(changes({"a"}), "first").empty());
  SECTION("before the commit begins") {
    CHECK(queue.push({}, "second").empty());
    CHECK(names_of(queue.begin()) == Texts{"a"});
  }
  SECTION("while it is under way") {
    CHECK(names_of(queue.begin()) == Texts{"a"});
    CHECK(queue.push({}, "second").empty());
  }
  CHECK(queue.committed() == Texts{"first", "second"});
  CHECK_FALSE(queue.waits());
  CHECK_FALSE(queue.begin().has_value());
}

TEST_CASE("one commit is under way at a time; what comes meanwhile is the next",
          "[leadership]") {
  Queue queue;
  CHECK(queue.push(changes({"a"}), "first").empty());
  CHECK(names_of(queue.begin()) == Texts{"a"});
  CHECK(queue.push(changes({"b"}), "second").empty());
  CHECK(queue.push({}, "third").empty());
  CHECK(queue.push(changes({"c", "a"}), "fourth").empty());
  CHECK_FALSE(queue.begin().has_value());
  // Those after it presume what is not yet committed.
  CHECK(queue.committed() == Texts{"first"});
  CHECK(queue.waits());
  CHECK(names_of(queue.begin()) == Texts{"b", "c", "a"});
  CHECK(queue.committed() == Texts{"second", "third", "fourth"});
  CHECK_FALSE(queue.waits());
}

TEST_CASE("what is dropped is given back in order, and is not committed",
          "[leadership]") {
  Queue queue;
  CHECK(queue.drop().empty());
  CHECK(queue.push(changes({"a"}), "first").empty());
  SECTION("none is under way") {
  }
  SECTION("one is under way") {
    CHECK(names_of(queue.begin()) == Texts{"a"});
  }
  CHECK(queue.push(changes({"b"}), "second").empty());
  CHECK(queue.push({}, "third").empty());
  CHECK(queue.drop() == Texts{"first", "second", "third"});
  CHECK_FALSE(queue.waits());
  CHECK_FALSE(queue.begin().has_value());
  CHECK(queue.drop().empty());
  // The next leadership begins anew.
  CHECK(queue.push({}, "fourth") == Texts{"fourth"});
  CHECK(queue.push(changes({"c"}), "fifth").empty());
  CHECK(names_of(queue.begin()) == Texts{"c"});
  CHECK(queue.committed() == Texts{"fifth"});
}

TEST_CASE("any order of calls says everything once, in order, and not early",
          "[leadership]") {
  std::mt19937 random{1};
  Queue queue;
  Texts said, committed, pushed;
  // By what is said: how many changes have to be committed before.
  std::map<std::string, std::size_t> presumes;
  std::size_t changed = 0;
  std::optional<Changes> under_way;
  auto say = [&](const Texts& texts) {
    for (const auto& x : texts) {
      REQUIRE(presumes.at(x) <= committed.size());
      said.push_back(x);
    }
  };
  auto begin = [&] {
    auto next = queue.begin();
    REQUIRE((!next.has_value() || !under_way.has_value()));
    if (next)
      under_way = std::move(next);
  };
  auto commit = [&] {
    for (const auto& x : names_of(std::exchange(under_way, std::nullopt)))
      committed.push_back(x);
    say(queue.committed());
  };
  for (int i = 0; i < 10'000; ++i)
    switch (random() % 4) {
    case 0:
      begin();
      break;
    case 1:
      if (under_way)
        commit();
      break;
    default: {
      Texts names;
      for (auto n = random() % 3; n > 0; --n)
        names.push_back(std::to_string(changed++));
      pushed.push_back("step " + std::to_string(i));
      presumes[pushed.back()] = changed;
      say(queue.push(changes(names), pushed.back()));
    }
    }
  for (int i = 0; i < 3; ++i) {
    if (under_way)
      commit();
    begin();
  }
  CHECK_FALSE(queue.waits());
  CHECK(said == pushed);
  REQUIRE(committed.size() == changed);
  for (std::size_t i = 0; i < changed; ++i)
    REQUIRE(committed[i] == std::to_string(i));
}
