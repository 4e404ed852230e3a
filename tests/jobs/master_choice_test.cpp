// How a program says where its jobs run.

#include <cstdlib>

#include "jobs/master_choice.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;

TEST_CASE("a program says where its jobs run") {
  ::unsetenv("STOKER_MASTER");
  CHECK(choose_master("")->is_local());
  CHECK(choose_master("local")->is_local());
  CHECK(!choose_master("local[*]")->cores);
  CHECK(choose_master("local[3]")->cores == 3);
  auto masters = choose_master("stoker://a:1,b:2");
  REQUIRE(masters);
  CHECK(masters->addresses.size() == 2);
  CHECK(!masters->is_local());
  ::setenv("STOKER_MASTER", "stoker://c:3", 1);
  CHECK(choose_master("")->addresses.size() == 1);
  ::unsetenv("STOKER_MASTER");
}

TEST_CASE("a master that is none is refused with a line") {
  for (const auto* text : {"local[0]", "local[x]", "local[-1]"}) {
    auto choice = choose_master(text);
    REQUIRE(!choice);
    CHECK(choice.error().message
          == std::string{"the master is '"} + text
                 + "'; a cluster in this process is local[N], with a number of "
                   "cores "
                   "above 0");
  }
  CHECK(!choose_master("nowhere"));
}
