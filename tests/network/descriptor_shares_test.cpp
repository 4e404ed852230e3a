#include "network/descriptor_shares.hpp"

#include "network/lobby.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/resource_limit.hpp"

using namespace stoker;
using stoker::test::ResourceLimit;

TEST_CASE("the shares of descriptors fit together into what a process may have",
          "[network]") {
  const auto newcomers = LobbyLimits{}.connections_max;
  auto most = GENERATE(1024U, 4096U, 20'000U);
  CAPTURE(most);
  ResourceLimit limit{RLIMIT_NOFILE, most};
  auto places = places_at_door(newcomers);
  CHECK(places >= 64);
  CHECK(places * descriptors_of_peer + newcomers + descriptors_for_pages()
            + 2 * descriptors_for_spark() + descriptors_reserved
        <= descriptors_max());
}

TEST_CASE("a door has some places when there are too few descriptors for all",
          "[network]") {
  ResourceLimit limit{RLIMIT_NOFILE, 256};
  CHECK(places_at_door(LobbyLimits{}.connections_max) == 16);
}
