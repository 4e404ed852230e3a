// What those are told who ask a master that does not lead.

#include <string>

#include "scheduling/leadership/master_logic.hpp"
#include "tests/scheduling/leadership/played_master.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE("who asks in STANDBY is told why nobody leads here, if that is known",
          "[leadership]") {
  Host x;
  const std::string standby
      = "the master is STANDBY: another one leads, or none";
  x.take(x.logic.start());
  CHECK(x.logic.standby_error().message == standby);
  x.lead();
  x.take(x.logic.ask(now, 5, submission()));
  x.commit(Error{Errc::full, "the disk is full"});
  CHECK(x.logic.standby_error().code == Errc::not_alive);
  CHECK(x.logic.standby_error().message == standby + " (the disk is full)");
  // It may lead again, and lose that to another.
  x.lead(8);
  x.take(x.logic.on(now, ElectionLost{x.term, "it hung"}));
  CHECK(x.logic.standby_error().message == standby + " (it hung)");
}

TEST_CASE(
    "the reason why nobody leads here ends when it is found that another does",
    "[leadership]") {
  Host x;
  const std::string standby
      = "the master is STANDBY: another one leads, or none";
  x.take(x.logic.start());
  x.lead();
  auto led = x.term;
  x.take(x.logic.on(now, ElectionLost{x.term, "its lock was taken away"}));
  // Of an earlier contention.
  CHECK_FALSE(x.logic.on(ElectionObstructed{led, {}}));
  CHECK(x.logic.standby_error().message
        == standby + " (its lock was taken away)");
  CHECK(x.logic.on(
      ElectionObstructed{x.term, "others may write in the directory"}));
  CHECK(x.logic.standby_error().message
        == standby + " (others may write in the directory)");
  CHECK(x.logic.on(ElectionObstructed{x.term, {}}));
  CHECK(x.logic.standby_error().message == standby);
  x.lead(8);
  CHECK_FALSE(x.logic.on(ElectionObstructed{x.term, {}}));
}

TEST_CASE("a master in STANDBY tells the reason to each that registers",
          "[leadership]") {
  Host x;
  x.take(x.logic.start());
  x.lead();
  x.take(x.logic.ask(now, 5, submission()));
  x.commit(Error{Errc::full, "the disk is full"});
  RegisterApplication application;
  application.driver = EndpointId{"d1"};
  for (const Event& registration : {Event{worker()}, Event{application}}) {
    x.said.clear();
    x.take(x.logic.hear(now, 1, registration));
    while (x.logic.has_uncommitted())
      x.commit();
    CHECK(x.said
          == std::vector{MasterInStandby{x.logic.standby_error().message}});
  }
}
