// Who may read pages and give orders, and who may what.

#include "web/web_access.hpp"

#include <unistd.h>

#include <map>

#include <boost/json/parse.hpp>

#include "gateway/user_name.hpp"
#include "tests/support/contains.hpp"
#include "tests/web/pages_fixture.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr const char* browser = "text/html,application/xhtml+xml";

struct AccessFixture : PagesFixture {
  /// Over TLS, with a certificate or without.
  void be(const std::optional<Identity>& who) {
    base = {};
    base.is_encrypted = true;
    base.certificate = who;
    base.host = "node1:8080";
  }

  unsigned status(const std::string& method, const std::string& target,
                  const std::string& body = {}) {
    send(method, target, body, browser);
    if (!response)
      advance(std::chrono::milliseconds{200});
    INFO(method << ' ' << target);
    REQUIRE(response);
    return response->status;
  }

  /// A driver that waits for a larger worker, so that its end is in nobody else's hands.
  std::string submit() {
    REQUIRE(status("POST", "/api/v1/drivers",
                   R"({"command":["sleep","9"],"cores":99,"wait":true})")
            == 201);
    auto answer = boost::json::parse(*response->body);
    return answer.at("driver_id").as_string().c_str();
  }

  /// The path of a link, as whoever asks is given it.
  std::string link() {
    REQUIRE(status("POST", "/login-links") == 201);
    std::string url
        = boost::json::parse(*response->body).at("url").as_string().c_str();
    const std::string origin = "https://node1:8080";
    REQUIRE(url.starts_with(origin + "/login?token="));
    return url.substr(origin.size());
  }

  [[nodiscard]] std::string field(const std::string& name) const {
    for (const auto& [key, value] : response->fields)
      if (key == name)
        return value;
    return {};
  }

  /// Opens a link in a browser that shows no certificate.
  void sign_in(const std::string& path) {
    be(std::nullopt);
    REQUIRE(status("GET", path) == 303);
    CHECK(field("Location") == "/");
    auto cookie = field("Set-Cookie");
    CHECK(contains(cookie, "; HttpOnly; SameSite=Lax; Path=/; "));
    CHECK(contains(cookie, "; Secure"));
    base.cookie = "theme=dark; " + cookie.substr(0, cookie.find(';'));
  }

  /// What the form on the page that was answered proves itself with.
  [[nodiscard]] std::string form_token_shown() const {
    const std::string before = "name=\"token\" value=\"";
    auto begin = response->body->find(before);
    REQUIRE(begin != std::string::npos);
    begin += before.size();
    return response->body->substr(begin,
                                  response->body->find('"', begin) - begin);
  }
};

const Identity ann{"ann", Role::user};
const Identity bob{"bob", Role::user};
const Identity ops{"ops", Role::operator_};
const Identity node{"node1", Role::node};

} // namespace

TEST_CASE("what somebody may follows from how he is known", "[web]") {
  struct Row {
    WebUser user;
    KnownBy by;
    bool starts;
    bool ends_own;
    bool ends_others;
  };
  constexpr uid_t other_uid = 54'321;
  for (const auto& x :
       {Row{web_user(ann), KnownBy::certificate, true, true, false},
        Row{web_user(ops), KnownBy::certificate, true, true, true},
        Row{web_user(node), KnownBy::certificate, false, false, false},
        Row{web_user(SparkUser{}), KnownBy::nothing, true, true, true},
        Row{web_user(SparkUser{::geteuid()}), KnownBy::kernel, true, true,
            true},
        Row{web_user(SparkUser{0}), KnownBy::kernel, true, true, true},
        Row{web_user(SparkUser{other_uid}), KnownBy::kernel, true, true,
            false}}) {
    INFO(x.user.name);
    CHECK(x.user.by == x.by);
    CHECK(bool{may_start(x.user)} == x.starts);
    CHECK(bool{may_end(x.user, x.user.name)} == x.ends_own);
    CHECK(bool{may_end(x.user, "somebody")} == x.ends_others);
  }
}

