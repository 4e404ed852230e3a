// Which configurations are refused, and that it is said in users' words.

#include <functional>

#include "scheduling/master/config.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/problem.hpp"

using namespace stoker;
using namespace std::chrono_literals;

TEST_CASE("the defaults are Spark's, and valid", "[scheduling]") {
  ClusterConfig config;
  CHECK(validate(config));
  CHECK(config.spread_out);
  CHECK(!config.default_cores);
  CHECK(config.worker_timeout == 60s);
  CHECK(config.dead_worker_persistence == 15);
  CHECK(config.max_executor_retries == 10);
  CHECK(config.retained_applications == 200);
  CHECK(config.retained_drivers == 200);
}

TEST_CASE("a value that cannot be is named as users write it", "[scheduling]") {
  struct Row {
    std::function<void(ClusterConfig&)> change;
    std::string problem;
  };
  auto row = GENERATE(values<Row>({
      {[](auto& x) { x.default_cores = 0; },
       "spark.deploy.defaultCores must be greater than 0"},
      {[](auto& x) { x.default_cores = 1; }, ""},
      {[](auto& x) { x.worker_timeout = 0ms; },
       "spark.worker.timeout must be greater than 0"},
      {[](auto& x) { x.worker_timeout = 1ms; }, ""},
      {[](auto& x) { x.reconnect_timeout = -1ms; },
       "stoker.reconnect.timeout must not be negative"},
      {[](auto& x) { x.reconnect_timeout = 0ms; }, ""},
      {[](auto& x) { x.dead_worker_persistence = -1; },
       "spark.dead.worker.persistence must not be negative"},
      {[](auto& x) { x.dead_worker_persistence = 0; }, ""},
      {[](auto& x) { x.retained_executors = -1; },
       "retained numbers must not be negative"},
      {[](auto& x) { x.max_executor_retries = -1; }, ""},
  }));
  ClusterConfig config;
  row.change(config);
  CHECK(test::problem_in(validate(config)) == row.problem);
}
