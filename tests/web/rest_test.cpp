// What is answered at /api/v1 is what the master itself says, as JSON.

#include <algorithm>
#include <sstream>

#include <boost/json/serialize.hpp>

#include "messages/json.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/web/pages_fixture.hpp"
#include "web/openapi.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

namespace json = boost::json;

const json::value& document() {
  static const auto result = json::parse(*openapi_document());
  return result;
}

std::vector<std::string> split(const std::string& x) {
  std::vector<std::string> result;
  std::istringstream in{x};
  for (std::string part; std::getline(in, part, '/');)
    result.push_back(part);
  return result;
}

bool fits(const std::string& pattern, const std::string& path) {
  auto a = split(pattern);
  auto b = split(path);
  return a.size() == b.size()
         && std::equal(a.begin(), a.end(), b.begin(),
                       [](const std::string& x, const std::string& y) {
                         return x == y || x.starts_with('{');
                       });
}

/// As a JSON pointer names it.
std::string part_of_pointer(std::string_view x) {
  std::string result{"/"};
  for (auto c : x)
    if (c == '/')
      result += "~1";
    else
      result += c;
  return result;
}

/// What the document says of an answer.
JsonSchema schema_of(const std::string& method, const std::string& target,
                     unsigned status) {
  auto path = target.substr(0, target.find('?'))
                  .substr(std::string{"/api/v1"}.size());
  auto response = std::string{method == "GET" ? "/get" : "/post"}
                  + "/responses/" + std::to_string(status);
  INFO(method << ' ' << path << ' ' << status);
  for (const auto& operations : document().at("paths").as_object()) {
    if (!fits(std::string{operations.key()}, path))
      continue;
    auto at = "/paths" + part_of_pointer(operations.key()) + response;
    json::error_code error;
    const auto* found = document().find_pointer(at, error);
    REQUIRE(found);
    if (const auto* reference = found->as_object().if_contains("$ref"))
      at = reference->as_string().c_str() + 1;
    const auto& content = document().at_pointer(at).at("content").as_object();
    return {document(), at + "/content"
                            + part_of_pointer(content.begin()->key())
                            + "/schema"};
  }
  FAIL("the document does not have it");
  return JsonSchema{json::object{}};
}

struct RestFixture : PagesFixture {
  json::value call(const std::string& method, const std::string& target,
                   const std::string& body = {}, unsigned status = 200) {
    send(method, target, body);
    // What is not there is looked for again.
    if (!response)
      advance(200ms);
    INFO(method << ' ' << target);
    REQUIRE(response);
    REQUIRE(response->body);
    INFO(*response->body);
    CHECK(response->status == status);
    auto result = json::parse(*response->body);
    auto problems = schema_of(method, target, status).problems(result);
    CHECK(problems == std::vector<std::string>{});
    return result;
  }

  /// What is said of an output, and whether nothing follows.
  std::pair<std::string, bool> output(const std::string& id,
                                      const std::string& query) {
    send("GET", "/api/v1/drivers/" + id + "/output?" + query);
    REQUIRE(response);
    REQUIRE(response->stream);
    std::pair<std::string, bool> result{{}, false};
    response->stream->attach([&](const HttpStream::Piece& x) {
      if (x)
        result.first += *x;
      else
        result.second = true;
    });
    auto stream = response->stream;
    take_all_for(*stream, 2s);
    stream->attach([](const HttpStream::Piece&) {});
    stream->close();
    return result;
  }

  std::string submit_one_that_waits() {
    auto answer = call("POST", "/api/v1/drivers",
                       R"({"command":["true"],"cores":99,"wait":true})", 201);
    return answer.at("driver_id").as_string().c_str();
  }

  /// Starts a driver on a worker that is large enough.
  std::string submit() {
    auto answer = call("POST", "/api/v1/drivers",
                       R"({"command":["sleep","9"],"name":"nap"})", 201);
    return answer.at("driver_id").as_string().c_str();
  }
};

} // namespace

TEST_CASE_METHOD(RestFixture, "the state is that which the master tells",
                 "[web]") {
  start();
  register_worker("w1");
  submit();
  auto told = call("GET", "/api/v1/status").as_object();
  auto asked = to_json(*ask<MasterStateResponse>(master, RequestMasterState{}))
                   .as_object();
  // Where Spark's programs find it, as the pages were told.
  CHECK(told["master_url"] == "stoker://127.0.0.1:7070");
  for (const auto* part : {"status", "workers", "active_apps", "completed_apps",
                           "active_drivers", "completed_drivers"}) {
    INFO(part);
    CHECK(told[part] == asked[part]);
  }
}

