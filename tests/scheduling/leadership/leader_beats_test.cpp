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
  auto beat = [&] {
    x.take(x.logic.beat(now));
    return x.taken();
  };
  CHECK(beat() == Words{"show life"});
  CHECK(beat() == Words{"show life"});
  x.take(x.logic.hear(now, 2, worker("w2")));
  CHECK(x.taken() == Words{"commit"});
  // It may have been put to the store just now.
  CHECK(beat() == Words{"show life"});
  CHECK(beat() == Words{"no answer for 2"});
  CHECK(beat() == Words{"no answer for 3"});
  x.commit();
  (void)x.taken();
  CHECK(beat() == Words{"show life"});
}

TEST_CASE("a leader that always waits for its store is not taken to hang",
          "[leadership]") {
  Leader x;
  for (int i = 2; i < 20; ++i) {
    x.take(x.logic.hear(now, PeerNumber(i), worker("w" + std::to_string(i))));
    if (i > 2)
      x.commit();
    (void)x.taken();
    x.take(x.logic.beat(now));
    CHECK(x.taken() == Words{"show life"});
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
  x.take(x.logic.beat(now));
  CHECK(x.taken() == Words{"no answer for 301"});
}

TEST_CASE("a master that stands by shows nothing", "[leadership]") {
  Host x;
  x.take(x.logic.start());
  (void)x.taken();
  x.take(x.logic.beat(now));
  CHECK(x.taken().empty());
}
