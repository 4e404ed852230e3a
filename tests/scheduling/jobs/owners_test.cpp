// The owners of a job scheduler's state.

#include <map>
#include <set>

#include "scheduling/common/random.hpp"
#include "scheduling/jobs/job_executors.hpp"
#include "scheduling/jobs/locality_wait.hpp"
#include "scheduling/jobs/run_times.hpp"
#include "scheduling/jobs/stage_outputs.hpp"
#include "scheduling/jobs/task_set.hpp"
#include "tests/scheduling/jobs/job_trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

constexpr Instant now = from_ms(1'000'000);

std::vector<std::vector<TaskPlace>> random_places(Random& random, int tasks) {
  std::vector<std::vector<TaskPlace>> result;
  for (int task = 0; task < tasks; ++task) {
    auto& places = result.emplace_back();
    for (auto n = random.below(3); n > 0; --n) {
      TaskPlace place{"h" + std::to_string(random.below(3)), {}};
      if (random.below(2) == 0)
        place.exec_id = static_cast<int>(random.below(3));
      places.push_back(place);
    }
  }
  return result;
}

} // namespace

// -- pending tasks ------------------------------------------------------------

TEST_CASE("each pending task is found by its places, and once",
          "[jobs][property]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    auto tasks = 1 + static_cast<int>(random.below(12));
    auto listed = random.below(4) == 0 ? std::vector<std::vector<TaskPlace>>{}
                                       : random_places(random, tasks);
    TaskPlaces places{listed};
    PendingTasks pending{tasks, places};
    std::set<int> expected;
    for (int task = 0; task < tasks; ++task)
      expected.insert(task);
    auto has = [&](int task, auto&& is_there) {
      auto of = places.of(task);
      return std::any_of(of.begin(), of.end(), is_there);
    };
    for (int i = 0; i < 100; ++i) {
      auto host = "h" + std::to_string(random.below(3));
      auto exec_id = static_cast<int>(random.below(3));
      auto on_host = [&](const TaskPlace& place) { return place.host == host; };
      auto in_process
          = [&](const TaskPlace& place) { return place.exec_id == exec_id; };
      auto some = [&](auto&& f) {
        return std::any_of(expected.begin(), expected.end(), f);
      };
      auto some_on_host = some([&](int task) { return has(task, on_host); });
      auto some_in_process
          = some([&](int task) { return has(task, in_process); });
      CHECK(pending.wants_host(host) == some_on_host);
      CHECK(pending.wants_process(exec_id) == some_in_process);
      std::optional<int> taken;
      switch (random.below(5)) {
      case 0:
        taken = pending.take_on_host(host);
        CHECK(taken.has_value() == some_on_host);
        CHECK((!taken || has(*taken, on_host)));
        break;
      case 1:
        taken = pending.take_for_process(exec_id);
        CHECK(taken.has_value() == some_in_process);
        CHECK((!taken || has(*taken, in_process)));
        break;
      case 2:
        taken = pending.take_unplaced();
        CHECK(taken.has_value()
              == some([&](int task) { return places.of(task).empty(); }));
        break;
      case 3:
        taken = pending.take_anywhere();
        CHECK(taken.has_value() == !expected.empty());
        break;
      default: {
        auto task
            = static_cast<int>(random.below(static_cast<std::size_t>(tasks)));
        CHECK(pending.contains(task) == expected.contains(task));
        if (expected.insert(task).second)
          pending.add(task, places.of(task));
      }
      }
      if (taken)
        CHECK(expected.erase(*taken) == 1);
      CHECK(pending.size() == static_cast<int>(expected.size()));
    }
  }
}

// -- task set -----------------------------------------------------------------

TEST_CASE("the first of two attempts that finishes counts", "[jobs]") {
  auto first = GENERATE(0, 1);
  TaskSet tasks{1, {}};
  CHECK(tasks.waiting().take_anywhere() == 0);
  CHECK(tasks.begin(0, 10) == 0);
  CHECK(tasks.begin_second(0, 11) == 1);
  auto other = tasks.finish(0, first);
  REQUIRE(other);
  CHECK(other->attempt == 1 - first);
  CHECK(other->exec_id == 11 - first);
  CHECK(tasks.is_done(0));
  CHECK_FALSE(tasks.is_live(0, 0));
  CHECK_FALSE(tasks.is_live(0, 1));
}

