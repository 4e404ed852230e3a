// What is sent, and when: scheduling/leadership/commit_queue.hpp.

#include "scheduling/leadership/commit_queue.hpp"

#include <map>
#include <random>
#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<StepNumber>;

constexpr Instant begin = from_ms(1'000);

/// Changes that are told apart by their names.
Changes changes(const Texts& names) {
  Changes result;
  for (const auto& x : names)
    result.push_back(EraseUser{x});
  return result;
}

/// An outbox that is told apart by its step, with something to send.
Outbox outbox(StepNumber step) {
  return {step, {}, {Outbox::Response{1, std::optional<Answer>{true}}}};
}

Texts names_of(const SharedChanges& x) {
  Texts result;
  if (x)
    for (const auto& change : *x)
      result.push_back(std::get<EraseUser>(change).name);
  return result;
}

Numbers steps_of(const std::vector<Outbox>& outboxes) {
  Numbers result;
  for (const auto& x : outboxes)
    result.push_back(x.step);
  return result;
}

} // namespace

TEST_CASE("what changes nothing is sent at once", "[leadership]") {
  CommitQueue queue;
  auto sent = queue.push(begin, {}, outbox(1));
  REQUIRE(sent);
  CHECK(sent->step == 1);
  CHECK_FALSE(queue.has_pending());
  CHECK_FALSE(queue.begin());
}

TEST_CASE("what changes something is sent once that is committed",
          "[leadership]") {
  CommitQueue queue;
  CHECK_FALSE(queue.push(begin, changes({"a", "b"}), outbox(1)));
  CHECK(queue.has_pending());
  CHECK(names_of(queue.begin()) == Texts{"a", "b"});
  CHECK(queue.has_pending());
  auto done = queue.committed();
  CHECK(names_of(done.changes) == Texts{"a", "b"});
  CHECK(steps_of(done.outboxes) == Numbers{1});
  CHECK_FALSE(queue.has_pending());
  CHECK_FALSE(queue.begin());
}

TEST_CASE("nothing overtakes what waits for a commit", "[leadership]") {
  CommitQueue queue;
  CHECK_FALSE(queue.push(begin, changes({"a"}), outbox(1)));
  SECTION("before the commit begins") {
    CHECK_FALSE(queue.push(begin, {}, outbox(2)));
    CHECK(names_of(queue.begin()) == Texts{"a"});
  }
  SECTION("while it is under way") {
    CHECK(names_of(queue.begin()) == Texts{"a"});
    CHECK_FALSE(queue.push(begin, {}, outbox(2)));
  }
  CHECK(steps_of(queue.committed().outboxes) == Numbers{1, 2});
  CHECK_FALSE(queue.has_pending());
}

TEST_CASE("what comes while a commit is under way shares the next one",
          "[leadership]") {
  CommitQueue queue;
  CHECK_FALSE(queue.push(begin, changes({"a"}), outbox(1)));
  CHECK(names_of(queue.begin()) == Texts{"a"});
  CHECK_FALSE(queue.push(begin, changes({"b"}), outbox(2)));
  CHECK_FALSE(queue.push(begin, {}, outbox(3)));
  CHECK_FALSE(queue.push(begin, changes({"c"}), outbox(4)));
  CHECK_FALSE(queue.begin());
  CHECK(steps_of(queue.committed().outboxes) == Numbers{1});
  CHECK(names_of(queue.begin()) == Texts{"b", "c"});
  CHECK(steps_of(queue.committed().outboxes) == Numbers{2, 3, 4});
}

TEST_CASE("what waits for two commits waits from when it came",
          "[leadership]") {
  CommitQueue queue;
  CHECK_FALSE(queue.push(begin, changes({"a"}), outbox(1)));
  CHECK(queue.begin());
  CHECK_FALSE(queue.push(begin + 1s, {}, outbox(2)));
  CHECK_FALSE(queue.push(begin + 2s, changes({"b"}), outbox(3)));
  CHECK(queue.waiting_since() == begin);
  CHECK(steps_of(queue.committed().outboxes) == Numbers{1});
  CHECK(queue.begin());
  CHECK(queue.waiting_since() == begin + 1s);
  CHECK(steps_of(queue.committed().outboxes) == Numbers{2, 3});
  // What was only sent has left nothing behind.
  CHECK_FALSE(queue.push(begin + 5s, changes({"c"}), outbox(4)));
  CHECK(queue.begin());
  CHECK(queue.waiting_since() == begin + 5s);
}

TEST_CASE("what is not sent when a leadership ends is handed back in order",
          "[leadership]") {
  CommitQueue queue;
  CHECK_FALSE(queue.push(begin, changes({"a"}), outbox(1)));
  CHECK(queue.begin());
  CHECK_FALSE(queue.push(begin, changes({"b"}), outbox(2)));
  CHECK(steps_of(queue.drop()) == Numbers{1, 2});
  CHECK_FALSE(queue.has_pending());
  CHECK_FALSE(queue.begin());
}

TEST_CASE("whatever the order, all is committed and sent once, and nothing "
          "before what it presumes",
          "[leadership][property]") {
  for (unsigned seed = 0; seed < 500; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random{seed};
    CommitQueue queue;
    std::map<StepNumber, std::size_t> needed;
    std::size_t made = 0;
    std::size_t committed = 0;
    StepNumber steps = 0;
    StepNumber last_sent = 0;
    auto under_way = false;
    auto sent = [&](const Outbox& x) {
      CHECK(x.step == last_sent + 1);
      CHECK(needed.at(x.step) <= committed);
      last_sent = x.step;
    };
    auto finish = [&] {
      auto done = queue.committed();
      committed += done.changes->size();
      under_way = false;
      for (const auto& x : done.outboxes)
        sent(x);
    };
    for (int i = 0; i < 60; ++i) {
      if (random() % 2 == 0) {
        Changes some;
        for (auto n = random() % 3; n > 0; --n)
          some.push_back(EraseUser{std::to_string(++made)});
        needed[++steps] = made;
        if (auto x = queue.push(begin, std::move(some), outbox(steps)))
          sent(*x);
      } else if (under_way) {
        finish();
      } else {
        under_way = queue.begin() != nullptr;
      }
    }
    while (under_way || (under_way = queue.begin() != nullptr))
      finish();
    CHECK(last_sent == steps);
    CHECK(committed == made);
  }
}
