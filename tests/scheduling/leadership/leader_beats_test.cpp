// What a leader shows of itself to those who stand by: MasterLogic::beat.

#include <set>
#include <string>

#include "tests/scheduling/leadership/played_master.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

TEST_CASE("a leader shows that it lives as long as its store answers",
          "[leadership]") {
  Leader x;
  CHECK(x.beat() == Words{"show life"});
  CHECK(x.beat() == Words{"check", "show life"});
  x.take(x.logic.hear(now, 2, worker("w2")));
  CHECK(x.taken() == Words{"commit"});
  // It may have been put to the store just now.
  CHECK(x.beat() == Words{"show life"});
  CHECK(x.beat() == Words{"no answer for 2"});
  CHECK(x.beat() == Words{"no answer for 3"});
  x.commit();
  (void)x.taken();
  CHECK(x.beat() == Words{"show life"});
}

TEST_CASE("a leader that always waits for its store is not taken to hang",
          "[leadership]") {
  Leader x;
  for (int i = 2; i < 20; ++i) {
    x.take(x.logic.hear(now, PeerNumber(i), worker("w" + std::to_string(i))));
    if (i > 2)
      x.commit();
    (void)x.taken();
    CHECK(x.beat() == Words{"show life"});
  }
}

TEST_CASE("an idle leader looks whether the lead is still its own",
          "[leadership]") {
  Leader x;
  // A commit has told so just now.
  CHECK(x.beat() == Words{"show life"});
  CHECK(x.beat() == Words{"check", "show life"});
  // One question at a time.
  CHECK(x.beat() == Words{"show life"});
  x.take(x.logic.on(now, LeadershipChecked{x.term, {}}));
  CHECK(x.taken().empty());
  CHECK(x.beat() == Words{"check", "show life"});
  SECTION("it is another's") {
    auto led = x.term;
    x.take(x.logic.on(
        now, LeadershipChecked{led, Error{Errc::fenced, "another leads now"}}));
    CHECK(x.taken()
          == Words{"resign: another leads now", "to 1: MasterInStandby",
                   "leave 1", "contend after 1000"});
    CHECK_FALSE(x.logic.leads());
    CHECK(x.beat().empty());
    // Of a leadership that has ended.
    x.take(x.logic.on(now, LeadershipChecked{led, Error{Errc::io, "late"}}));
    CHECK(x.taken().empty());
  }
  SECTION("a commit under way tells that, too") {
    x.take(x.logic.on(now, LeadershipChecked{x.term, {}}));
    x.take(x.logic.hear(now, 2, worker("w2")));
    CHECK(x.taken() == Words{"commit"});
    CHECK(x.beat() == Words{"show life"});
  }
}

TEST_CASE("a leader may take long to load what is stored", "[leadership]") {
  Host x;
  x.take(x.logic.start());
  x.take(x.logic.on(ElectionWon{x.term}));
  (void)x.taken();
  for (auto waited = 0ms; waited < longest_opening; waited += beat_every)
    x.take(x.logic.beat(now));
  CHECK(std::set<std::string>(x.words.begin(), x.words.end())
        == std::set<std::string>{"show life"});
  (void)x.taken();
  CHECK(x.beat() == Words{"no answer for 301"});
}

TEST_CASE("a master that stands by shows nothing", "[leadership]") {
  Host x;
  x.take(x.logic.start());
  (void)x.taken();
  CHECK(x.beat().empty());
}
