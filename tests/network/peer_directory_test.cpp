#include "network/peer_directory.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

const caf::node_id some_node{
    caf::make_node_id(17, "0123456789abcdef0123456789abcdef01234567").value()};
const Identity ann{"ann", Role::user};
const Identity bob{"bob", Role::user};

} // namespace

TEST_CASE("a node is one identity for as long as it is there", "[network]") {
  PeerDirectory peers;
  auto ended = 0;
  REQUIRE(peers.enter(some_node, ann, [&] { ++ended; }));
  CHECK(peers.find(some_node) == ann);
  CHECK(peers.size() == 1);
  CHECK(peers.enter(some_node, bob, [] {}).code() == Errc::in_use);
  CHECK(peers.find(some_node) == ann);
  CHECK(ended == 0);
}

TEST_CASE("who comes again ends the connection that it had", "[network]") {
  PeerDirectory peers;
  auto ended = 0;
  REQUIRE(peers.enter(some_node, ann, [&] { ++ended; }));
  CHECK_FALSE(peers.enter(some_node, ann, [] {}));
  CHECK_FALSE(peers.enter(some_node, ann, [] {}));
  CHECK(ended == 1);
  peers.leave(some_node);
  CHECK(peers.enter(some_node, ann, [] {}));
}

TEST_CASE("who has left is known until what was said last is read",
          "[network]") {
  PeerDirectory peers;
  REQUIRE(peers.enter(some_node, ann, [] {}));
  peers.leave(some_node);
  CHECK(peers.size() == 0);
  CHECK(peers.find(some_node) == ann);
  REQUIRE(peers.enter(some_node, bob, [] {}));
  CHECK(peers.find(some_node) == bob);
}
