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
