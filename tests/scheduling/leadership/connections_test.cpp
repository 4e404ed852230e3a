// Who is reached over which connection: scheduling/leadership/connections.hpp.

#include "scheduling/leadership/connections.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

const EndpointId a{"a"};
const EndpointId b{"b"};
const EndpointId c{"c"};

} // namespace

TEST_CASE("an endpoint is reached over its last connection", "[leadership]") {
  Connections x;
  CHECK_FALSE(x.find(a));
  CHECK_FALSE(x.connect(a, 1));
  CHECK(x.find(a) == 1);
  CHECK_FALSE(x.connect(a, 1));
  CHECK(x.connect(a, 2) == 1);
  CHECK(x.find(a) == 2);
  CHECK(x.size() == 1);
}

TEST_CASE("the late end of a connection that was left loses nobody",
          "[leadership]") {
  Connections x;
  (void)x.connect(a, 1);
  (void)x.connect(a, 2);
  CHECK(x.disconnect(1).empty());
  CHECK(x.find(a) == 2);
}

TEST_CASE("all who share a connection are lost with it", "[leadership]") {
  Connections x;
  (void)x.connect(b, 1);
  (void)x.connect(a, 1);
  (void)x.connect(c, 2);
  CHECK(x.disconnect(1) == std::vector<EndpointId>{a, b});
  CHECK_FALSE(x.find(a));
  CHECK(x.find(c) == 2);
  CHECK(x.disconnect(1).empty());
}

TEST_CASE("a connection is left when the last one who shared it has another",
          "[leadership]") {
  Connections x;
  (void)x.connect(a, 1);
  (void)x.connect(b, 1);
  CHECK_FALSE(x.connect(a, 2));
  CHECK(x.connect(b, 2) == 1);
}

TEST_CASE("connections are given up in order of their endpoints",
          "[leadership]") {
  Connections x;
  (void)x.connect(c, 1);
  (void)x.connect(b, 2);
  (void)x.connect(a, 1);
  CHECK(x.clear() == std::vector<PeerNumber>{1, 2});
  CHECK(x.size() == 0);
  CHECK(x.clear().empty());
}
