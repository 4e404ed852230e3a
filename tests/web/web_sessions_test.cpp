// Links that sign somebody in, and the sessions that follow.

#include "web/web_sessions.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "web/cookie.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

WebSecret secret(unsigned char x) {
  WebSecret result{};
  result.back() = x;
  return result;
}

WebUser somebody(const std::string& name) {
  return {KnownBy::certificate, WebRights::own, name, {}};
}

const Instant begun = from_ms(1'000'000);

} // namespace

TEST_CASE("a link gives a session to whom it was made for, once", "[web]") {
  WebSessions sessions;
  auto token = sessions.add_link(secret(1), somebody("ann"), begun);
  CHECK(token.size() == 64);
  CHECK_FALSE(sessions.open(token + '0', "tls", secret(2), begun));
  auto key = sessions.open(token, "tls", secret(3), begun);
  REQUIRE(key);
  CHECK(*key != token);
  auto found = sessions.find(*key, "tls", begun);
  REQUIRE(found);
  CHECK(found->name == "ann");
  CHECK(found->rights == WebRights::own);
  CHECK(found->by == KnownBy::session);
  // It tells the session, and does not give access to it.
  CHECK_FALSE(found->session.empty());
  CHECK_FALSE(sessions.find(found->session, "tls", begun));
  CHECK_FALSE(sessions.open(token, "tls", secret(4), begun));
  CHECK_FALSE(sessions.find(token, "tls", begun));
  CHECK(sessions.sessions() == 1);
}

TEST_CASE("a session is good where it began alone", "[web]") {
  WebSessions sessions;
  auto token = sessions.add_link(secret(1), somebody("ann"), begun);
  auto key = sessions.open(token, "uid 1000", secret(2), begun);
  REQUIRE(key);
  CHECK(sessions.find(*key, "uid 1000", begun));
  for (const auto* place : {"uid 1001", "tls", "elsewhere"})
    CHECK_FALSE(sessions.find(*key, place, begun));
}

TEST_CASE("links and sessions of a certificate end when it is revoked",
          "[web]") {
  WebSessions sessions;
  auto user = somebody("ann");
  user.serials = {"5A", "01"};
  auto token = sessions.add_link(secret(1), user, begun);
  auto other = sessions.add_link(secret(2), somebody("bob"), begun);
  auto key = sessions.open(token, "tls", secret(3), begun);
  REQUIRE(key);
  auto unused = sessions.add_link(secret(4), user, begun);
  REQUIRE(sessions.find(*key, "tls", begun)->serials == user.serials);
  sessions.forget_if([](const WebUser& x) {
    return std::ranges::find(x.serials, "5A") != x.serials.end();
  });
  CHECK_FALSE(sessions.find(*key, "tls", begun));
  CHECK_FALSE(sessions.open(unused, "tls", secret(5), begun));
  CHECK(sessions.open(other, "tls", secret(6), begun));
}

TEST_CASE("links and sessions are good for a while", "[web]") {
  WebSessions sessions;
  auto first = sessions.add_link(secret(1), somebody("ann"), begun);
  auto second = sessions.add_link(secret(2), somebody("ann"), begun);
  auto key = sessions.open(first, "tls", secret(3), begun + 5min - 1ms);
  REQUIRE(key);
  CHECK_FALSE(sessions.open(second, "tls", secret(4), begun + 5min));
  auto end = begun + 5min - 1ms + 12h;
  CHECK(sessions.find(*key, "tls", end - 1ms));
  CHECK_FALSE(sessions.find(*key, "tls", end));
  // What is over is forgotten when something comes.
  sessions.add_link(secret(5), somebody("ann"), end);
  CHECK(sessions.links() == 1);
}

TEST_CASE("a session that is closed is over", "[web]") {
  WebSessions sessions;
  auto token = sessions.add_link(secret(1), somebody("ann"), begun);
  auto key = sessions.open(token, "tls", secret(2), begun);
  REQUIRE(key);
  sessions.close("none");
  CHECK(sessions.find(*key, "tls", begun));
  sessions.close(*key);
  CHECK_FALSE(sessions.find(*key, "tls", begun));
}

