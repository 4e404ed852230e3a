// The assignment step alone, where its figures are small, negative or huge.

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "scheduling/placement/placement.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

constexpr int unlimited = std::numeric_limits<int>::max();
constexpr auto huge = std::numeric_limits<std::int64_t>::max();

using Cores = std::vector<int>;

struct Row {
  const char* description;
  ExecutorDemand demand;
  std::vector<FreeResources> workers;
  Cores spread_out;
  Cores consolidated;
};

} // namespace

TEST_CASE("cores are given in whole portions, within all limits",
          "[scheduling]") {
  auto row = GENERATE(values<Row>({
      {"nobody to give", {1, 100, 10, 10}, {}, {}, {}},
      {"nothing wanted", {1, 100, 0, 10}, {{4, 400}}, {0}, {0}},
      {"more given than allowed", {1, 100, -3, 10}, {{4, 400}}, {0}, {0}},
      {"no executors allowed", {1, 100, 10, 0}, {{4, 400}}, {0}, {0}},
      {"more executors than allowed", {1, 100, 10, -2}, {{4, 400}}, {0}, {0}},
      {"just enough of all", {4, 400, 4, 1}, {{4, 400}}, {4}, {4}},
      {"a core short", {4, 400, 4, 1}, {{3, 400}}, {0}, {0}},
      {"a megabyte short", {4, 400, 4, 1}, {{4, 399}}, {0}, {0}},
      {"less wanted than a portion", {4, 400, 3, 1}, {{4, 400}}, {0}, {0}},
      {"memory for two of three",
       {1, 100, 10, 10},
       {{3, 299}, {3, 100}},
       {2, 1},
       {2, 1}},
      {"one wide executor needs memory once",
       {{}, 100, 10, 10},
       {{3, 100}, {3, 99}},
       {3, 0},
       {3, 0}},
      {"one executor allowed, and it may be wide",
       {{}, 100, 5, 1},
       {{4, 400}, {4, 400}},
       {4, 0},
       {4, 0}},
      {"in turn, or one after the other",
       {2, 100, 8, unlimited},
       {{6, 900}, {6, 900}, {6, 900}},
       {4, 2, 2},
       {6, 2, 0}},
      {"memory beyond counting",
       {1, huge, unlimited, unlimited},
       {{2, huge}},
       {1},
       {1}},
  }));
  INFO(row.description);
  CHECK(assign_cores(row.demand, row.workers, true) == row.spread_out);
  CHECK(assign_cores(row.demand, row.workers, false) == row.consolidated);
}

TEST_CASE("the sum of all free cores may be larger than a number",
          "[scheduling]") {
  // 4 portions of 2^30 are wanted by nobody, one is.
  std::vector<FreeResources> workers(4, FreeResources{1 << 30, 1000});
  ExecutorDemand demand{1 << 30, 10, unlimited, unlimited};
  CHECK(assign_cores(demand, workers, true) == Cores{1 << 30, 0, 0, 0});
}

TEST_CASE("an application's workers are bounded by its portions and limit",
          "[scheduling]") {
  CHECK(workers_needed({2, 100, 12, unlimited}) == 6);
  CHECK(workers_needed({2, 100, 13, 4}) == 4);
  CHECK(workers_needed({{}, 100, 5, unlimited}) == 5);
  CHECK(workers_needed({{}, 100, 5, -1}) == 0);
  CHECK(workers_needed({4, 100, 3, 9}) == 0);
  CHECK(workers_needed({4, 100, -3, 9}) == 0);
}

TEST_CASE("assigned cores make executors of the wanted size", "[scheduling]") {
  CHECK(executors_in({2, 100, 12, 9}, 6) == 3);
  CHECK(executors_in({{}, 100, 12, 9}, 6) == 1);
}
