// Explanations name those that hold what is missing.

#include <string>
#include <vector>

#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

AppId app_number(int number) {
  return AppId{"app-19700101000000-000" + std::to_string(number)};
}

DriverId driver_number(int number) {
  return DriverId{"driver-19700101000000-000" + std::to_string(number)};
}

/// "r of ann: 4 cores 512 MB since 1000 ms"
std::vector<std::string> holders_of(const ExplanationResponse& x) {
  std::vector<std::string> result;
  for (const auto& y : x.holders)
    result.push_back(y.name + " of " + y.user + ": "
                     + std::to_string(y.held.cores) + " cores "
                     + std::to_string(y.held.memory_mb) + " MB since "
                     + std::to_string(y.since_ms) + " ms");
  return result;
}

std::vector<std::string> holders_of(const Trace& trace, const AppId& id) {
  return holders_of(explain(trace.cluster(), Instant{}, id));
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("explain names the largest holder first when cores are missing",
          "[plan]") {
  Trace trace{"config master_url=\"m\"",
              "elect",
              "worker w1 6 cores 8 GB",
              "submit d 2 cores 1 GB by ben",
              "app r 3 cores 512 MB max 3 by ann",
              "app s 1 core 256 MB max 1 by ann",
              "app t 2 cores 512 MB max 2 by cid"};
  CHECK(holders_of(trace, app_number(3))
        == Texts{"r of ann: 3 cores 512 MB since 0 ms",
                 "d of ben: 2 cores 1024 MB since 0 ms",
                 "s of ann: 1 cores 256 MB since 0 ms"});
}

TEST_CASE("explain names no holder when nothing is missing", "[plan]") {
  Trace trace{"config master_url=\"m\"", "elect", "worker w1 6 cores 8 GB",
              "app r 3 cores 512 MB max 3 by ann",
              "app s 1 core 256 MB max 1 by ann"};
  CHECK(holders_of(trace, app_number(2)).empty());
}

TEST_CASE("explain does not name an application and its driver to themselves",
          "[plan]") {
  Trace trace{"config master_url=\"m\"",
              "elect",
              "worker w1 4 cores 8 GB",
              "submit d 1 core 1 GB by ann",
              "driver driver-1 running",
              "app s 1 core 256 MB max 1 by ben",
              "app r 1 core 512 MB max 4 of driver-1 by ann"};
  CHECK(holders_of(trace, app_number(2))
        == Texts{"s of ben: 1 cores 256 MB since 0 ms"});
}

TEST_CASE("explain names executors that have not ended when they were killed",
          "[plan]") {
  Trace trace{"config master_url=\"m\"",
              "elect",
              "worker w1 2 cores 8 GB",
              "app r 2 cores 512 MB max 2 by ann",
              "kill app-1/0",
              "want app-1 0",
              "app s 2 cores 256 MB max 2 by ben"};
  CHECK(holders_of(trace, app_number(2))
        == Texts{"r of ann: 2 cores 512 MB since 0 ms"});
}

TEST_CASE("explain names only programs of the company when its cap is reached",
          "[plan]") {
  Trace trace{
      "config tenants={\"min_executor_cores\":1,\"min_executor_memory_mb\":"
      "256,\"default_request_cores\":2,\"companies\":[{\"name\":\"one\","
      "\"max_cores\":2},{\"name\":\"two\"}],\"users\":[{\"name\":\"ann\","
      "\"company\":\"one\"},{\"name\":\"ben\",\"company\":\"one\"},{\"name\":"
      "\"cid\",\"company\":\"two\"}]}",
      "elect",
      "worker w1 8 cores 8 GB",
      "submit d 1 core 512 MB by ann",
      "app r 1 core 256 MB max 1 by ben",
      "app t 2 cores 256 MB max 2 by cid",
      "app s 1 core 256 MB max 1 by ann",
      "submit e 1 core 256 MB by ben"};
  Texts holders{"d of ann: 1 cores 512 MB since 0 ms",
                "r of ben: 1 cores 256 MB since 0 ms"};
  CHECK(holders_of(trace, app_number(3)) == holders);
  CHECK(holders_of(explain(trace.cluster().state(), driver_number(2)))
        == holders);
}

TEST_CASE("explain shows the largest holders and counts all when there are "
          "many",
          "[plan]") {
  Trace trace{"config master_url=\"m\"", "elect", "worker w1 40 cores 40 GB"};
  for (int i = 0; i < 40; ++i)
    (void)trace.run("app r" + std::to_string(i)
                    + " 1 core 512 MB max 1 by ann");
  (void)trace.run("app s 1 core 512 MB max 1 by ben");
  AppId waiting{"app-19700101000000-0041"};
  auto why = explain(trace.cluster(), Instant{}, waiting);
  CHECK(why.holders_in_all == 40);
  CHECK(why.holders.size() == ExplanationResponse::holders_shown_max);
}
