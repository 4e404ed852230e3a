// Who reads of the cluster reads a copy, which costs the master one question a second.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/captured_log.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/metrics_text.hpp"
#include "tests/support/never_elected.hpp"
#include "tests/web/pages_fixture.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

bool is_compressed(const HttpResponse& x) {
  return std::find(
             x.fields.begin(), x.fields.end(),
             std::pair{std::string{"Content-Encoding"}, std::string{"gzip"}})
         != x.fields.end();
}

/// How the term of who is elected ends.
struct Term {
  bool is_over = false;
  bool ends_now = false;
  std::string why{"another one leads"};
  std::optional<caf::typed_response_promise<std::string>> revocation;
};

/// Lets the first one lead until a test ends that, and then nobody.
LeaderElectionActor::behavior_type
elected_once(LeaderElectionActor::pointer self,
             const std::shared_ptr<Term>& term) {
  return {
      [=](const Contend&) -> caf::result<bool> {
        auto promise = self->make_response_promise<bool>();
        if (std::exchange(term->is_over, true))
          return promise;
        return promise.deliver(true);
      },
      [=](const AwaitObstacle&) -> caf::result<std::string> {
        return self->make_response_promise<std::string>();
      },
      [=](const AwaitRevocation&) -> caf::result<std::string> {
        return term->revocation.emplace(
            self->make_response_promise<std::string>());
      },
      [](const Resign&) {},
      [=](const ShowThatItLeads&) {
        if (term->ends_now)
          term->revocation->deliver(term->why);
      },
  };
}

/// A master that leads until the test ends that.
struct OneTermFixture : PagesFixture {
  OneTermFixture() {
    MasterServices services;
    services.feed = feed;
    services.election = election = spawn(elected_once, term);
    master = spawn(stoker::master, ClusterConfig{}, std::move(services));
    show(master);
    get("/readyz");
    REQUIRE(response);
    REQUIRE(response->status == 200);
  }

  void end_term() {
    REQUIRE(term->revocation);
    term->ends_now = true;
    caf::anon_send(election, ShowThatItLeads{});
    scheduler.run();
  }

  std::shared_ptr<Term> term = std::make_shared<Term>();
  LeaderElectionActor election;
};

} // namespace

TEST_CASE_METHOD(PagesFixture, "a page shows at once what was committed",
                 "[web]") {
  start();
  CHECK(read().at("workers").as_array().empty());
  register_worker("w1");
  auto state = read();
  CHECK(state.at("aliveworkers") == 1);
  CHECK(state.at("status") == "ALIVE");
  CHECK(response->content_type == "text/json;charset=utf-8");
  CHECK(read("/json/aliveworkers").size() == 1);
  CHECK(read("/json/cores/").at("cores") == 4);
  CHECK(read("/json/master").size() == state.size());
}

TEST_CASE_METHOD(PagesFixture, "a page is written once for all who read it",
                 "[web]") {
  start();
  read();
  auto first = response->body;
  read();
  CHECK(response->body == first);
  register_worker("w1");
  read();
  CHECK(response->body != first);
}

TEST_CASE_METHOD(PagesFixture, "the pages of a master that is gone say so",
                 "[web]") {
  start();
  kill(master);
  get("/json/");
  REQUIRE(response);
  CHECK(response->status == 503);
}

TEST_CASE_METHOD(PagesFixture, "whom the kernel does not know reads nothing",
                 "[web]") {
  start(SparkUsers::local);
  get("/json/");
  REQUIRE(response);
  CHECK(response->status == 403);
}

TEST_CASE_METHOD(PagesFixture,
                 "the log warns of who is refused, but not of who has gone",
                 "[web]") {
  CapturedLog log;
  start(SparkUsers::own);
  get("/");
  REQUIRE(response);
  CHECK(response->status == 403);
  CHECK_FALSE(contains(log.text(), "web-refused"));
  // Somebody of another machine.
  peer = {"192.0.2.1", 2};
  get("/");
  CHECK(response->status == 403);
  CHECK(contains(log.text(), "[web-refused] 192.0.2.1:2: the kernel does not "
                             "know whose process asks\n"));
}