TEST_CASE_METHOD(RestFixture, "a driver is submitted, shown, and ended",
                 "[web]") {
  start();
  register_worker("w1");
  auto id = submit();
  CHECK(contains(response->fields.back().second, id));
  auto driver = call("GET", "/api/v1/drivers/" + id);
  CHECK(driver.at("name") == "nap");
  CHECK(driver.at("worker_id") == "w1");
  CHECK(call("GET", "/api/v1/drivers/" + id + "/explanation")
            .at("driver_id")
            .as_string()
        == id);
  CHECK(call("POST", "/api/v1/drivers/" + id + "/kill").at("killed").as_string()
        == id);
}

TEST_CASE_METHOD(RestFixture, "a name that is no UTF-8 breaks no answer",
                 "[web]") {
  start();
  register_worker("w1");
  RequestSubmitDriver submission;
  submission.driver_description.name = "bad\xff";
  submission.driver_description.user = "eve\xfe";
  submission.driver_description.memory_mb = 1;
  submission.driver_description.command.arguments = {"x\xff"};
  auto id
      = ask<SubmitDriverResponse>(master, submission)->driver_id.value().value;
  const auto* replaced = "bad\ufffd";
  CHECK(call("GET", "/api/v1/drivers/" + id).at("name") == replaced);
  CHECK(call("GET", "/api/v1/status").at("active_drivers").at(0).at("name")
        == replaced);
  call("GET", "/api/v1/drivers/" + id + "/explanation");
  call("GET", "/api/v1/queues");
  call("GET", "/api/v1/drivers/d%ff", {}, 404);
}

TEST_CASE_METHOD(RestFixture, "what has ended is told in the order of its ends",
                 "[web]") {
  start();
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i)
    ids.push_back(submit_one_that_waits());
  for (auto i : {1, 2, 0}) {
    advance(100ms);
    call("POST", "/api/v1/drivers/" + ids.at(i) + "/kill");
  }
  auto told = call("GET", "/api/v1/status").as_object();
  auto asked = to_json(*ask<MasterStateResponse>(master, RequestMasterState{}))
                   .as_object();
  const auto& ended = told["completed_drivers"].as_array();
  REQUIRE(ended.size() == 3);
  CHECK(ended.at(0).at("id") == json::string_view{ids.at(1)});
  CHECK(told["completed_drivers"] == asked["completed_drivers"]);
}

TEST_CASE_METHOD(RestFixture,
                 "the output of what never began says how it ended", "[web]") {
  start();
  auto id = submit_one_that_waits();
  CHECK(output(id, "follow=true") == std::pair{std::string{}, false});
  CHECK(output(id, "follow=false")
        == std::pair{"[stoker] " + id + " has not been given to a worker yet\n",
                     true});
  call("POST", "/api/v1/drivers/" + id + "/kill");
  for (const auto* query : {"follow=true", "follow=false"})
    CHECK(output(id, query)
          == std::pair{"[stoker] " + id
                           + " has ended as KILLED before it was given to a "
                             "worker: killed before it was started\n",
                       true});
}

TEST_CASE_METHOD(RestFixture,
                 "output goes on elsewhere when its worker is lost", "[web]") {
  start();
  register_worker("w1");
  auto answer = call("POST", "/api/v1/drivers",
                     R"({"command":["true"],"supervise":true})", 201);
  std::string id = answer.at("driver_id").as_string().c_str();
  record->silent = true;
  OutputPart first;
  first.position.driver = DriverId{id};
  first.data = "begun\n";
  first.end = 6;
  OutputPart second = first;
  second.data = "again\n";
  second.complete = true;
  record->outputs = {OutputResponse{{first}}};
  send("GET", "/api/v1/drivers/" + id + "/output?follow=true");
  REQUIRE(response);
  REQUIRE(response->stream);
  std::string read;
  response->stream->attach(
      [&](const HttpStream::Piece& x) { read += x ? *x : "END"; });
  CHECK(read == "begun\n");
  auto stream = response->stream;
  take_all(*stream);
  caf::send_as(caf::actor_cast<caf::actor>(worker), master,
               WorkerLeft{WorkerId{"w1"}, EndpointId{"w1"}});
  scheduler.run();
  record->outputs = {OutputResponse{{second}}};
  register_worker("w2");
  // The worker has left a question open.
  REQUIRE_FALSE(record->unanswered.empty());
  caf::anon_send(worker, WorkerInternal{});
  scheduler.run();
  take_all_for(*stream, 2s);
  auto info = call("GET", "/api/v1/drivers/" + id);
  auto next = info.at("relaunched_as");
  REQUIRE(next.is_string());
  // It describes the start that runs now.
  CHECK(info.at("id").as_string() == id);
  CHECK(info.at("worker_id") == "w2");
  CHECK(info.at("state") == "RUNNING");
  auto expected
      = "[stoker] worker w1 is lost, and what was not read of this output with "
        "it\n[stoker] started again as "
        + std::string{next.as_string().c_str()} + "\nagain\n";
  CHECK(contains(read, "begun\n" + expected));
  stream->close();
  // Also for who asks later for the first one.
  for (const auto* query : {"follow=true", "follow=false"}) {
    INFO(query);
    record->outputs = {OutputResponse{{second}}};
    CHECK(contains(output(id, query).first, expected));
  }
}

