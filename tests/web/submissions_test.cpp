// What Spark's clients ask at the REST port, and what a master answers. Requests and the
// forms of answers were recorded of Spark's own master.

#include "web/submissions.hpp"

#include <optional>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "actors/master.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/never_elected.hpp"
#include "tests/web/recorded_json.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

namespace json = boost::json;

constexpr const char* create_path = "/v1/submissions/create";
constexpr const char* driver_text
    = R"({"action":"CreateSubmissionRequest","appResource":"/a.jar",)"
      R"("mainClass":"Main","clientSparkVersion":"4.1.4"})";

struct SubmissionsFixture : DeterministicSystem {
  MasterActor master;
  SubmissionsActor actor;
  SubmissionsConfig config;
  std::optional<HttpResponse> response;

  SubmissionsFixture() {
    ClusterConfig cluster;
    cluster.master_url = "stoker://m:1";
    master = spawn(stoker::master, cluster, MasterServices{});
    config
        = {master, SparkUsers::any, {"spark://127.0.0.1:7077", 6066, "4.1.4"}};
    start();
  }

  void start() {
    actor = spawn(submissions, config);
  }

  json::object ask(const std::string& method, const std::string& path,
                   const std::string& body = {}) {
    response.reset();
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.here = {"127.0.0.1", 1};
    request.peer = {"127.0.0.1", 2};
    caf::anon_send(actor, AnswerSubmission{request, std::make_shared<HttpReply>(
                                                        [this](HttpResponse x) {
                                                          response
                                                              = std::move(x);
                                                        })});
    scheduler.run();
    REQUIRE(response);
    return json::parse(*response->body).as_object();
  }

  std::string submit() {
    auto answer = ask("POST", create_path, driver_text);
    INFO(json::serialize(answer));
    REQUIRE(answer.at("success") == true);
    return std::string{answer.at("submissionId").as_string()};
  }

  MasterStateResponse state() {
    return *stoker::test::DeterministicSystem::ask<MasterStateResponse>(
        master, RequestMasterState{});
  }
};

/// The fields of an answer but for those that depend on the cluster.
std::string form_of(const json::object& answer) {
  auto result = answer;
  for (const auto* name :
       {"driverState", "workerId", "workerHostPort", "message"})
    result.erase(name);
  return shape(result);
}

std::string replaced(std::string text, const std::string& from,
                     const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

} // namespace

TEST_CASE_METHOD(SubmissionsFixture,
                 "what Spark's clients ask is answered as by Spark's master",
                 "[web]") {
  auto id = submit();
  auto recorded = recorded_json("4.1.4").at("submissions").as_array();
  REQUIRE(recorded.size() > 20);
  for (const auto& x : recorded) {
    auto path
        = replaced(std::string{x.at("path").as_string()}, "/ID", '/' + id);
    // The real ones have a path here; what has none would be refused.
    auto body = replaced(std::string{x.at("body").as_string()},
                         R"("appResource":"a")", R"("appResource":"/a")");
    auto answer = ask(std::string{x.at("method").as_string()}, path, body);
    INFO(path << ' ' << body << ' ' << json::serialize(answer));
    CHECK(response->status == x.at("status").to_number<unsigned>());
    CHECK(answer.at("action") == x.at("answer").at("action"));
    CHECK(form_of(answer) == form_of(x.at("answer").as_object()));
  }
}

TEST_CASE_METHOD(SubmissionsFixture,
                 "answers have a field in a line when scripts read lines",
                 "[web]") {
  auto id = submit();
  ask("GET", "/v1/submissions/status/" + id);
  CHECK(*response->body
        == "{\n  \"action\" : \"SubmissionStatusResponse\",\n"
           "  \"driverState\" : \"SUBMITTED\",\n"
           "  \"serverSparkVersion\" : \"4.1.4\",\n"
           "  \"submissionId\" : \""
               + id + "\",\n  \"success\" : true\n}");
}