TEST_CASE_METHOD(PagesFixture, "who is refused is told how to get in",
                 "[web]") {
  start(SparkUsers::own);
  for (const auto* accept : {"text/html", "application/json"}) {
    get("/", accept);
    REQUIRE(response);
    CHECK(response->status == 403);
    CHECK(contains(*response->body, "stoker web"));
  }
}

TEST_CASE_METHOD(PagesFixture, "the state is compressed for who takes that",
                 "[web]") {
  start();
  for (auto i = 0; i < 10; ++i)
    register_worker("w" + std::to_string(i));
  auto size_of = [&](const std::string& target, bool takes_gzip) {
    base.takes_gzip = takes_gzip;
    get(target);
    REQUIRE(response);
    CHECK(response->status == 200);
    CHECK(is_compressed(*response) == takes_gzip);
    return response->body->size();
  };
  for (const auto* target : {"/json/", "/json/workers", "/api/v1/status"}) {
    auto plain = size_of(target, false);
    CHECK(size_of(target, true) < plain / 2);
    CHECK(size_of(target, false) == plain);
  }
  // What is new is not hidden by what was compressed before.
  auto before = size_of("/json/workers", true);
  register_worker("another-one");
  CHECK(size_of("/json/workers", true) > before);
}

TEST_CASE_METHOD(PagesFixture,
                 "all that is long at /api/v1 is compressed for who takes that",
                 "[web]") {
  start();
  register_worker("w1");
  RequestSubmitDriver submission;
  submission.driver_description.name = std::string(2000, 'n');
  submission.driver_description.memory_mb = 1;
  submission.driver_description.command.arguments = {"true"};
  auto id
      = ask<SubmitDriverResponse>(master, submission)->driver_id.value().value;
  std::string apps;
  for (auto i = 0; i < 50; ++i)
    apps += (apps.empty() ? R"({"name":"x","user":"ann","max_cores":1})"
                          : R"(,{"name":"x","user":"ann","max_cores":1})");
  auto size_of = [&](const std::string& target, const std::string& body,
                     bool takes_gzip) {
    INFO(target);
    base.takes_gzip = takes_gzip;
    send(body.empty() ? "GET" : "POST", target, body);
    REQUIRE(response);
    CHECK(response->status == 200);
    CHECK(is_compressed(*response) == takes_gzip);
    return response->body->size();
  };
  // Out of the copy, and of the master.
  for (const auto& [target, body] :
       {std::pair<std::string, std::string>{"/api/v1/drivers/" + id, ""},
        std::pair<std::string, std::string>{
            "/api/v1/plan", R"({"add_apps":[)" + apps + "]}"}}) {
    auto plain = size_of(target, body, false);
    CHECK(size_of(target, body, true) < plain / 2);
  }
  // A line for people is for whoever reads it as it is.
  send("GET", "/api/v1/drivers/" + std::string(2000, 'd'));
  advance(200ms);
  REQUIRE(response);
  CHECK(response->status == 404);
  CHECK_FALSE(is_compressed(*response));
}