TEST_CASE_METHOD(RestFixture, "a driver is found by its submission", "[web]") {
  start();
  call("GET", "/api/v1/submissions/night%201", {}, 404);
  auto answer = call("POST", "/api/v1/drivers",
                     R"({"command":["true"],"cores":99,"wait":true,)"
                     R"("submission":"night 1"})",
                     201);
  submit_one_that_waits();
  CHECK(call("GET", "/api/v1/submissions/night%201").at("id")
        == answer.at("driver_id"));
}

TEST_CASE_METHOD(RestFixture, "a submission that is repeated gives one driver",
                 "[web]") {
  start();
  register_worker("w1");
  const auto* body = R"({"command":["sleep"],"submission":"s1"})";
  auto first = call("POST", "/api/v1/drivers", body, 201);
  CHECK(call("POST", "/api/v1/drivers", body, 201) == first);
}

TEST_CASE_METHOD(RestFixture, "what is not known gets 404, what cannot be 409",
                 "[web]") {
  start();
  register_worker("w1");
  for (const auto* path :
       {"/api/v1/workers/w9", "/api/v1/applications/a9",
        "/api/v1/applications/a9/explanation", "/api/v1/drivers/d9",
        "/api/v1/drivers/d9/explanation", "/api/v1/executors/a9/0",
        "/api/v1/executors/a9/0/output"})
    CHECK(contains(json::serialize(call("GET", path, {}, 404)), "know"));
  call("POST", "/api/v1/drivers/d9/kill", {}, 404);
  call("POST", "/api/v1/applications/a9/kill", {}, 404);
  CHECK(contains(json::serialize(call("POST", "/api/v1/drivers",
                                      R"({"command":["x"],"cores":99})", 409)),
                 "99"));
  call("POST", "/api/v1/plan", R"({"remove_workers":["w9"]})", 409);
}

TEST_CASE_METHOD(RestFixture,
                 "a path that the document does not have is a problem",
                 "[web]") {
  start();
  register_worker("w1");
  auto id = submit();
  for (const auto& path :
       {std::string{"/api/v1"}, std::string{"/api/v1/"},
        std::string{"/api/v1/nothing"}, "/api/v1/drivers/" + id + '/',
        "/api/v1//drivers/" + id, std::string{"/api/v1/status/"}}) {
    INFO(path);
    for (const auto* method : {"GET", "POST"}) {
      send(method, path);
      REQUIRE(response);
      CHECK(response->status == 404);
      CHECK(response->content_type == "application/problem+json");
    }
  }
  // That begins so, and is none.
  send("GET", "/api/v12", {}, "text/html");
  REQUIRE(response);
  CHECK(response->status == 404);
  CHECK(contains(response->content_type, "text/html"));
}

TEST_CASE_METHOD(RestFixture, "a plan, queues and jobs are asked of the master",
                 "[web]") {
  start();
  register_worker("w1");
  auto plan = call("POST", "/api/v1/plan",
                   R"({"add_apps":[{"name":"x","user":"ann","max_cores":2}]})");
  CHECK(plan.at("free").at("cores") == 2);
  CHECK(plan.at("drivers").as_array().empty());
  CHECK(call("GET", "/api/v1/queues").at("admitted_in_all") == 0);
  CHECK(call("GET", "/api/v1/jobs").at("left_out") == 0);
}