TEST_CASE("a task is tried again when no attempt is left", "[jobs]") {
  TaskSet tasks{1, {}};
  CHECK(tasks.waiting().take_anywhere() == 0);
  CHECK(tasks.begin(0, 10) == 0);
  CHECK(tasks.begin_second(0, 11) == 1);
  CHECK(tasks.fail(0, 0, 10, "h", now) == 1);
  CHECK(tasks.pending() == 0);
  CHECK(tasks.fail(0, 1, 11, "h", now) == 2);
  CHECK(tasks.pending() == 1);
  CHECK(tasks.failure_places(0)->on_host("h") == 2);
  auto begun = tasks.begin_retry(0, 12);
  CHECK(begun.attempt == 2);
  CHECK_FALSE(tasks.finish(0, 2));
  CHECK(tasks.done() == 1);
  tasks.redo(0);
  CHECK(tasks.done() == 0);
  CHECK(tasks.waiting().take_anywhere() == 0);
  CHECK(tasks.begin(0, 10) == 3);
}

TEST_CASE("a million tasks take a few bytes each", "[jobs]") {
  constexpr int million = 1'000'000;
  TaskSet tasks{million, {}};
  // Each runs and ends: nothing of it is left but its four bytes.
  for (int i = 0; i < million; ++i) {
    auto task = tasks.waiting().take_anywhere();
    REQUIRE(task == i);
    REQUIRE_FALSE(tasks.finish(*task, tasks.begin(*task, 0)));
  }
  CHECK(tasks.done() == million);
  CHECK(tasks.live().empty());
}

// -- executors ----------------------------------------------------------------

TEST_CASE("tasks begin in order, as soon as there are cores", "[jobs]") {
  JobExecutors executors;
  executors.add(executor(1, 4), 0);
  auto assign = [&](int task, int cores) {
    executors.assign(1, {StageId{0}, task, 0}, cores, now);
  };
  assign(0, 3);
  assign(1, 2);
  assign(2, 1);
  const auto& x = *executors.find(1);
  CHECK(x.used_cores == 3);
  CHECK(x.waiting == 2);
  CHECK(x.free_cores() == 0);
  auto ended = executors.end(1, {StageId{0}, 0, 0}, now + 1s);
  REQUIRE(ended);
  CHECK(ended->since == now);
  CHECK(x.used_cores == 3);
  CHECK(x.waiting == 0);
  CHECK(x.assigned[0].since == now + 1s);
  CHECK_FALSE(executors.end(1, {StageId{0}, 0, 0}, now));
  CHECK_FALSE(executors.end(2, {StageId{0}, 1, 0}, now));
  CHECK(executors.end(1, {StageId{0}, 2, 0}, now));
  CHECK(x.free_cores() == 2);
}

TEST_CASE("executors that leave cannot have less than no time", "[jobs]") {
  JobsConfig config;
  config.leaving.force_kill_timeout = 0s;
  config.leaving.kill_interval = 0s;
  CHECK(validate(config));
  config.leaving.kill_interval = -1s;
  CHECK_FALSE(validate(config));
  config.leaving.kill_interval.reset();
  config.leaving.force_kill_timeout = -1s;
  CHECK_FALSE(validate(config));
}

TEST_CASE("an executor that is to leave is found again when it is kept",
          "[jobs]") {
  JobExecutors executors;
  executors.add(executor(1, 2), 0);
  executors.assign(1, {StageId{0}, 0, 0}, 1, now);
  executors.leave(1, now, "it is not needed");
  CHECK(executors.available() == 0);
  CHECK(executors.available_on("h1") == 0);
  CHECK(executors.by_waiting().empty());
  CHECK(executors.changed().empty());
  // What runs there goes on, and ends.
  CHECK(executors.end(1, {StageId{0}, 0, 0}, now));
  CHECK(executors.available() == 0);
  executors.keep(1);
  CHECK(executors.by_free_cores().begin()->free_cores == 2);
  CHECK(executors.available_on("h1") == 1);
  CHECK(executors.changed().contains(1));
  executors.leave(1, now, "it is not needed");
  executors.disconnect(1, now);
  CHECK(executors.available() == 0);
  CHECK(executors.remove(1).empty());
  CHECK(executors.available_on("h1") == 0);
}