TEST_CASE_METHOD(SubmissionsFixture, "a driver is submitted, shown and ended",
                 "[web]") {
  auto id = submit();
  auto drivers = state().active_drivers;
  REQUIRE(drivers.size() == 1);
  CHECK(drivers.front().id.value == id);
  CHECK(drivers.front().name == "Main");
  CHECK_FALSE(drivers.front().user.empty());
  auto status = ask("GET", "/v1/submissions/status/" + id);
  CHECK(status.at("success") == true);
  CHECK(status.at("driverState") == "SUBMITTED");
  CHECK_FALSE(status.contains("workerId"));
  CHECK(ask("POST", "/v1/submissions/kill/" + id).at("success") == true);
  CHECK(state().active_drivers.empty());
  CHECK(ask("GET", "/v1/submissions/status/" + id).at("driverState")
        == "KILLED");
  CHECK(ask("POST", "/v1/submissions/kill/" + id).at("success") == false);
  CHECK(ask("GET", "/v1/submissions/status/none").at("success") == false);
}

TEST_CASE_METHOD(SubmissionsFixture, "all drivers can be ended at once",
                 "[web]") {
  submit();
  submit();
  CHECK(ask("POST", "/v1/submissions/killall").at("success") == true);
  CHECK(state().active_drivers.empty());
  CHECK(ask("POST", "/v1/submissions/clear").at("success") == false);
}

TEST_CASE_METHOD(SubmissionsFixture,
                 "the wrong method is named with the right one", "[web]") {
  CHECK(ask("GET", create_path).at("action") == "ErrorResponse");
  CHECK(response->status == 405);
  REQUIRE(response->fields.size() == 1);
  CHECK(response->fields.front().second == "POST");
  ask("POST", "/v1/submissions/status/driver-1");
  CHECK(response->status == 405);
  REQUIRE(response->fields.size() == 1);
  CHECK(response->fields.front().second == "GET, HEAD");
}

TEST_CASE_METHOD(SubmissionsFixture,
                 "a master that drivers would not find takes none", "[web]") {
  config.place.spark_url.clear();
  start();
  auto answer = ask("POST", create_path, driver_text);
  CHECK(response->status == 503);
  CHECK(answer.at("message").as_string().find("--spark-port")
        != json::string::npos);
  // Until its port is open.
  caf::anon_send(actor, SparkUrl{"spark://127.0.0.1:7077"});
  ask("POST", create_path, driver_text);
  CHECK(response->status != 503);
}

TEST_CASE_METHOD(SubmissionsFixture,
                 "whom the kernel does not know submits nothing", "[web]") {
  config.users = SparkUsers::local;
  start();
  CHECK(ask("POST", create_path, driver_text).at("action") == "ErrorResponse");
  CHECK(response->status == 403);
  CHECK(state().active_drivers.empty());
}

TEST_CASE_METHOD(SubmissionsFixture, "a master that does not lead says so",
                 "[web]") {
  kill(master);
  auto answer = ask("POST", create_path, driver_text);
  CHECK(response->status == 503);
  CHECK(answer.at("message").as_string().starts_with(
      "the master does not answer: "));
  ask("GET", "/v1/submissions/readyz");
  CHECK(response->status == 503);
}

TEST_CASE_METHOD(SubmissionsFixture,
                 "a master in STANDBY does not deny what the leader may know",
                 "[web]") {
  MasterServices services;
  services.election = spawn(never_elected);
  config.master = spawn(stoker::master, ClusterConfig{}, std::move(services));
  start();
  auto [method, path] = GENERATE(
      table<std::string, std::string>({{"POST", create_path},
                                       {"GET", "/v1/submissions/status/d-1"},
                                       {"POST", "/v1/submissions/kill/d-1"},
                                       {"POST", "/v1/submissions/killall"}}));
  INFO(path);
  auto answer = ask(method, path, driver_text);
  CHECK(response->status == 503);
  CHECK(answer.at("message")
        == "the master is STANDBY: another one leads, or none; ask the one "
           "that leads, or name all masters, as in --master "
           "spark://HOST1:PORT,HOST2:PORT");
}