TEST_CASE_METHOD(AccessFixture, "who asks gets what he may", "[web]") {
  start(SparkUsers::any);
  register_worker("w1");
  be(ann);
  auto id = submit();
  auto page = "/drivers/" + id;
  auto order = "/api/v1/drivers/" + id + "/kill";
  const auto* start_another = R"({"command":["sleep","9"],"wait":true})";
  struct Row {
    std::optional<Identity> who;
    unsigned reads;
    bool sees_kill;
    unsigned confirms;
    unsigned starts;
    unsigned makes_link;
    unsigned ends;
  };
  for (const auto& x : {Row{std::nullopt, 401, false, 401, 401, 401, 401},
                        Row{node, 200, false, 403, 403, 201, 403},
                        Row{bob, 200, false, 403, 201, 201, 403},
                        Row{ops, 200, true, 200, 201, 201, 200}}) {
    be(x.who);
    INFO((x.who ? x.who->name : "nobody"));
    for (const auto* path : {"/", "/workers", "/events", "/live?page=%2F",
                             "/metrics", "/json/", "/api/v1/status"})
      CHECK(status("GET", path) == x.reads);
    CHECK(status("GET", page) == x.reads);
    CHECK(contains(*response->body, page + "/kill") == x.sees_kill);
    CHECK(status("GET", page + "/kill") == x.confirms);
    CHECK(response->content_type == "text/html;charset=utf-8");
    // Without the token of a form it is an order to nobody.
    CHECK(status("POST", page + "/kill", "token=0") == (x.who ? 403U : 401U));
    CHECK(status("POST", "/api/v1/drivers", start_another) == x.starts);
    CHECK(status("POST", "/login-links") == x.makes_link);
    CHECK(status("GET", "/healthz") == 200);
    CHECK(status("POST", order) == x.ends);
  }
}

TEST_CASE_METHOD(AccessFixture, "people and programs are told in their forms",
                 "[web]") {
  start(SparkUsers::any);
  be(std::nullopt);
  send("GET", "/workers", {}, browser);
  REQUIRE(response);
  CHECK(response->content_type == "text/html;charset=utf-8");
  CHECK(contains(*response->body, "id=\"title\">Not signed in"));
  CHECK(contains(*response->body, "stoker web"));
  CHECK_FALSE(contains(*response->body, "stoker://"));
  CHECK_FALSE(field("WWW-Authenticate").empty());
  send("GET", "/login?token=x", {}, browser);
  REQUIRE(response);
  CHECK(response->status == 401);
  CHECK_FALSE(contains(*response->body, "stoker://"));
  be(ann);
  send("GET", "/workers", {}, browser);
  REQUIRE(response);
  CHECK(contains(*response->body, "stoker://127.0.0.1:7070"));
  be(std::nullopt);
  send("GET", "/workers");
  REQUIRE(response);
  CHECK(response->status == 401);
  CHECK(response->content_type == "application/problem+json");
}

TEST_CASE_METHOD(AccessFixture, "a link signs its user in, once", "[web]") {
  start(SparkUsers::own);
  register_worker("w1");
  be(ann);
  auto path = link();
  sign_in(path);
  REQUIRE(status("GET", "/") == 200);
  CHECK(contains(*response->body, "read by ann"));
  auto id = submit();
  CHECK(status("GET", "/drivers/" + id) == 200);
  CHECK(contains(*response->body, "/kill\""));
  // A session makes no others.
  CHECK(status("POST", "/login-links") == 403);
  auto cookie = base.cookie;
  be(std::nullopt);
  CHECK(status("GET", path) == 401);
  CHECK(field("Set-Cookie").empty());
  // Nor is the cookie good anywhere else.
  base.cookie = cookie;
  base.is_encrypted = false;
  CHECK(status("GET", "/") == 403);
  base.is_encrypted = true;
  CHECK(status("GET", "/") == 200);
  CHECK(status("POST", "/logout") == 200);
  CHECK(status("GET", "/") == 401);
}

TEST_CASE_METHOD(AccessFixture,
                 "who signs out is told as whom he reads then, if he does",
                 "[web]") {
  start(SparkUsers::any);
  be(ann);
  sign_in(link());
  auto in_session = base;
  REQUIRE(status("POST", "/logout") == 200);
  CHECK(contains(*response->body, "stoker web&#39; makes a link"));
  // With a certificate, and where everybody is let in.
  base = in_session;
  base.certificate = bob;
  REQUIRE(status("POST", "/logout") == 200);
  CHECK(contains(*response->body, "You go on as bob, without a link"));
  CHECK(status("GET", "/") == 200);
  CHECK(contains(*response->body, "read by bob"));
  base = {};
  REQUIRE(status("POST", "/logout") == 200);
  CHECK(contains(*response->body, "You go on as " + user_name(::geteuid())
                                      + ", without a link: this master lets"));
}