TEST_CASE("executors are found by their free cores while they are connected",
          "[jobs]") {
  JobExecutors executors;
  executors.add(executor(1, 2), 0);
  executors.add(executor(2, 4, "h2"), 0);
  CHECK(executors.by_free_cores().begin()->exec_id == 2);
  executors.assign(2, {StageId{0}, 0, 0}, 3, now);
  CHECK(executors.by_free_cores().begin()->exec_id == 1);
  executors.disconnect(1, now);
  CHECK(executors.by_free_cores().begin()->exec_id == 2);
  CHECK(executors.available() == 1);
  CHECK(executors.available_on("h1") == 0);
  auto had = executors.remove(2);
  CHECK(had.size() == 1);
  CHECK(executors.by_free_cores().empty());
  CHECK(executors.available() == 0);
}

// -- outputs ------------------------------------------------------------------

TEST_CASE("readers share a list of outputs until it changes", "[jobs]") {
  OutputServers servers;
  auto a = servers.number_of(executor(1, 1, "a"));
  auto b = servers.number_of(executor(2, 1, "b"));
  CHECK(servers.number_of(executor(3, 1, "a")) == a);
  CHECK(servers.of(WorkerId{"w-b"}) == std::vector<int>{b});
  StageOutputTable outputs{2};
  StageId stage{3};
  outputs.add({stage, 0, 0}, b);
  outputs.add({stage, 1, 2}, b);
  CHECK(outputs.missing() == 0);
  auto message = outputs.to_message(stage, servers);
  CHECK(message == outputs.to_message(stage, servers));
  // Only those that are needed, by numbers of their own.
  REQUIRE(message->servers.size() == 1);
  CHECK(message->servers[0].host == "b");
  CHECK(message->places[1] == OutputPlace{0, 2});
  auto version = outputs.version();
  CHECK_FALSE(outputs.server_of({stage, 1, 1}));
  CHECK(outputs.lose({stage, 1, 2}) == 1);
  CHECK(outputs.version() != version);
  CHECK(outputs.missing() == 1);
  CHECK(outputs.lose_server(a).empty());
  CHECK(outputs.lose_server(b) == std::vector<int>{0});
  outputs.add({stage, 1, 3}, a);
  CHECK(outputs.lose({stage, 1, 3}) == 2);
}

// -- time ---------------------------------------------------------------------

TEST_CASE("a slot stays free for each level of places in turn", "[jobs]") {
  JobsConfig config;
  LocalityWait wait;
  LocalityWait::Wanted both{true, true};
  CHECK(wait.allowed(now, config, both) == Locality::process);
  wait.refused(now);
  wait.refused(now + 1s);
  CHECK(wait.next(now, config) == now + 3s);
  CHECK(wait.allowed(now + 3s - 1ms, config, both) == Locality::process);
  CHECK(wait.allowed(now + 3s, config, both) == Locality::host);
  CHECK(wait.next(now + 3s, config) == now + 6s);
  CHECK(wait.allowed(now + 6s - 1ms, config, both) == Locality::host);
  CHECK(wait.allowed(now + 6s, config, both) == Locality::any);
  CHECK(wait.next(now + 6s, config) == std::nullopt);
  // Nobody waits for places that no task wants.
  CHECK(wait.allowed(now + 3s, config, {false, true}) == Locality::any);
  CHECK(wait.allowed(now, config, {}) == Locality::any);
}

TEST_CASE("the median of run times is exact to a sixteenth",
          "[jobs][property]") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    auto most = std::size_t{1} << random.below(25);
    RunTimes times;
    std::multiset<std::int64_t> all;
    auto count = 1 + random.below(50);
    for (std::size_t i = 0; i < count; ++i) {
      auto ms = static_cast<std::int64_t>(random.below(most));
      all.insert(ms);
      times.add(Duration{ms});
    }
    auto middle
        = *std::next(all.begin(), static_cast<std::ptrdiff_t>((count - 1) / 2));
    CHECK(times.median().count() <= middle);
    CHECK(times.median().count() >= middle - middle / 16 - 1);
  }
}
