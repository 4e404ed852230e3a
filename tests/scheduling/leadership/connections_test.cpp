// Who is reached over which connection: scheduling/leadership/connections.hpp.

#include "scheduling/leadership/connections.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

const EndpointId a{"a"};
const EndpointId b{"b"};
const EndpointId c{"c"};

/// The stamp of a process's connection.
ConnectionStamp stamp(std::uint64_t connection, std::uint64_t life = 0) {
  return {life, connection};
}

} // namespace

TEST_CASE(
    "an endpoint is reached over the connection that it registered over last",
    "[leadership]") {
  Connections x;
  CHECK_FALSE(x.find(a));
  CHECK(x.hear(a, 1, stamp(1)).counts);
  CHECK(x.find(a) == 1);
  CHECK_FALSE(x.hear(a, 1, stamp(1)).unused);
  CHECK(x.hear(a, 2, stamp(2)).unused == 1);
  CHECK(x.find(a) == 2);
  CHECK(x.size() == 1);
}

TEST_CASE("a registration that arrives late takes nobody away",
          "[leadership]") {
  struct Row {
    ConnectionStamp late;
    ConnectionStamp present;
  };
  auto row = GENERATE(
      values<Row>({{stamp(1), stamp(2)}, {stamp(9, 1), stamp(1, 2)}}));
  Connections x;
  CHECK(x.hear(a, 2, row.present).counts);
  CHECK_FALSE(x.hear(a, 1, row.late).counts);
  CHECK(x.find(a) == 2);
  // Nor does the end of that connection.
  CHECK(x.disconnect(1).empty());
  CHECK(x.find(a) == 2);
}

TEST_CASE("what comes over a connection that was left does not count",
          "[leadership]") {
  Connections x;
  (void)x.hear(a, 1, stamp(1));
  CHECK(x.hear(a, 1, std::nullopt).counts);
  (void)x.hear(a, 2, stamp(2));
  CHECK_FALSE(x.hear(a, 1, std::nullopt).counts);
  CHECK(x.hear(a, 2, std::nullopt).counts);
}

TEST_CASE("who is not reached at all is reached over where he speaks",
          "[leadership]") {
  Connections x;
  CHECK(x.hear(a, 1, std::nullopt).counts);
  CHECK(x.find(a) == 1);
}

TEST_CASE("the late end of a connection that was left loses nobody",
          "[leadership]") {
  Connections x;
  (void)x.hear(a, 1, stamp(1));
  (void)x.hear(a, 2, stamp(2));
  CHECK(x.disconnect(1).empty());
  CHECK(x.find(a) == 2);
}

TEST_CASE("all who share a connection are lost with it", "[leadership]") {
  Connections x;
  (void)x.hear(b, 1, stamp(1));
  (void)x.hear(a, 1, stamp(1));
  (void)x.hear(c, 2, stamp(1));
  CHECK(x.disconnect(1) == std::vector<EndpointId>{a, b});
  CHECK_FALSE(x.find(a));
  CHECK(x.find(c) == 2);
  CHECK(x.disconnect(1).empty());
}

TEST_CASE("a connection is left when the last one who shared it has another",
          "[leadership]") {
  Connections x;
  (void)x.hear(a, 1, stamp(1));
  (void)x.hear(b, 1, stamp(1));
  CHECK_FALSE(x.hear(a, 2, stamp(2)).unused);
  CHECK(x.hear(b, 2, stamp(2)).unused == 1);
}

TEST_CASE("connections are given up in order of their endpoints",
          "[leadership]") {
  Connections x;
  (void)x.hear(c, 1, stamp(1));
  (void)x.hear(b, 2, stamp(1));
  (void)x.hear(a, 1, stamp(1));
  CHECK(x.clear() == std::vector<PeerNumber>{1, 2});
  CHECK(x.size() == 0);
  CHECK(x.clear().empty());
}
