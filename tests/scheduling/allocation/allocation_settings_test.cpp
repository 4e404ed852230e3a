// spark.dynamicAllocation.* and what belongs to it: values, defaults, and what must not
// be, as Spark has it.

#include "scheduling/allocation/allocation_settings.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Texts = std::map<std::string, std::string>;

/// Names without a dot are those of dynamic allocation.
std::string full_name(const std::string& name) {
  return name.starts_with("spark.") ? name : "spark.dynamicAllocation." + name;
}

Result<AllocationSettings> read(const Texts& texts) {
  Texts full;
  for (const auto& [name, value] : texts)
    full[full_name(name)] = value;
  return read_allocation_settings(full);
}

AllocationSettings taken(const Texts& texts) {
  auto result = read(texts);
  REQUIRE(result);
  return *result;
}

std::string problem_with(const Texts& texts) {
  auto result = read(texts);
  return result ? "nothing" : result.error().message;
}

} // namespace

TEST_CASE("what is not set is as in Spark", "[allocation]") {
  auto x = taken({});
  CHECK_FALSE(x.enabled);
  CHECK(x.min_executors == 0);
  CHECK(x.max_executors == 2'147'483'647);
  CHECK(initial_target(x) == 0);
  CHECK(x.ratio == 1);
  CHECK(x.backlog_timeout == 1s);
  CHECK_FALSE(x.sustained_backlog_timeout);
  CHECK(x.idle_timeout == 60s);
  CHECK_FALSE(x.cached_idle_timeout);
  CHECK(slots(x) == 1);
}

TEST_CASE("each setting is taken by Spark's name", "[allocation]") {
  auto x = taken({{"enabled", "true"},
                  {"minExecutors", "2"},
                  {"maxExecutors", "2147483647"},
                  {"initialExecutors", "5"},
                  {"executorAllocationRatio", "0.25"},
                  {"schedulerBacklogTimeout", "2s"},
                  {"sustainedSchedulerBacklogTimeout", "3"},
                  {"executorIdleTimeout", "1m"},
                  {"cachedExecutorIdleTimeout", "1h"},
                  {"shuffleTracking.enabled", "true"},
                  {"shuffleTracking.timeout", "-1ms"},
                  {"spark.shuffle.service.enabled", "false"},
                  {"spark.executor.instances", "7"},
                  {"spark.executor.cores", "5"},
                  {"spark.task.cpus", "2"}});
  CHECK(x.enabled);
  CHECK(x.min_executors == 2);
  CHECK(x.max_executors == 2'147'483'647);
  CHECK(x.initial_executors == 5);
  CHECK(x.executor_instances == 7);
  CHECK(x.ratio == 0.25);
  CHECK(x.backlog_timeout == 2s);
  CHECK(x.sustained_backlog_timeout == 3s);
  CHECK(x.idle_timeout == 1min);
  CHECK(x.cached_idle_timeout == 1h);
  CHECK(slots(x) == 2);
}

TEST_CASE("the names of the settings are sorted, and each is taken",
          "[allocation]") {
  auto names = allocation_setting_names();
  CHECK(names.size() == 15);
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (const auto& name : names) {
    INFO(name);
    AllocationSettings x;
    CHECK(set_allocation(x, name, "no value").has_value());
    auto flag = set_allocation(x, name, "true");
    auto number = set_allocation(x, name, "1");
    CHECK(flag.has_value() != number.has_value());
  }
}

TEST_CASE("the start is the largest of three settings, whatever the most is",
          "[allocation]") {
  CHECK(
      initial_target(taken({{"minExecutors", "6"}, {"initialExecutors", "2"}}))
      == 6);
  CHECK(initial_target(taken({{"minExecutors", "1"},
                              {"initialExecutors", "2"},
                              {"spark.executor.instances", "7"}}))
        == 7);
  CHECK(
      initial_target(taken({{"maxExecutors", "4"}, {"initialExecutors", "9"}}))
      == 9);
  CHECK(initial_target(taken({{"initialExecutors", "-3"}})) == 0);
}

TEST_CASE("numbers and words are taken as Spark takes them", "[allocation]") {
  CHECK(taken({{"minExecutors", " +3 "}}).min_executors == 3);
  CHECK(taken({{"minExecutors", "007"}}).min_executors == 7);
  CHECK(taken({{"enabled", " TRUE "}}).enabled);
  CHECK(taken({{"executorAllocationRatio", "1e-1"}}).ratio == 0.1);
  CHECK(taken({{"executorAllocationRatio", "+.5"}}).ratio == 0.5);
}

TEST_CASE("times are cut to whole seconds", "[allocation]") {
  CHECK(taken({{"schedulerBacklogTimeout", "1999ms"}}).backlog_timeout == 1s);
  CHECK(taken({{"executorIdleTimeout", "999ms"}}).idle_timeout == 0s);
  // Below 0, but not by a whole second.
  CHECK(taken({{"executorIdleTimeout", "-999ms"}}).idle_timeout == 0s);
  CHECK(taken({{"cachedExecutorIdleTimeout", "2147483647"}}).cached_idle_timeout
        == std::chrono::seconds{2'147'483'647});
  // A hundred years are as good as any more.
  CHECK(taken({{"cachedExecutorIdleTimeout", "9223372036854775807s"}})
            .cached_idle_timeout
        == std::chrono::hours{876'000});
}

TEST_CASE("what is no value is refused in one line", "[allocation]") {
  const std::pair<const char*, std::vector<const char*>> cases[]{
      {"minExecutors",
       {"", "one", "1.0", "1s", "+-1", "2147483648", "-2147483649", "1 0"}},
      {"maxExecutors", {"2147483648", "infinity", "99999999999999999999"}},
      {"initialExecutors", {"4294967296", "0x10"}},
      {"executorAllocationRatio", {"", "half", "NaN", "-0.1", "50%"}},
      {"schedulerBacklogTimeout", {"", "1.5s", "1 s", "soon", "1sec", "+1s"}},
      {"executorIdleTimeout", {"never", "1w", "9223372036854775808"}},
      {"enabled", {"", "yes", "1"}},
      {"shuffleTracking.enabled", {"maybe"}},
      {"shuffleTracking.timeout", {"never"}},
      {"spark.shuffle.service.enabled", {"maybe"}},
      {"spark.executor.instances", {"many"}},
      {"spark.executor.cores", {"2147483648"}},
      {"spark.task.cpus", {"0.5"}}};
  for (const auto& [name, values] : cases)
    for (const auto* value : values) {
      INFO(name << " = " << value);
      auto problem = problem_with({{name, value}});
      CHECK(problem.starts_with(full_name(name) + " is '" + value
                                + "', which is not "));
      CHECK(problem.find('\n') == std::string::npos);
    }
}

TEST_CASE("settings that must not be are refused as Spark refuses them",
          "[allocation]") {
  const std::pair<Texts, const char*> cases[]{
      {{{"minExecutors", "-1"}},
       "spark.dynamicAllocation.minExecutors is below 0"},
      {{{"maxExecutors", "0"}},
       "spark.dynamicAllocation.maxExecutors is below 1"},
      {{{"maxExecutors", "-1"}},
       "spark.dynamicAllocation.maxExecutors is below 1"},
      {{{"minExecutors", "5"}, {"maxExecutors", "4"}},
       "spark.dynamicAllocation.minExecutors is above "
       "spark.dynamicAllocation.maxExecutors"},
      {{{"schedulerBacklogTimeout", "0"}},
       "spark.dynamicAllocation.schedulerBacklogTimeout is below 1 s"},
      {{{"schedulerBacklogTimeout", "999ms"}},
       "spark.dynamicAllocation.schedulerBacklogTimeout is below 1 s"},
      {{{"sustainedSchedulerBacklogTimeout", "-1"}},
       "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout is below 1 s"},
      {{{"executorIdleTimeout", "-1"}},
       "spark.dynamicAllocation.executorIdleTimeout is below 0"},
      {{{"cachedExecutorIdleTimeout", "-1"}},
       "spark.dynamicAllocation.cachedExecutorIdleTimeout is below 0"},
      {{{"executorAllocationRatio", "0"}},
       "spark.dynamicAllocation.executorAllocationRatio is not above 0 and at "
       "most 1"},
      {{{"executorAllocationRatio", "1.01"}},
       "spark.dynamicAllocation.executorAllocationRatio is not above 0 and at "
       "most 1"},
      {{{"spark.task.cpus", "0"}}, "spark.task.cpus is below 1"},
      {{{"spark.executor.cores", "2"}, {"spark.task.cpus", "3"}},
       "spark.executor.cores is below spark.task.cpus: no task could run"},
      {{{"minExecuters", "1"}},
       "spark.dynamicAllocation.minExecuters is not a setting of dynamic "
       "allocation"}};
  for (const auto& [texts, problem] : cases)
    CHECK(problem_with(texts) == problem);
}

TEST_CASE("the borders of what may be set are taken", "[allocation]") {
  CHECK(problem_with({{"minExecutors", "4"}, {"maxExecutors", "4"}})
        == "nothing");
  CHECK(problem_with({{"executorIdleTimeout", "0"}}) == "nothing");
  CHECK(problem_with({{"cachedExecutorIdleTimeout", "0"}}) == "nothing");
  CHECK(problem_with({{"executorAllocationRatio", "1.0"}}) == "nothing");
  CHECK(problem_with({{"spark.executor.cores", "2"}, {"spark.task.cpus", "2"}})
        == "nothing");
}
