// What people fill in to ask what would happen.

#include "web/plan_form.hpp"

#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

RequestPlan planned(const std::string& target) {
  auto result = plan_request(parse_plan_form(target));
  REQUIRE(result);
  REQUIRE(*result);
  return **result;
}

} // namespace

TEST_CASE("a form that is not filled in asks nothing", "[web]") {
  for (const auto* target : {"/plan", "/plan?workers=&cores=9&x=y"}) {
    auto result = plan_request(parse_plan_form(target));
    REQUIRE(result);
    CHECK_FALSE(*result);
  }
}

TEST_CASE("a form asks what it says", "[web]") {
  auto plan = planned("/plan?workers=2&worker-cores=8&worker-memory=16g"
                      "&executors=4&executor-cores=2&executor-memory=2g"
                      "&user=ann+b&driver-cores=3&driver-memory=4g"
                      "&driver-user=ben&remove-worker=w1&end-app=app-1"
                      "&end-driver=driver-2");
  REQUIRE(plan.add_workers.size() == 1);
  CHECK(plan.add_workers.front().count == 2);
  CHECK(plan.add_workers.front().cores == 8);
  CHECK(plan.add_workers.front().memory_mb == 16384);
  REQUIRE(plan.add_apps.size() == 1);
  CHECK(plan.add_apps.front().user == "ann b");
  CHECK(plan.add_apps.front().max_cores == 8);
  CHECK(plan.add_apps.front().initial_executor_limit == 4);
  CHECK(plan.add_apps.front().memory_per_executor_mb == 2048);
  CHECK(plan.remove_workers == std::vector{WorkerId{"w1"}});
  REQUIRE(plan.add_drivers.size() == 1);
  CHECK(plan.add_drivers.front().user == "ben");
  CHECK(plan.add_drivers.front().cores == 3);
  CHECK(plan.add_drivers.front().memory_mb == 4096);
  CHECK(plan.end_apps == std::vector{AppId{"app-1"}});
  CHECK(plan.end_drivers == std::vector{DriverId{"driver-2"}});
}

TEST_CASE("the largest figures of a plan make no larger ones", "[web]") {
  auto plan = planned("/plan?executors=100000&executor-cores=1000000");
  CHECK(plan.add_apps.front().max_cores == std::numeric_limits<int>::max());
}

TEST_CASE("what cannot be read is told, and stays where it was", "[web]") {
  auto [target, problem] = GENERATE(table<std::string, std::string>(
      {{"/plan?workers=many", "Workers: 'many' is not a number above 0"},
       {"/plan?executors=0", "Executors: '0' is not a number"},
       {"/plan?workers=1&worker-memory=big",
        "Memory of a worker: 'big' is not a memory size"},
       {"/plan?workers=99999999999",
        "Workers: '99999999999' is too large: at most 100000"},
       {"/plan?executors=100001",
        "Executors: '100001' is too large: at most 100000"},
       {"/plan?executor-cores=1000001",
        "Cores of an executor: '1000001' is too large: at most 1000000"},
       {"/plan?workers=1&worker-memory=2000000t",
        "Memory of a worker: '2000000t' is too large: at most 1048576t"}}));
  auto form = parse_plan_form(target);
  auto result = plan_request(form);
  REQUIRE_FALSE(result);
  CHECK(contains(result.error().message, problem));
  CHECK(contains(html(form_of(form)), "value=\""));
}