TEST_CASE_METHOD(AccessFixture,
                 "who follows a page is told as whom he does, as the page is",
                 "[web]") {
  start(SparkUsers::any);
  auto told = [&] {
    REQUIRE(status("GET", "/live?page=%2Fworkers") == 200);
    REQUIRE(response->stream);
    std::string result;
    response->stream->attach([&](const HttpStream::Piece& x) {
      if (x)
        result += *x;
    });
    response->stream->close();
    return result;
  };
  be(bob);
  CHECK(contains(told(), R"("reader":"bob","has_session":false)"));
  CHECK(status("GET", "/workers") == 200);
  CHECK(contains(*response->body, R"(id="reader" data-name="bob">)"));
  be(ann);
  sign_in(link());
  auto text = told();
  CHECK(contains(text, R"("reader":"ann","has_session":true)"));
  // Nothing that would let another one in.
  CHECK_FALSE(contains(text, base.cookie.substr(base.cookie.find('=') + 1)));
  CHECK(status("GET", "/workers") == 200);
  CHECK(contains(*response->body,
                 R"(id="reader" data-name="ann" data-session>)"));
}

TEST_CASE_METHOD(AccessFixture, "what is followed ends with its session",
                 "[web]") {
  start(SparkUsers::own);
  be(ann);
  sign_in(link());
  auto follow = [&] {
    REQUIRE(status("GET", "/live?page=%2Fworkers") == 200);
    REQUIRE(response->stream);
    return response->stream;
  };
  auto first = follow();
  CHECK_FALSE(first->is_cut_off());
  CHECK(status("POST", "/logout") == 200);
  CHECK(first->is_cut_off());
  be(ann);
  auto others = follow();
  sign_in(link());
  auto second = follow();
  advance(std::chrono::hours{12} - std::chrono::minutes{1});
  CHECK_FALSE(second->is_cut_off());
  advance(std::chrono::minutes{2});
  CHECK(second->is_cut_off());
  // A certificate is no session.
  CHECK_FALSE(others->is_cut_off());
}

TEST_CASE("sessions of servers on one host do not meet", "[web]") {
  HttpRequest x;
  x.here = {"127.0.0.1", 8081};
  CHECK(session_cookie(x) == "stoker_session_8081");
  // A tunnel may begin at another port.
  for (const auto& [host, name] :
       {std::pair{"127.0.0.1:8080", "stoker_session_8080"},
        std::pair{"[::1]:9090", "stoker_session_9090"},
        std::pair{"[::1]", "stoker_session_80"},
        std::pair{"localhost", "stoker_session_80"},
        std::pair{"node1:", "stoker_session_8081"},
        std::pair{"node1:a; b=c", "stoker_session_8081"},
        std::pair{"node1:123456", "stoker_session_8081"}}) {
    x.host = host;
    CHECK(session_cookie(x) == name);
  }
  x.host = "node1";
  x.is_encrypted = true;
  CHECK(session_cookie(x) == "__Host-stoker_session_443");
  CHECK(cookie_of_session(x, "key", std::chrono::seconds{5})
            .starts_with("__Host-stoker_session_443=key; "));
  // What the prefix needs, or browsers refuse it.
  CHECK(cookie_of_session(x, "key", std::chrono::seconds{5})
        == "__Host-stoker_session_443=key; HttpOnly; SameSite=Lax; Path=/; "
           "Max-Age=5; Secure");
}

