// What ends something at the addresses of Spark's pages, and what leads from these to ours.

#include <memory>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "tests/support/contains.hpp"
#include "tests/web/pages_fixture.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct SparkPagesFixture : PagesFixture {
  unsigned status_of(const std::string& method, const std::string& target,
                     const std::string& body = {}) {
    send(method, target, body);
    REQUIRE(response);
    return response->status;
  }

  std::string location() {
    for (const auto& [name, value] : response->fields)
      if (name == "Location")
        return value;
    return {};
  }

  MasterStateResponse state() {
    auto result = ask<MasterStateResponse>(master, RequestMasterState{});
    REQUIRE(result);
    return *result;
  }

  std::string register_application() {
    auto driver
        = spawn(app_recorder, std::make_shared<std::vector<std::string>>());
    RegisterApplication x;
    x.driver = EndpointId{"driver"};
    x.description.name = "sums";
    x.description.command.arguments = {"sleep"};
    x.description.user = "ann";
    caf::send_as(caf::actor_cast<caf::actor>(driver), master, x);
    scheduler.run();
    REQUIRE(state().active_apps.size() == 1);
    return state().active_apps.front().id.value;
  }

  std::string submit_driver() {
    RequestSubmitDriver x;
    x.driver_description.command.arguments = {"sleep"};
    x.driver_description.user = "ann";
    auto answer = ask<SubmitDriverResponse>(master, x);
    REQUIRE(answer);
    return answer->driver_id.value().value;
  }
};

} // namespace

TEST_CASE_METHOD(SparkPagesFixture,
                 "a driver ends when it is killed at Spark's address",
                 "[web]") {
  start();
  auto id = submit_driver();
  auto is_killed = [&] {
    auto now = state();
    return now.active_drivers.empty() && now.completed_drivers.size() == 1
           && now.completed_drivers.front().state == DriverState::KILLED;
  };
  // Browsers load addresses that pages of others name.
  CHECK(status_of("GET", "/driver/kill/?terminate=true&id=" + id) == 405);
  CHECK(status_of("POST", "/driver/kill/?id=" + id) == 400);
  CHECK(status_of("POST", "/driver/kill/?terminate=true") == 400);
  CHECK(status_of("POST", "/driver/kill/?terminate=true&id=driver-0") == 404);
  CHECK_FALSE(is_killed());
  SECTION("by a query") {
    CHECK(status_of("POST", "/driver/kill/?terminate=true&id=" + id) == 303);
  }
  SECTION("by a form") {
    CHECK(status_of("POST", "/driver/kill", "id=" + id + "&terminate=true")
          == 303);
  }
  CHECK(location() == "/");
  CHECK(is_killed());
}

TEST_CASE_METHOD(SparkPagesFixture,
                 "an application ends when it is killed at Spark's address",
                 "[web]") {
  start();
  auto id = register_application();
  CHECK(status_of("GET", "/app/kill/?terminate=true&id=" + id) == 405);
  CHECK(state().completed_apps.empty());
  CHECK(status_of("POST", "/app/kill/", "terminate=true&id=" + id) == 303);
  REQUIRE(state().completed_apps.size() == 1);
  CHECK(state().completed_apps.front().state == ApplicationState::KILLED);
}

TEST_CASE_METHOD(SparkPagesFixture,
                 "an application is looked for when Spark's address names it",
                 "[web]") {
  start();
  CHECK(status_of("POST", "/app/kill/?terminate=true&id=app-0") == 404);
  CHECK(status_of("GET", "/app/?appId=app-1") == 303);
  CHECK(location() == "/applications/app-1");
  CHECK(status_of("GET", "/app/") == 400);
}

TEST_CASE_METHOD(SparkPagesFixture,
                 "workers of a host leave when Spark's address names it",
                 "[web]") {
  start();
  register_worker("w1");
  CHECK(status_of("POST", "/workers/kill/") == 400);
  CHECK(status_of("POST", "/workers/kill/?host=h2") == 404);
  CHECK(state().workers.front().state == WorkerState::ALIVE);
  CHECK(status_of("POST", "/workers/kill/?host=h2&host=h1") == 200);
  CHECK(state().workers.front().state == WorkerState::DECOMMISSIONED);
}

TEST_CASE_METHOD(SparkPagesFixture,
                 "figures have Spark's names when they are asked for as JSON",
                 "[web]") {
  start();
  register_worker("w1");
  for (const auto* path : {"/metrics/json/", "/metrics/master/json"}) {
    auto figures = read(path).at("gauges").as_object();
    CHECK(figures.at("master.aliveWorkers").at("value") == 1);
    CHECK(figures.at("master.apps").at("value") == 0);
  }
  get("/metrics/prometheus/");
  REQUIRE(response);
  CHECK(contains(*response->body, "metrics_master_aliveWorkers_Value"));
}