TEST_CASE_METHOD(RestFixture,
                 "the tail of an output is as long as was asked for", "[web]") {
  start();
  register_worker("w1");
  auto path = "/api/v1/drivers/" + submit() + "/output";
  record->silent = true;
  auto part = [](std::int64_t offset, const std::string& data) {
    OutputPart result;
    result.position.offset = offset;
    result.data = data;
    result.end = offset + std::ssize(data);
    return OutputResponse{{result}};
  };
  auto [query, answers, offsets, text]
      = GENERATE_COPY(table<std::string, std::vector<OutputResponse>,
                            std::vector<std::int64_t>, std::string>(
          {{"tail=3", {part(7, "old")}, {-3}, "old"},
           // Nothing of what there is, and all that follows.
           {"tail=0", {part(9, "d")}, {-1}, ""},
           {"tail=0&follow=true",
            {part(9, "d"), part(10, "new")},
            {-1, 10, 13},
            "new"},
           {"tail=0&follow=true", {part(0, ""), part(0, "a")}, {-1, 0, 1}, "a"},
           {"", {part(0, "all")}, {0}, "all"}}));
  INFO(query);
  record->outputs.assign(answers.begin(), answers.end());
  send("GET", path + '?' + query);
  REQUIRE(response);
  REQUIRE(response->stream);
  std::string read;
  response->stream->attach([&](const HttpStream::Piece& x) {
    if (x)
      read += *x;
  });
  take_all(*response->stream);
  CHECK(read == text);
  std::vector<std::int64_t> asked;
  for (const auto& request : record->output_requests)
    asked.push_back(request.positions.at(0).offset);
  CHECK(asked == offsets);
  response->stream->close();
}

TEST_CASE_METHOD(RestFixture, "what no cluster could do is not right: 400",
                 "[web]") {
  start();
  register_worker("w1");
  auto answer = call("POST", "/api/v1/drivers",
                     R"({"command":["x"],"max_restarts":-1})", 400);
  CHECK(answer.at("detail") == "the number of restarts must not be negative");
  call("POST", "/api/v1/plan", R"({"add_workers":[{"cores":0}]})", 400);
  call("GET", "/api/v1/queues?of=ann", {}, 400);
}

TEST_CASE_METHOD(RestFixture, "the history is asked by the master", "[web]") {
  start();
  register_worker("w1");
  CHECK(call("GET", "/api/v1/history").at("entries").as_array().empty());
  CHECK(call("GET", "/api/v1/history?kind=executor,stage&user=ann&since_ms=1")
            .at("next")
            .is_null());
  CHECK(
      call("GET", "/api/v1/use?from=2026-01").at("months").as_array().empty());
  for (const auto* wrong :
       {"history?kind=x", "history?kind=", "history?rows_max=0",
        "history?since_ms=-1", "history?after=x", "use?to=May"})
    call("GET", std::string{"/api/v1/"} + wrong, {}, 400);
}

TEST_CASE_METHOD(RestFixture, "events are followed, and gone on with",
                 "[web]") {
  start();
  send("GET", "/api/v1/events");
  REQUIRE(response);
  REQUIRE(response->stream);
  auto stream = response->stream;
  std::string text;
  stream->attach([&](const HttpStream::Piece& x) { text += *x; });
  register_worker("w1");
  take_all_for(*stream, 2s);
  const std::string before{"id: "};
  auto begin = text.find(before) + before.size();
  auto first = text.substr(begin, text.find('\n', begin) - begin);
  CHECK(contains(text, before + first + "\nevent: happened\ndata: {\"number\":"
                           + first + ","));
  CHECK(contains(text, "worker-registered"));
  stream->close();
  send("GET", "/api/v1/events?after=" + first);
  auto later = response->stream;
  std::string rest;
  later->attach([&](const HttpStream::Piece& x) { rest += *x; });
  take_all_for(*later, 2s);
  CHECK_FALSE(contains(rest, "id: " + first + "\n"));
  later->close();
}

TEST_CASE_METHOD(
    RestFixture,
    "who reads what has happened is sent all of it, without a wait", "[web]") {
  start();
  // Each is named in an event: together more than is sent at once.
  constexpr int count = 150;
  RequestSubmitDriver submission;
  submission.driver_description.name = std::string(4000, 'n');
  submission.driver_description.user = "ann";
  submission.driver_description.memory_mb = 1;
  submission.driver_description.command.arguments = {"true"};
  std::string last;
  for (int i = 0; i < count; ++i)
    last = ask<SubmitDriverResponse>(master, submission)
               ->driver_id.value()
               .value;
  send("GET", "/api/v1/events");
  REQUIRE(response);
  REQUIRE(response->stream);
  auto stream = response->stream;
  std::string text;
  stream->attach([&](const HttpStream::Piece& x) { text += *x; });
  take_all(*stream);
  CHECK(contains(text, "driver=" + last));
  CHECK(text.size() > 4000 * count);
  stream->close();
}

TEST_CASE_METHOD(RestFixture,
                 "whom the kernel does not know is answered nothing", "[web]") {
  start(SparkUsers::local);
  call("GET", "/api/v1/status", {}, 403);
  call("POST", "/api/v1/drivers", R"({"command":["x"]})", 403);
}