TEST_CASE_METHOD(AccessFixture,
                 "a session over TLS is good at the address where it began",
                 "[web]") {
  start(SparkUsers::own);
  be(ann);
  auto path = link();
  be(std::nullopt);
  peer = {"192.0.2.7", 50'000};
  REQUIRE(status("GET", path) == 303);
  auto cookie = field("Set-Cookie");
  base.cookie = cookie.substr(0, cookie.find(';'));
  peer.port = 50'001;
  CHECK(status("GET", "/") == 200);
  peer.host = "192.0.2.8";
  CHECK(status("GET", "/") == 401);
}

TEST_CASE_METHOD(AccessFixture, "a link is used by who follows it alone",
                 "[web]") {
  start(SparkUsers::own);
  be(ann);
  auto path = link();
  CHECK(status("HEAD", path) == 405);
  CHECK(status("POST", path) == 405);
  CHECK(status("GET", "/login") == 401);
  CHECK(status("GET", "/login-links") == 405);
  CHECK(status("GET", "/logout") == 405);
  // None of them has used it up.
  sign_in(path);
}

TEST_CASE_METHOD(AccessFixture, "a page ends what its own form is about",
                 "[web]") {
  start(SparkUsers::own);
  register_worker("w1");
  be(ann);
  auto id = submit();
  auto other = submit();
  auto path = "/drivers/" + id;
  auto path_of_ann = link();
  be(bob);
  auto path_of_bob = link();
  sign_in(path_of_bob);
  CHECK(status("GET", path + "/kill") == 403);
  CHECK(contains(*response->body, "It is of user ann, and you are bob."));
  CHECK(contains(*response->body, "href=\"" + path + '"'));
  sign_in(path_of_ann);
  REQUIRE(status("GET", path + "/kill") == 200);
  CHECK(contains(*response->body, "Its program will be ended"));
  auto token = form_token_shown();
  // Not for another one, nor for another session of the same user.
  CHECK(status("POST", "/drivers/" + other + "/kill", "token=" + token) == 403);
  auto of_session = base;
  be(ann);
  CHECK(status("POST", path + "/kill", "token=" + token) == 403);
  CHECK(contains(*response->body, "Nothing was ended"));
  base = of_session;
  CHECK(status("POST", path + "/kill") == 403);
  CHECK(status("POST", path + "/kill", "token=" + token) == 303);
  CHECK(field("Location") == path);
  REQUIRE(status("GET", path) == 200);
  CHECK_FALSE(contains(*response->body, "/kill\""));
  // It is done already.
  CHECK(status("GET", path + "/kill") == 409);
  CHECK(contains(*response->body, id + "</a> has ended already."));
  CHECK(contains(*response->body, "href=\"" + path + '"'));
  CHECK(status("POST", path + "/kill", "token=" + token) == 409);
  CHECK(status("GET", "/drivers/none/kill") == 404);
  CHECK(status("GET", "/applications/none/kill") == 404);
  CHECK(status("POST", path) == 405);
  CHECK(field("Allow") == "GET, HEAD");
  CHECK(status("PUT", path) == 405);
  CHECK(field("Allow") == "GET, HEAD");
  CHECK(status("PUT", path + "/kill") == 405);
  CHECK(field("Allow") == "GET, HEAD, POST");
  CHECK(status("PUT", "/api/v1/drivers/" + id + "/kill") == 405);
  CHECK(field("Allow") == "POST");
  CHECK(status("PUT", "/api/v1/status") == 405);
  CHECK(field("Allow") == "GET, HEAD");
  CHECK(status("PUT", "/api/v1/nothing") == 404);
  CHECK(status("PUT", "/login") == 405);
  CHECK(field("Allow") == "GET");
}

TEST_CASE_METHOD(
    AccessFixture,
    "of a driver that goes on a page says that its end was ordered", "[web]") {
  start(SparkUsers::own);
  register_worker("w1");
  be(ann);
  REQUIRE(status("POST", "/api/v1/drivers", R"({"command":["nap"]})") == 201);
  auto answer = boost::json::parse(*response->body);
  const auto path
      = "/drivers/" + std::string{answer.at("driver_id").as_string()};
  const auto* told = "is killed if it does not end by itself";
  REQUIRE(status("GET", path) == 200);
  CHECK_FALSE(contains(*response->body, told));
  REQUIRE(status("GET", path + "/kill") == 200);
  CHECK(status("POST", path + "/kill", "token=" + form_token_shown()) == 303);
  // Also when it is loaded again, and for whoever else reads.
  for (const auto& reader : {ann, ops}) {
    be(reader);
    REQUIRE(status("GET", path) == 200);
    CHECK(contains(*response->body, told));
    CHECK_FALSE(contains(*response->body, path + "/kill"));
  }
  CHECK(status("GET", path + "/kill") == 409);
  CHECK(contains(*response->body, told));
}

TEST_CASE_METHOD(AccessFixture,
                 "whom the kernel lets in, he is, and his links are his",
                 "[web]") {
  start(SparkUsers::any);
  base.host = "127.0.0.1:8080";
  send("POST", "/login-links");
  REQUIRE(response);
  CHECK(response->status == 201);
  CHECK(contains(*response->body, "http://127.0.0.1:8080/login?token="));
  CHECK(status("GET", "/") == 200);
  CHECK(contains(*response->body, "read by " + user_name(::geteuid())));
}