TEST_CASE_METHOD(PagesFixture, "metrics are written as they are asked for",
                 "[web]") {
  start();
  register_worker("w1");
  get("/metrics");
  REQUIRE(response);
  CHECK(response->status == 200);
  CHECK(response->content_type == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(response->body->find("\nstoker_workers{state=\"ALIVE\"} 1\n")
        != std::string::npos);
  CHECK(read_metrics(*response->body).size() > 50);
  for (const auto* line :
       {"\nstoker_leaderships_total 1\n", "\nstoker_peers 1\n",
        "\nstoker_events_total{event=\"worker-registered\"} 1\n"})
    CHECK(response->body->find(line) != std::string::npos);
  get("/metrics/master/prometheus/", "application/openmetrics-text");
  REQUIRE(response);
  CHECK(response->content_type
        == "application/openmetrics-text; version=1.0.0; charset=utf-8");
  CHECK(response->body->ends_with("\n# EOF\n"));
  CHECK(read_metrics(*response->body).size() > 50);
  for (const auto* other : {"/metrics/xml", "/metricsx"}) {
    get(other);
    REQUIRE(response);
    CHECK(response->status == 404);
    get("/metrics/");
    CHECK(response->status == 200);
  }
  get("/metrics/master/prometheus", "application/openmetrics-text");
  REQUIRE(response);
  CHECK(response->body->find("\nstoker_leaderships_total 1\n")
        != std::string::npos);
}

TEST_CASE_METHOD(PagesFixture,
                 "everybody may ask whether a master is well, and ready",
                 "[web]") {
  start(SparkUsers::local);
  for (const auto* path : {"/healthz", "/readyz"}) {
    get(path);
    REQUIRE(response);
    CHECK(response->status == 200);
    CHECK(*response->body == "ALIVE\n");
  }
  get("/metrics");
  REQUIRE(response);
  CHECK(response->status == 403);
}

TEST_CASE_METHOD(PagesFixture, "everybody may read metrics that are public",
                 "[web]") {
  has_public_metrics = true;
  start(SparkUsers::local);
  for (const auto* path : {"/metrics", "/metrics/master/prometheus/"}) {
    get(path);
    REQUIRE(response);
    CHECK(response->status == 200);
  }
  for (const auto* path : {"/", "/json/", "/api/v1/status", "/metrics/x"}) {
    get(path);
    REQUIRE(response);
    CHECK(response->status == 403);
  }
}

TEST_CASE_METHOD(PagesFixture, "a master that stands by is well and not ready",
                 "[web]") {
  MasterServices services;
  services.feed = feed;
  services.election = spawn(never_elected);
  master = spawn(stoker::master, ClusterConfig{}, std::move(services));
  show(master);
  get("/healthz");
  REQUIRE(response);
  CHECK(response->status == 200);
  get("/readyz");
  REQUIRE(response);
  CHECK(response->status == 503);
  CHECK(*response->body == "STANDBY\n");
  get("/metrics");
  REQUIRE(response);
  CHECK(response->body->find("stoker_master_state{state=\"STANDBY\"} 1\n")
        != std::string::npos);
  CHECK(response->body->find("stoker_workers") == std::string::npos);
}

TEST_CASE_METHOD(OneTermFixture, "whether a master is ready is what it is now",
                 "[web]") {
  end_term();
  advance(100ms);
  get("/readyz");
  REQUIRE(response);
  CHECK(response->status == 503);
  CHECK(*response->body == "STANDBY\n");
}

TEST_CASE_METHOD(
    OneTermFixture,
    "who reads of a master in STANDBY is told why it does not lead", "[web]") {
  get("/api/v1/status");
  REQUIRE(response);
  CHECK(response->status == 200);
  term->why = "the disk is full";
  end_term();
  advance(2s);
  // Others are shown what it said before while it is asked again.
  get("/readyz");
  CHECK(response->status == 503);
  const std::string why
      = "the master is STANDBY: another one leads, or none (the disk is full)";
  for (const auto* path :
       {"/api/v1/status", "/api/v1/events", "/api/v1/drivers/driver-1",
        "/api/v1/drivers/driver-1/explanation", "/api/v1/queues",
        "/api/v1/history", "/api/v1/use", "/api/v1/jobs"}) {
    INFO(path);
    get(path);
    REQUIRE(response);
    CHECK(response->status == 503);
    CHECK(response->problem == why);
  }
  const std::map<std::string, std::string> orders{
      {"drivers", R"({"command":["true"]})"},
      {"plan", R"({"add_apps":[{"name":"x","user":"ann","max_cores":2}]})"},
      {"drivers/driver-1/kill", ""},
      {"applications/app-1/kill", ""},
      {"executors/app-1/0/kill", ""}};
  for (const auto& [path, body] : orders) {
    INFO(path);
    send("POST", "/api/v1/" + path, body);
    REQUIRE(response);
    CHECK(response->status == 503);
    CHECK(response->problem == why);
  }
  for (const auto* path : {"/", "/applications/app-1/kill"}) {
    get(path);
    REQUIRE(response);
    CHECK(response->status == 503);
    CHECK(response->body->find(why.substr(1)) != std::string::npos);
  }
}

TEST_CASE_METHOD(PagesFixture, "a master that has ended is not well", "[web]") {
  start();
  get("/healthz");
  REQUIRE(response);
  kill(master);
  advance(std::chrono::seconds{2});
  get("/healthz");
  REQUIRE(response);
  CHECK(response->status == 503);
}
