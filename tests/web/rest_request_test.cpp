// What somebody asks at /api/v1, and what is wrong with it.

#include "web/rest_request.hpp"

#include <boost/json/parse.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

using Parsed = std::variant<RestRequest, HttpResponse>;

Parsed parse(const std::string& method, const std::string& target,
             const std::string& body = {}) {
  HttpRequest x;
  x.method = method;
  auto mark = target.find('?');
  x.path = target.substr(0, mark);
  if (mark != std::string::npos)
    x.query = target.substr(mark + 1);
  x.body = body;
  return parse_rest_request(x);
}

template <class T>
T asked(const std::string& method, const std::string& target,
        const std::string& body = {}) {
  auto parsed = parse(method, target, body);
  INFO(method << ' ' << target);
  REQUIRE(std::holds_alternative<RestRequest>(parsed));
  auto& request = std::get<RestRequest>(parsed);
  REQUIRE(std::holds_alternative<T>(request));
  return std::get<T>(request);
}

/// The status, and what is wrong.
std::pair<unsigned, std::string> problem(const std::string& method,
                                         const std::string& target,
                                         const std::string& body = {}) {
  auto parsed = parse(method, target, body);
  INFO(method << ' ' << target);
  REQUIRE(std::holds_alternative<HttpResponse>(parsed));
  const auto& response = std::get<HttpResponse>(parsed);
  CHECK(response.content_type == "application/problem+json");
  auto json = boost::json::parse(*response.body);
  return {response.status, std::string{json.at("detail").as_string().c_str()}};
}

} // namespace

TEST_CASE("a list is one part of the state when it is asked for by its name",
          "[web]") {
  auto workers = asked<ReadState>("GET", "/api/v1/workers").parts;
  CHECK((workers.workers && !workers.applications && !workers.drivers));
  auto apps = asked<ReadState>("GET",
                               "/api/v1/applications?app=app-1&executors_max=5")
                  .parts;
  CHECK((!apps.workers && apps.applications && !apps.drivers));
  CHECK(apps.app_id == AppId{"app-1"});
  CHECK(apps.executors_max == 5);
  auto drivers = asked<ReadState>("GET", "/api/v1/drivers").parts;
  CHECK((!drivers.workers && !drivers.applications && drivers.drivers));
  CHECK(problem("GET", "/api/v1/drivers?app=app-1").first == 400);
}

TEST_CASE("each path asks something", "[web]") {
  auto state = asked<ReadState>("GET", "/api/v1/status");
  CHECK(state.parts.workers);
  CHECK(state.parts.executors_max == 1000);
  state = asked<ReadState>(
      "HEAD", "/api/v1/status?workers=false&app=app-1&executors_max=5");
  CHECK_FALSE(state.parts.workers);
  CHECK(state.parts.app_id == AppId{"app-1"});
  CHECK(state.parts.executors_max == 5);
  CHECK(asked<ReadWorker>("GET", "/api/v1/workers/a%2Fb").id
        == WorkerId{"a/b"});
  CHECK(asked<ReadApplication>("GET", "/api/v1/applications/app-1").id
        == AppId{"app-1"});
  CHECK(asked<ReadExecutor>("GET", "/api/v1/executors/app-1/3").id
        == ExecutorId{AppId{"app-1"}, 3});
  CHECK(asked<ReadDriver>("GET", "/api/v1/drivers/driver-1").id
        == DriverId{"driver-1"});
  CHECK(
      asked<RequestExplanation>("GET", "/api/v1/applications/app-1/explanation")
          .app_id
      == AppId{"app-1"});
  CHECK(asked<RequestExplanation>("GET", "/api/v1/drivers/d1/explanation")
            .driver_id
        == DriverId{"d1"});
  asked<RequestQueues>("GET", "/api/v1/queues");
  auto jobs = asked<RequestJobs>(
      "GET", "/api/v1/jobs?app=app-1&state=RUNNING&active=true");
  CHECK(jobs.app_id == AppId{"app-1"});
  CHECK(jobs.state == "RUNNING");
  CHECK(jobs.only_active);
  CHECK(asked<RequestJobs>("GET", "/api/v1/jobs?state=skipped").state
        == "SKIPPED");
  CHECK(asked<ReadSubmission>("GET", "/api/v1/submissions/a%2Fb%20c").submission
        == "a/b c");
  CHECK(asked<FollowEvents>("GET", "/api/v1/events?after=7&of=w1").after == 7);
  CHECK(asked<EndDriver>("POST", "/api/v1/drivers/d1/kill").id
        == DriverId{"d1"});
  CHECK(asked<EndExecutor>("POST", "/api/v1/executors/a1/3/kill").id
        == ExecutorId{AppId{"a1"}, 3});
  CHECK(asked<EndApplication>("POST", "/api/v1/applications/a1/kill").id
        == AppId{"a1"});
}

