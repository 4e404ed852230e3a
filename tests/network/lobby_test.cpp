// Which peers have a place before they are authenticated, and whose handshake proceeds.

#include "network/lobby.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

struct LobbyFixture {
  Lobby lobby{{4, 3, 2, 100ms}};
  Lobby::Clock::time_point now;
  std::vector<Lobby::Ticket> closed;
  std::vector<Lobby::Ticket> begun;

  std::optional<Lobby::Ticket> enter(const std::string& peer) {
    // Tickets count from 1.
    auto ticket = ++last;
    auto result
        = lobby.enter(peer, now, [this, ticket] { closed.push_back(ticket); });
    if (result)
      REQUIRE(*result == ticket);
    else
      --last;
    return result;
  }

  Lobby::Ticket ask(const std::string& peer) {
    auto ticket = enter(peer);
    REQUIRE(ticket);
    lobby.ask_for_turn(*ticket, [this, x = *ticket] { begun.push_back(x); });
    return *ticket;
  }

  Lobby::Ticket last = 0;
};

using Tickets = std::vector<Lobby::Ticket>;

} // namespace

TEST_CASE_METHOD(LobbyFixture,
                 "a lobby closes the newest connection of the largest peer "
                 "when there is no place",
                 "[lobby]") {
  for (int i = 0; i < 4; ++i)
    CHECK(enter("flood"));
  CHECK(enter("ann"));
  CHECK(closed == Tickets{4});
  CHECK(enter("ann"));
  CHECK(closed == Tickets{4, 3});
  CHECK(lobby.count_of("flood") == 2);
  // Two of each: the newcomer gives way.
  CHECK_FALSE(enter("ann"));
  CHECK_FALSE(enter("flood"));
  // A third peer takes the place of one of them.
  CHECK(enter("bob"));
  CHECK(closed.size() == 3);
}

TEST_CASE_METHOD(LobbyFixture,
                 "a lobby closes the oldest silent connection of a peer before "
                 "its newest",
                 "[lobby]") {
  for (int i = 0; i < 4; ++i)
    CHECK(enter("flood"));
  CHECK_FALSE(enter("flood"));
  now += 100ms;
  CHECK(enter("flood"));
  CHECK(closed == Tickets{1});
  CHECK(enter("ann"));
  CHECK(closed == Tickets{1, 2});
}

TEST_CASE_METHOD(LobbyFixture,
                 "a lobby gives each peer its share of handshakes", "[lobby]") {
  auto first = ask("flood");
  ask("flood");
  auto third = ask("flood");
  CHECK(begun == Tickets{1, 2});
  auto other = ask("ann");
  CHECK(begun == Tickets{1, 2, other});
  // There is no turn left for all together.
  lobby.leave(first);
  CHECK(begun.size() == 3);
  // A handshake that fails early makes no room for the next one.
  lobby.end_turn(first);
  CHECK(begun == Tickets{1, 2, other, third});
}

TEST_CASE_METHOD(LobbyFixture,
                 "a lobby begins the next handshake when one succeeds",
                 "[lobby]") {
  auto first = ask("ann");
  ask("ann");
  auto third = ask("ann");
  lobby.prove(first);
  CHECK(begun == Tickets{1, 2, third});
  CHECK(lobby.count_of("ann") == 2);
  // Its time is over later, and its place is free already.
  lobby.end_turn(first);
  CHECK(begun.size() == 3);
}

TEST_CASE_METHOD(LobbyFixture,
                 "a lobby begins no handshake of a peer that has left",
                 "[lobby]") {
  auto first = ask("ann");
  ask("ann");
  auto third = ask("ann");
  lobby.leave(third);
  lobby.prove(first);
  CHECK(begun == Tickets{1, 2});
  CHECK(closed.empty());
}

TEST_CASE_METHOD(LobbyFixture,
                 "a lobby closes no connection whose turn it is before its "
                 "time is over",
                 "[lobby]") {
  ask("ann");
  now += 200ms;
  for (int i = 0; i < 3; ++i)
    CHECK(enter("ann"));
  CHECK_FALSE(enter("ann"));
  lobby.end_turn(1);
  CHECK(enter("ann"));
  CHECK(closed == Tickets{1});
}
