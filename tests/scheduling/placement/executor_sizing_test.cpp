// How large executors are: scheduling/placement/executor_sizing.hpp.

#include "scheduling/placement/executor_sizing.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

struct Free {
  int cores = 0;
  std::int64_t memory_mb = 0;
};

FreeCensus census_of(const std::vector<Free>& workers) {
  FreeCensus result{{4, 2048}};
  for (std::uint32_t i = 0; i < workers.size(); ++i)
    result.set(i, workers[i].cores, workers[i].memory_mb);
  return result;
}

constexpr std::int64_t gb = 1024;

} // namespace

TEST_CASE("an executor gets more cores when most workers have them and the "
          "application is large",
          "[sizing]") {
  struct Row {
    std::vector<Free> workers;
    int request = 0;
    int cores = 0;
  };
  auto row = GENERATE(values<Row>({
      // Nobody could run it now.
      {{}, 100, 4},
      {{{3, 64 * gb}, {16, 2047}}, 100, 4},
      // Half is not most.
      {{{8, 64 * gb}, {7, 64 * gb}}, 1000, 4},
      {{{8, 64 * gb}, {8, 64 * gb}, {7, 64 * gb}}, 1000, 8},
      // Large is at least that much for each usable worker.
      {{{8, 64 * gb}, {8, 64 * gb}, {4, 64 * gb}}, 24, 8},
      {{{8, 64 * gb}, {8, 64 * gb}, {4, 64 * gb}}, 23, 4},
      // What is not usable does not count.
      {{{8, 64 * gb}, {3, 64 * gb}, {16, 1 * gb}}, 8, 8},
      {{{16, 64 * gb}, {16, 64 * gb}}, 31, 8},
      {{{16, 64 * gb}, {16, 64 * gb}}, 32, 16},
      // Never more than 16.
      {{{64, 64 * gb}}, 1000, 16},
      // Never more than it asks for.
      {{{16, 64 * gb}}, 3, 3},
      {{}, 1, 1},
  }));
  CAPTURE(row.request, row.workers.size());
  CHECK(size_executor(census_of(row.workers), row.request, {}).cores
        == row.cores);
}

TEST_CASE("a task's memory counts for each core", "[sizing]") {
  auto census = census_of({{16, 64 * gb}});
  CHECK(size_executor(census, 16, 100) == ExecutorSize{16, 1600});
  CHECK(size_executor(census, 2, 3000) == ExecutorSize{2, 6000});
}

TEST_CASE("without it, it is 512 MB, or 256 MB where memory is scarce",
          "[sizing]") {
  struct Row {
    std::vector<Free> workers;
    int request = 0;
    ExecutorSize size;
  };
  auto row = GENERATE(values<Row>({
      {{}, 8, {4, 2048}},
      {{{16, 4 * gb}}, 16, {16, 4096}},
      {{{16, 4 * gb + 1}}, 16, {16, 8192}},
      {{{16, 64 * gb}, {16, 4 * gb}}, 32, {16, 4096}},
      // Only workers with enough cores matter.
      {{{16, 64 * gb}, {16, 64 * gb}, {15, 2 * gb}}, 48, {16, 8192}},
      {{{8, 2 * gb}}, 8, {8, 2048}},
      {{{4, 2 * gb}}, 8, {4, 2048}},
      {{{8, 2 * gb}}, 3, {3, 1536}},
  }));
  CAPTURE(row.request, row.workers.size());
  CHECK(size_executor(census_of(row.workers), row.request, {}) == row.size);
}

TEST_CASE("the census follows its workers", "[sizing]") {
  auto census = census_of({{16, 4 * gb}, {8, 3 * gb}});
  CHECK(census.usable() == 2);
  CHECK(census.usable(8) == 2);
  CHECK(census.usable(16) == 1);
  CHECK(census.least_memory_mb(8) == 3 * gb);
  CHECK(census.least_memory_mb(16) == 4 * gb);
  census.set(1, 16, 2 * gb);
  CHECK(census.usable(16) == 2);
  CHECK(census.least_memory_mb(16) == 2 * gb);
  census.set(1, 16, 1 * gb);
  CHECK(census.usable() == 1);
  census.erase(0);
  census.erase(0);
  census.erase(7);
  CHECK(census.usable() == 0);
  CHECK(!census.least_memory_mb(4));
}

TEST_CASE("a smallest executor of more than 8 cores leaves out 8", "[sizing]") {
  FreeCensus census{{12, 2048}};
  census.set(0, 12, 64 * gb);
  CHECK(size_executor(census, 100, 1).cores == 12);
  census.set(0, 16, 64 * gb);
  CHECK(size_executor(census, 100, 1).cores == 16);
}
