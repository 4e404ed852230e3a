// The present executors of one application: scheduling/master/application_executors.hpp.

#include "scheduling/master/application_executors.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

Executor executor(int id, const std::string& host = "h", int cores = 2) {
  Executor result;
  result.stored.app_id = AppId{"app"};
  result.stored.exec_id = id;
  result.stored.host = host;
  result.stored.cores = cores;
  result.worker = WorkerKey{static_cast<std::uint32_t>(host.back())};
  return result;
}

} // namespace

TEST_CASE("cores are those of the present executors", "[owners]") {
  ApplicationExecutors x;
  x.add(executor(0));
  x.add(executor(1, "h", 3));
  CHECK(x.cores() == 5);
  CHECK(x.count() == 2);
  CHECK(x.next_id() == 2);
  CHECK(x.remove(0).stored.exec_id == 0);
  CHECK(x.cores() == 3);
  CHECK(x.find(0) == nullptr);
  CHECK(x.next_id() == 2);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("an executor is launching until it runs", "[owners]") {
  ApplicationExecutors x;
  x.add(executor(0));
  CHECK(x.find(0)->stored.state == ExecutorState::LAUNCHING);
  x.set_running(0, Instant{5ms});
  CHECK(x.find(0)->stored.state == ExecutorState::RUNNING);
  CHECK(x.find(0)->stored.running_since == Instant{5ms});
}

TEST_CASE("executors on preferred hosts are counted, whenever those are named",
          "[owners]") {
  ApplicationExecutors x;
  x.add(executor(0, "h1"));
  x.prefer({{"h1", 2}, {"h2", 1}});
  CHECK(x.on_preferred_host("h1") == 1);
  CHECK(x.on_preferred_host("h2") == 0);
  x.add(executor(1, "h2"));
  CHECK(x.on_preferred_host("h2") == 1);
  (void)x.remove(0);
  CHECK(x.on_preferred_host("h1") == 0);
  CHECK_FALSE(x.invariant_violation());
}