TEST_CASE("what is read in a session ends with it", "[web]") {
  WebSessionLimits limits;
  limits.all_max = 2;
  WebSessions sessions{limits};
  unsigned char next = 0;
  auto sign_in = [&](Instant now) {
    auto token = sessions.add_link(secret(++next), somebody("ann"), now);
    return sessions.open(token, "tls", secret(++next), now).value();
  };
  auto read_in = [&](const std::string& key, Instant now) {
    auto stream = std::make_shared<HttpStream>();
    sessions.add_stream(sessions.find(key, "tls", now)->session, stream);
    return stream;
  };
  auto key = sign_in(begun);
  auto session = sessions.find(key, "tls", begun)->session;
  auto closed = read_in(key, begun);
  CHECK_FALSE(closed->is_cut_off());
  sessions.close(key);
  CHECK(closed->is_cut_off());
  auto late = std::make_shared<HttpStream>();
  sessions.add_stream(session, late);
  CHECK(late->is_cut_off());
  auto too_old = read_in(sign_in(begun), begun);
  auto young = read_in(sign_in(begun + 1h), begun + 1h);
  sessions.forget_the_old(begun + 12h);
  CHECK(too_old->is_cut_off());
  CHECK_FALSE(young->is_cut_off());
  sign_in(begun + 2h);
  sign_in(begun + 2h);
  CHECK(young->is_cut_off());
}

TEST_CASE("who makes many links puts out his own alone", "[web]") {
  WebSessionLimits limits;
  limits.all_max = 4;
  WebSessions sessions{limits};
  auto of_ann = sessions.add_link(secret(1), somebody("ann"), begun);
  auto first_of_bob = sessions.add_link(secret(2), somebody("bob"), begun);
  std::string last_of_bob;
  for (unsigned char i = 3; i < 100; ++i)
    last_of_bob
        = sessions.add_link(secret(i), somebody("bob"), begun + i * 1ms);
  CHECK(sessions.links() == 4);
  auto now = begun + 1s;
  CHECK(sessions.open(of_ann, "tls", secret(101), now));
  CHECK(sessions.open(last_of_bob, "tls", secret(102), now));
  CHECK_FALSE(sessions.open(first_of_bob, "tls", secret(103), now));
}

TEST_CASE("sessions are bounded as links are", "[web]") {
  WebSessionLimits limits;
  limits.all_max = 3;
  WebSessions sessions{limits};
  for (unsigned char i = 0; i < 50; ++i) {
    auto token = sessions.add_link(secret(i), somebody("ann"), begun);
    CHECK(sessions.open(token, "tls",
                        secret(static_cast<unsigned char>(i + 100)), begun));
  }
  CHECK(sessions.sessions() == 3);
  CHECK(sessions.links() == 0);
}

TEST_CASE("a form's token is that of one reader and one action", "[web]") {
  auto token = form_token(secret(1), "session a", "/drivers/d1/kill");
  CHECK(
      is_equal(token, form_token(secret(1), "session a", "/drivers/d1/kill")));
  for (const auto& other :
       {form_token(secret(2), "session a", "/drivers/d1/kill"),
        form_token(secret(1), "session b", "/drivers/d1/kill"),
        form_token(secret(1), "session a", "/drivers/d2/kill"),
        form_token(secret(1), "session a/", "drivers/d1/kill"), std::string{},
        token.substr(1), token + '0'})
    CHECK_FALSE(is_equal(other, token));
}

TEST_CASE("secrets differ, and are not found in their hashes", "[web]") {
  auto a = make_web_secret();
  auto b = make_web_secret();
  REQUIRE(a);
  REQUIRE(b);
  CHECK(*a != *b);
  CHECK(hash_of(reveal(*a)) != hash_of(reveal(*b)));
  // FIPS 180-2, appendix B.1.
  CHECK(hash_of("abc")
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a cookie is found among others", "[web]") {
  CHECK(cookie_value("a=1; b=2;c=3", "a") == "1");
  CHECK(cookie_value("a=1; b=2;c=3", "b") == "2");
  CHECK(cookie_value("a=1; b=2;c=3", "c") == "3");
  CHECK(cookie_value("a=b=c", "a") == "b=c");
  CHECK(cookie_value("a=", "a") == "");
  for (const auto* field : {"", ";", "; ;", "aa=1", "x; y", "=1", "b=a=1"})
    CHECK_FALSE(cookie_value(field, "a"));
}