TEST_CASE("output is asked for with what is wanted of it", "[web]") {
  auto x = asked<OutputRequest>(
      "GET", "/api/v1/executors/app-1/3/output?stream=stderr&follow=true"
             "&tail=10");
  CHECK(x.program == ProgramId{ExecutorId{AppId{"app-1"}, 3}});
  CHECK(x.standard_error);
  CHECK(x.follow);
  CHECK(x.tail == 10);
  x = asked<OutputRequest>("GET", "/api/v1/drivers/d1/output");
  CHECK_FALSE(x.standard_error);
  CHECK_FALSE(x.tail);
  CHECK(asked<OutputRequest>("GET", "/api/v1/drivers/d1/output?tail=0").tail
        == 0);
}

TEST_CASE("a submission says what runs, and what it needs", "[web]") {
  auto x = asked<DriverSubmission>(
      "POST", "/api/v1/drivers",
      R"({"command":["/bin/sh","-c","true"],"cores":2,"memory_mb":100,)"
      R"("environment":{"A":"b"},"resources":{"gpu":1},"supervise":true})");
  auto driver = description_of(x, "ann");
  CHECK(driver.name == "sh");
  CHECK(driver.user == "ann");
  CHECK(driver.cores == 2);
  CHECK(driver.memory_mb == 100);
  CHECK(driver.command.arguments.size() == 3);
  CHECK(driver.command.environment.at("A") == "b");
  CHECK(driver.resources.at("gpu") == 1);
  CHECK(driver.supervise);
  CHECK(driver.reject_if_it_cannot_fit);
  x.name = "nightly";
  x.wait = true;
  CHECK(description_of(x, "ann").name == "nightly");
  CHECK_FALSE(description_of(x, "ann").reject_if_it_cannot_fit);
}

TEST_CASE("a submission says what comes before and after it", "[web]") {
  auto x = asked<DriverSubmission>(
      "POST", "/api/v1/drivers",
      R"({"command":["ls"],"max_restarts":2,"working_directory":"/data",)"
      R"("after":["driver-1"],"after_ok":["app-2"],)"
      R"("on_end":{"command":["tell"]}})");
  auto driver = description_of(x, "ann");
  CHECK(driver.supervise);
  CHECK(driver.max_restarts == 2);
  REQUIRE(driver.after.size() == 2);
  CHECK(driver.after[0].driver == DriverId{"driver-1"});
  CHECK_FALSE(driver.after[0].success);
  CHECK(driver.after[1].app == AppId{"app-2"});
  CHECK(driver.after[1].success);
  REQUIRE(driver.on_end);
  CHECK(driver.on_end->command.arguments == std::vector<std::string>{"tell"});
  CHECK(driver.on_end->command.working_directory == "/data");
  CHECK(driver.on_end->retries == 5);
}

TEST_CASE("a parameter that there is not is refused", "[web]") {
  CHECK(problem("GET", "/api/v1/history?usr=ann").second
        == "usr: there is no such parameter");
  CHECK(problem("GET", "/api/v1/history?user=ann&x").second
        == "x: there is no such parameter");
  CHECK(problem("GET", "/api/v1/workers/w1?page=2").first == 400);
  auto x
      = asked<RequestHistory>("GET", "/api/v1/history?user=ann&&since_ms=5&");
  CHECK(x.since_ms == 5);
  asked<RequestHistory>("GET", "/api/v1/history?");
}

TEST_CASE("a history is of what people started, unless it is of something",
          "[web]") {
  auto kinds = [](const std::string& query) {
    return asked<RequestHistory>("GET", "/api/v1/history?" + query).kinds;
  };
  CHECK(kinds("")
        == std::vector{HistoryKind::application, HistoryKind::driver});
  CHECK(kinds("user=ann").size() == 2);
  CHECK(kinds("kind=all").empty());
  CHECK(kinds("app=app-1").empty());
  CHECK(kinds("id=driver-1").empty());
  CHECK(kinds("kind=stage") == std::vector{HistoryKind::stage});
  CHECK(kinds("kind=stages,executors")
        == std::vector{HistoryKind::stage, HistoryKind::executor});
}

