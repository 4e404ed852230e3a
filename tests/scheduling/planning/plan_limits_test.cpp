// How much a plan does at most, and that it is given up when it is to stop.

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

#include "scheduling/planning/plan.hpp"
#include "scheduling/planning/start_estimate.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// An application that wants so many executors.
ApplicationDescription app_of(int executors) {
  ApplicationDescription result;
  result.user = "ann";
  result.max_cores = executors;
  result.cores_per_executor = 1;
  result.memory_per_executor_mb = 1;
  return result;
}

/// How many executors a copy starts for an application that wants so many.
std::int64_t started(Cluster& copy, int executors) {
  auto description = app_of(executors);
  description.memory_per_executor_mb = 512;
  description.command.arguments = {"x"};
  EndpointId endpoint{"app-of-" + std::to_string(executors)};
  RegisterApplication event;
  event.description = description;
  event.driver = endpoint;
  auto messages = copy.step({}, event).messages;
  return std::count_if(messages.begin(), messages.end(), [](const auto& x) {
    return std::holds_alternative<StartExecutor>(x);
  });
}

/// One that brings a worker which has room for more than anybody may plan.
RequestPlan with_room_for_all() {
  RequestPlan result;
  auto& worker = result.add_workers.emplace_back();
  worker.cores = 1'000'000;
  worker.memory_mb = 1'000'000;
  return result;
}

constexpr const char* too_many
    = "more than 100000 executors would be started; plan for fewer at once, or "
      "for larger ones";

constexpr const char* too_long
    = "the plan took too long and was given up; plan for less at once, or try "
      "again";

void check_ends_with(const PlanResponse& plan, const std::string& problem) {
  PlanResponse expected;
  expected.problem = problem;
  CHECK(plan == expected);
}

} // namespace

TEST_CASE("a copy starts as many executors as it may, and then none",
          "[plan]") {
  Trace trace;
  SECTION("for one application after the other") {
    trace = Trace({"elect"});
  }
  SECTION("for those of tenants") {
    trace = Trace({R"(config tenants={"min_executor_cores":1,)"
                   R"("min_executor_memory_mb":512,)"
                   R"("companies":[{"name":"one","cores":8,"memory_mb":8192}],)"
                   R"("users":[{"name":"ann","company":"one"}]})",
                   "at 0s elect"});
  }
  (void)trace.run("worker w1 8 cores 8 GB");
  (void)trace.run("worker w2 8 cores 8 GB");
  auto limited = trace.cluster();
  limited.limit_starts(3);
  CHECK(started(limited, 6) == 3);
  CHECK(started(limited, 2) == 0);
  auto unlimited = trace.cluster();
  CHECK(started(unlimited, 6) > 3);
}

TEST_CASE("as many executors can be planned as a plan starts at most",
          "[plan]") {
  Trace trace{"elect"};
  auto request = with_room_for_all();
  request.add_apps = {app_of(100'000)};
  auto x = plan(trace.cluster(), Instant{}, request);
  CHECK(x.problem.empty());
  REQUIRE(x.starts.size() == 1);
  CHECK(x.starts.front().executors == 100'000);
}

TEST_CASE("a plan that would start too many executors ends with a problem",
          "[plan]") {
  Trace trace{"elect"};
  auto request = with_room_for_all();
  SECTION("of one application") {
    request.add_apps = {app_of(100'001)};
  }
  SECTION("of two together, of which one needs all of its own at once") {
    request.add_apps = {app_of(60'000), app_of(60'000)};
    request.add_apps.back().gang = 60'000;
  }
  SECTION("of one that was there before") {
    (void)trace.run("app a 1 core 1 MB");
  }
  check_ends_with(plan(trace.cluster(), Instant{}, request), too_many);
}

TEST_CASE("a plan asks between its steps whether it is to stop", "[plan]") {
  Trace trace{"elect", "worker w1 4 cores 4 GB",
              "app a 1 core 512 MB max 2 instances 2",
              "submit d 1 core 512 MB supervise"};
  RequestPlan request;
  request.end_apps = {AppId{"app-19700101000000-0001"}};
  request.remove_workers = {WorkerId{"w1"}};
  request.add_workers.emplace_back().count = 3;
  request.add_apps = {app_of(1), app_of(2)};
  auto asked = 0;
  auto all = plan(trace.cluster(), Instant{}, request, [&] {
    ++asked;
    return false;
  });
  CHECK(all == plan(trace.cluster(), Instant{}, request));
  // One for each event at least, and for each instance that ends.
  CHECK(asked >= 1 + 2 + 1 + 3 + 2);
  for (auto last = 1; last <= asked; ++last) {
    INFO("stopped at " << last << " of " << asked);
    auto now = 0;
    check_ends_with(plan(trace.cluster(), Instant{}, request,
                         [&] { return ++now >= last; }),
                    too_long);
  }
}

TEST_CASE("an estimate that is to stop is none", "[plan]") {
  Trace trace{"elect", "worker w1 2 cores 2 GB",
              "app a 1 core 512 MB max 2 instances 2 within 60s",
              "app b 1 core 512 MB max 2 instances 2"};
  AppId waiting{"app-19700101000000-0002"};
  CHECK(estimate_start(trace.cluster(), Instant{}, waiting));
  auto asked = 0;
  CHECK_FALSE(estimate_start(trace.cluster(), Instant{}, waiting, [&] {
    ++asked;
    return true;
  }));
  CHECK(asked > 0);
}
