// Contexts without a cluster.

#include <cstdlib>

#include "jobs/context.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

ContextConfig without_master() {
  ContextConfig result;
  // Nobody listens there.
  result.master = "stoker://127.0.0.1:1";
  result.interrupted_by_signals = false;
  return result;
}

/// Where certificates of this process's own are kept.
struct StateDirectory : TemporaryDirectory {
  StateDirectory() {
    ::setenv("XDG_STATE_HOME", path("").c_str(), 1);
  }
  ~StateDirectory() {
    ::unsetenv("XDG_STATE_HOME");
  }
};

} // namespace

TEST_CASE("a context that ends at once ends in order, whatever it had begun") {
  StateDirectory directory;
  // It looks for a master on another thread meanwhile.
  for (auto i = 0; i < 100; ++i)
    CHECK(Context::start(without_master()));
}

TEST_CASE("jobs of a context that finds no master fail, and say so") {
  StateDirectory directory;
  auto config = without_master();
  config.patience = std::chrono::milliseconds{1};
  auto context = Context::start(config);
  REQUIRE(context);
  auto numbers = (*context)->range(0, 10, 2);
  auto count = numbers.count();
  REQUIRE(!count);
  CHECK(count.code() == Errc::not_alive);
  context->reset();
  CHECK(numbers.count().code() == Errc::not_alive);
}

TEST_CASE("a context that is interrupted has no jobs any more") {
  StateDirectory directory;
  auto context = Context::start(without_master());
  REQUIRE(context);
  (*context)->interrupt("enough");
  auto count = (*context)->range(0, 10, 2).count();
  REQUIRE(!count);
  CHECK(count.error().message == "enough");
}

TEST_CASE("settings of a context that are wrong are named") {
  StateDirectory directory;
  auto refusal = [](const std::string& name, const std::string& value) {
    auto config = without_master();
    config.conf[name] = value;
    auto context = Context::start(config);
    return context ? "" : context.error().message;
  };
  CHECK(refusal("spark.executor.cores", "many")
        == "conf: spark.executor.cores is 'many', which is not a whole number");
  CHECK(
      refusal("spark.default.parallelism", "0")
      == "conf: spark.default.parallelism is '0', which is not a whole number "
         "above 0");
  for (const auto* value : {"0", "1.1", "-1", "nan", "half", "0.5x", ""})
    CHECK(refusal("spark.memory.fraction", value)
          == std::string{"conf: spark.memory.fraction is '"} + value
                 + "', which is not a number above 0 and up to 1, as 0.6");
  CHECK(refusal("spark.executor.colour", "red").find("spark.executor.colour")
        != std::string::npos);
  auto config = without_master();
  config.conf = {{"spark.executor.cores", "1"}, {"spark.task.cpus", "2"}};
  auto context = Context::start(config);
  REQUIRE(!context);
  CHECK(context.error().message
        == "a task needs 2 cores, and an executor has 1: set "
           "spark.executor.cores");
}