TEST_CASE("a state of a history is one in which something ends, in any case",
          "[web]") {
  auto state = [](const std::string& query) {
    return asked<RequestHistory>("GET", "/api/v1/history?" + query).state;
  };
  CHECK(state("state=failed") == "FAILED");
  CHECK(state("state=FAILED") == "FAILED");
  CHECK(state("kind=executors&state=Exited") == "EXITED");
  auto refused = problem("GET", "/api/v1/history?state=nonsense");
  CHECK(refused.first == 400);
  CHECK(refused.second
        == "state: nothing of these kinds ends as 'nonsense'; there are "
           "FINISHED, FAILED, KILLED, RELAUNCHING and ERROR");
  CHECK(problem("GET", "/api/v1/history?state=").first == 400);
  CHECK(problem("GET", "/api/v1/history?kind=things").second
        == "kind: 'things' is none of applications, drivers, executors, stages "
           "and all");
}

TEST_CASE("what is wrong with a request is told in one line", "[web]") {
  auto [target, body, detail]
      = GENERATE(table<std::string, std::string, std::string>(
          {{"/api/v1/drivers", "", "the body is no JSON"},
           {"/api/v1/drivers", "{", "the body is no JSON"},
           {"/api/v1/drivers", "[]", "expected an object"},
           {"/api/v1/drivers", "{}", "command: a program"},
           {"/api/v1/drivers", R"({"command":"ls"})", "command: expected"},
           {"/api/v1/drivers", R"({"command":["ls"],"after_OK":["me"]})",
            "after_OK: there is no such field"},
           {"/api/v1/drivers",
            R"({"command":["ls"],"on_end":{"command":["a"],"retry":1}})",
            "on_end.retry: there is no such field"},
           {"/api/v1/drivers", R"({"command":["ls"],"after":["me"]})",
            "'me' is the id of no application or driver"},
           {"/api/v1/drivers", R"({"command":["ls"],"on_end":{"command":[]}})",
            "the program that follows an end has no command"},
           {"/api/v1/drivers",
            R"({"command":["ls"],"on_end":{"command":["a"],"retries":-1}})",
            "what follows an end is retried 0 to 1000 times"},
           {"/api/v1/drivers", R"({"command":["ls"],"cores":"x"})",
            "cores: expected a whole number"},
           {"/api/v1/drivers", R"({"command":["ls"],"cores":0})",
            "at least 1 core"},
           {"/api/v1/plan", R"({"add_workers":[{"count":0}]})",
            "the count of a planned worker is at least 1"},
           {"/api/v1/plan", R"({"remove_workers":["w1","w1"]})",
            "worker w1 is to leave twice"},
           {"/api/v1/plan", R"({"add_workers":[{"cores":"many"}]})",
            "add_workers[0].cores"}}));
  auto [status, text] = problem("POST", target, body);
  INFO(text);
  CHECK(status == 400);
  CHECK(contains(text, detail));
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("a value that is none is told with its name", "[web]") {
  auto [target, detail] = GENERATE(table<std::string, std::string>(
      {{"/api/v1/status?workers=maybe", "workers is true or false"},
       {"/api/v1/status?executors_max=-1", "executors_max is a whole number"},
       {"/api/v1/executors/app-1/x", "an executor is a whole number"},
       {"/api/v1/drivers/d1/output?stream=out", "stream is stdout or stderr"},
       {"/api/v1/drivers/d1/output?tail=x", "tail is a whole number"},
       {"/api/v1/jobs?state=foo",
        "state: no job or stage is 'foo'; there are RUNNING, SUCCEEDED"},
       {"/api/v1/events?after=x", "after is a whole number"}}));
  auto [status, text] = problem("GET", target);
  CHECK(status == 400);
  CHECK(contains(text, detail));
}

TEST_CASE("there is nothing at other paths, and not every method", "[web]") {
  for (const auto* path :
       {"/api/v1/", "/api/v1/nothing", "/api/v1/status/x", "/api/v1/executors",
        "/api/v1/applications/a/b/c", "/api/v1/workers/%zz", "/api/v1",
        "/api/v1/drivers/d1/", "/api/v1//drivers/d1", "/api/v1/drivers/",
        "//api/v1/status"})
    CHECK(problem("GET", path).first == 404);
  auto parsed = parse("DELETE", "/api/v1/drivers/d1");
  const auto& response = std::get<HttpResponse>(parsed);
  CHECK(response.status == 405);
  CHECK(response.fields
        == std::vector<std::pair<std::string, std::string>>{
            {"Allow", "GET, HEAD"}});
  CHECK(problem("GET", "/api/v1/drivers/d1/kill")
        == std::pair{405U, std::string{"this path takes POST"}});
  CHECK(problem("DELETE", "/api/v1/nothing").first == 404);
}

TEST_CASE("a parameter that cannot be read is told of with its name", "[web]") {
  auto [target, detail] = GENERATE(table<std::string, std::string>(
      {{"/api/v1/status?app=%zz", "app: in its value, '%' has no two"},
       {"/api/v1/events?after=%zz", "after: in its value, '%' has no two"},
       {"/api/v1/history?user=ann%4", "user: in its value, '%' has no two"},
       {"/api/v1/status?workers", "workers: it has no value"},
       {"/api/v1/status?app&workers=true", "app: it has no value"},
       {"/api/v1/status?=1", "'=1': a parameter has no name"},
       {"/api/v1/status?=", "'=': a parameter has no name"},
       {"/api/v1/status?app=a&app=a", "app: it is given more than once"},
       {"/api/v1/queues?=1", "a parameter has no name"}}));
  auto [status, text] = problem("GET", target);
  CHECK(status == 400);
  CHECK(contains(text, detail));
}

TEST_CASE("a field that is given twice is refused with its name", "[web]") {
  auto [body, name] = GENERATE(table<std::string, std::string>(
      {{R"({"command":["ls"],"cores":1,"cores":2})", "cores"},
       {R"({"command":["ls"],"cores":1,"\u0063ores":1})", "cores"},
       {R"({"command":["ls"],"environment":{"A":"1","B":"2","A":"1"}})",
        "environment.A"},
       {R"({"command":["ls"],"on_end":{"command":["a"],"command":["b"]}})",
        "on_end.command"}}));
  CHECK(problem("POST", "/api/v1/drivers", body)
        == std::pair{400U, name + ": it is given more than once"});
  // The same name elsewhere is another field.
  asked<DriverSubmission>(
      "POST", "/api/v1/drivers",
      R"({"command":["ls"],"environment":{"command":"x","cores":"1"},)"
      R"("on_end":{"command":["a"]},"cores":1})");
  asked<RequestPlan>("POST", "/api/v1/plan",
                     R"({"add_workers":[{"cores":1},{"cores":2}]})");
}

TEST_CASE("what is wrong is told to its end, whatever was sent", "[web]") {
  auto detail = problem("GET", "/api/v1/history?state=a%00b").second;
  CHECK(contains(detail, "there are FINISHED"));
  detail
      = problem("POST", "/api/v1/drivers", R"({"command":["ls"],"a\u0000b":1})")
            .second;
  CHECK(contains(detail, "there is no such field"));
}

TEST_CASE("an order says nothing but its path", "[web]") {
  for (const auto* path :
       {"/api/v1/drivers/d1/kill", "/api/v1/applications/a1/kill",
        "/api/v1/executors/a1/3/kill"}) {
    for (const auto* body : {"", "{}", " {} "})
      CHECK(std::holds_alternative<RestRequest>(parse("POST", path, body)));
    for (const auto* body : {"{", "[]", "null", R"({"signal":9})", "a=b"})
      CHECK(problem("POST", path, body)
            == std::pair{400U, std::string{"the path says all: the body is "
                                           "empty, or {}"}});
  }
}

TEST_CASE("a body that is too deep is none", "[web]") {
  auto [status, text] = problem(
      "POST", "/api/v1/plan", std::string(1000, '[') + std::string(1000, ']'));
  CHECK(status == 400);
}

TEST_CASE("who has followed events goes on where he was", "[web]") {
  HttpRequest x;
  x.method = "GET";
  x.path = "/api/v1/events";
  x.query = "after=3&of=w1";
  x.last_event_id = "7";
  auto parsed = parse_rest_request(x);
  REQUIRE(std::holds_alternative<RestRequest>(parsed));
  const auto& events = std::get<FollowEvents>(std::get<RestRequest>(parsed));
  CHECK(events.after == 7);
  CHECK(events.of == "w1");
  x.last_event_id = "seven";
  CHECK(std::get<HttpResponse>(parse_rest_request(x)).status == 400);
}
