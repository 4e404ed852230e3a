// Who gets through a door, and what he may say.

#include <future>
#include <string>

#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include "network/greeting.hpp"
#include "tests/network/door_ends.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE("messages pass a door in both directions", "[door]") {
  Server server;
  End client;
  auto remote = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  for (int i = 0; i < 100; ++i)
    self->request(remote, 5s, i)
        .receive([&](int x) { CHECK(x == 2 * i); },
                 [&](const caf::error& e) { FAIL(client.system->render(e)); });
  std::string large(1'000'000, 'x');
  self->request(remote, 5s, large)
      .receive([&](const std::string& x) { CHECK(x == large + large); },
               [&](const caf::error& e) { FAIL(client.system->render(e)); });
  self->monitor(remote);
  server.end();
  self->receive(
      [&](const caf::down_msg& x) { CHECK(x.source == remote.address()); });
}

TEST_CASE("nobody ends an actor behind a door", "[door]") {
  Server server;
  End client;
  auto remote = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  self->monitor(remote);
  auto is_sent_away = true;
  SECTION("by an order to end") {
    self->send_exit(remote, caf::exit_reason::kill);
  }
  SECTION("by an error") {
    self->send(remote, caf::make_error(caf::sec::runtime_error));
    is_sent_away = false;
  }
  if (is_sent_away)
    self->receive([](const caf::down_msg&) { SUCCEED("it was left"); },
                  caf::after(5s) >> [] { FAIL("it was not left"); });
  CHECK(server.registered() > 0);
}

TEST_CASE(
    "who connects again while its network is busy reaches whom it reached",
    "[door]") {
  Server server;
  End client;
  auto& events = client.system->middleman().backend();
  caf::scoped_actor self{*client.system};
  auto connection = client.let_in(server.port());
  auto remote = client.introduce(connection, [] {});
  for (int i = 0; i < 50; ++i) {
    // CAF hears in one turn that the first is closed, and that there is another.
    std::promise<void> over;
    events.post([busy = over.get_future().share()] { busy.wait_for(5s); });
    connection.close();
    connection = client.let_in(server.port());
    remote = client.introduce(connection, [&] {
      events.post([until = std::chrono::steady_clock::now() + 20ms] {
        while (std::chrono::steady_clock::now() < until) {
        }
      });
      over.set_value();
    });
    auto answer = 0;
    self->request(remote, 5s, i)
        .receive([&](int x) { answer = x; }, [](const caf::error&) {});
    CHECK(answer == 2 * i);
  }
}

TEST_CASE("a connection has ended when it is closed", "[door]") {
  Server server;
  End client;
  for (int i = 0; i < 20; ++i) {
    auto connection = client.let_in(server.port());
    CHECK_FALSE(connection.ended());
    connection.close();
    CHECK(connection.ended());
    connection.close();
  }
}

TEST_CASE("who has been here leaves no actor behind", "[door]") {
  Server server;
  auto first = server.registered();
  REQUIRE(first > 0);
  for (int i = 0; i < 5; ++i)
    CHECK(server.registered() == first);
}

TEST_CASE("under TLS the server knows who speaks", "[door]") {
  Owner owner;
  Server server{owner.as(Role::node)};
  End client{owner.as(Role::operator_)};
  auto remote = client.connect(server.port());
  caf::scoped_actor self{*client.system};
  std::string who;
  self->request(remote, 5s, caf::get_atom::value)
      .receive([&](const std::string& x) { who = x; },
               [&](const caf::error& e) { FAIL(client.system->render(e)); });
  CHECK(who.starts_with("operator "));
  std::string large(3'000'000, 'x');
  self->request(remote, 10s, large)
      .receive([&](const std::string& x) { CHECK(x == large + large); },
               [&](const caf::error& e) { FAIL(client.system->render(e)); });
}

TEST_CASE("a door refuses a client of another owner", "[door]") {
  Owner owner;
  Owner other;
  Server server{owner.as(Role::node)};
  End client{other.as(Role::operator_)};
  auto refused = refusal_of(client, {"127.0.0.1", server.port()});
  CHECK(refused.code == Errc::untrusted);
  CHECK(refused.message.starts_with("it is not this user's: "));
}

TEST_CASE("who proves nothing does not get in, nor serves", "[door]") {
  Owner owner;
  SECTION("he does not get in") {
    Server server{owner.as(Role::node)};
    End client;
    CHECK(refusal_of(client, {"127.0.0.1", server.port()})
              .message.find("--insecure")
          != std::string::npos);
  }
  SECTION("he does not serve") {
    Server server;
    End client{owner.as(Role::operator_)};
    CHECK(refusal_of(client, {"127.0.0.1", server.port()})
              .message.find("--insecure")
          != std::string::npos);
  }
}

TEST_CASE("a person's credentials do not serve", "[door]") {
  Owner owner;
  Server server{owner.as(Role::operator_)};
  End client{owner.as(Role::operator_)};
  CHECK(refusal_of(client, {"127.0.0.1", server.port()})
            .message.find("is no node of the cluster")
        != std::string::npos);
}

TEST_CASE("versions that do not understand each other say so", "[door]") {
  Listener listener;
  End client;
  auto own = own_greeting();
  SECTION("another version") {
    auto said = listener.say(to_line({"99.1.0", "0123456789abcdef"}));
    auto refused = refusal_of(client, listener.address());
    CHECK(refused.code == Errc::invalid_request);
    CHECK(refused.message
          == "the master is Stoker 99.1.0, and this is " + own.version
                 + ": install the same version on both");
  }
  SECTION("other messages of the same version") {
    auto said = listener.say(to_line({own.version, "0123456789abcdef"}));
    CHECK(refusal_of(client, listener.address()).message
          == "the master is another build of Stoker " + own.version
                 + ", whose messages differ: install the same build on both");
  }
  SECTION("a master that refuses says why") {
    auto said = listener.say(refusal_line("it is full"));
    auto refused = refusal_of(client, listener.address());
    CHECK(refused.code == Errc::refused);
    CHECK(refused.message == "it is full");
  }
  SECTION("something else") {
    auto said = listener.say("HTTP/1.1 400 Bad Request\n");
    CHECK(refusal_of(client, listener.address()).code == Errc::invalid_request);
  }
}
