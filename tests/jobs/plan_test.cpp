// Graphs of datasets, cut into stages.

#include "jobs/codec.hpp"
#include "jobs/datasets.hpp"
#include "jobs/plan.hpp"
#include "tests/jobs/memory_runner.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

struct PlanTest {
  std::shared_ptr<MemoryRunner> runner = std::make_shared<MemoryRunner>();
  Datasets datasets{runner};
  std::int32_t jobs = 0;

  template <class T>
  std::shared_ptr<const PlannedJob> plan(const Dataset<T>& x, int first = 0,
                                         int partitions = 0,
                                         StageId result = StageId{100}) {
    Action action;
    action.what = "collect";
    action.name = registered<Collect<T>>();
    action.state = to_bytes(std::uint64_t{10});
    action.first_partition = first;
    action.partitions = partitions > 0 ? partitions : x.partitions();
    auto planned = plan_job(*x.node(), action, JobId{jobs++}, result, settings);
    REQUIRE(planned);
    return *std::move(planned);
  }

  PlanSettings settings{2, 3, 5, "fast"};
};

/// "0: a, b (4 tasks)" and "1: c (2 tasks) <- 0 0" for each stage.
std::string shape(const JobSpec& job) {
  std::string result;
  for (const auto& stage : job.stages) {
    result += to_string(stage.id) + ": " + stage.name + " ("
              + std::to_string(stage.tasks) + ')';
    for (const auto& read : stage.reads)
      result += " <- " + to_string(read.stage);
    result += '\n';
  }
  return result;
}

TaskInputs inputs_of(const PlannedJob& job, StageId stage, int task) {
  auto result
      = from_bytes<TaskInputs>(job.describe(TaskAttempt{stage, task, 0}).text);
  REQUIRE(result);
  return *result;
}

StageProgram program_of(const PlannedJob& job, StageId stage) {
  auto result
      = from_bytes<StageProgram>(job.describe(stage).function->argument);
  REQUIRE(result);
  return *result;
}

constexpr auto to_pair = [](std::int64_t x) { return std::pair{x % 3, x}; };
constexpr auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
constexpr auto same = [](auto x) { return x; };

} // namespace

TEST_CASE_METHOD(PlanTest, "operations without a shuffle are one stage") {
  auto job = plan(
      datasets.range(0, 9, 3).map(same).filter([](auto) { return true; }));
  CHECK(shape(job->job()) == "100: range, map, filter, collect (3)\n");
  const auto& stage = job->job().stages.front();
  CHECK(stage.is_result);
  CHECK(stage.cores == 2);
  CHECK(stage.max_failures == 3);
  CHECK(job->job().pool == "fast");
  CHECK(validate(job->job()));
  auto described = job->describe(StageId{100});
  CHECK(described.function->name == stage_function_name);
  CHECK(described.output == TaskOutputKind::result);
  auto program = program_of(*job, StageId{100});
  REQUIRE(program.nodes.size() == 4);
  CHECK(program.nodes[3].parents == std::vector<std::uint32_t>{2});
}

TEST_CASE_METHOD(PlanTest, "stages are cut at shuffles") {
  auto sums = datasets.range(0, 9, 3).map(to_pair).reduce_by_key(plus, 2);
  auto again = sums.map([](const auto& x) {
                     return std::pair{x.second, x.first};
                   })
                   .group_by_key(5);
  auto job = plan(again);
  CHECK(shape(job->job())
        == "0: range, map (3)\n"
           "1: shuffle, reduce_by_key, map (2) <- 0\n"
           "100: shuffle, group_by_key, collect (5) <- 1\n");
  CHECK(validate(job->job()));
  auto described = job->describe(StageId{0});
  CHECK(described.output == TaskOutputKind::output);
  CHECK(described.partitions == 2);
  CHECK(!job->job().stages.front().is_result);
  CHECK(program_of(*job, StageId{100}).nodes.front().dependency == 0);
}

TEST_CASE_METHOD(PlanTest, "a stage is the same one in all jobs") {
  auto sums = datasets.range(0, 9, 3).map(to_pair).reduce_by_key(plus, 2);
  auto first = plan(sums);
  auto second = plan(sums.map(same));
  CHECK(first->job().stages.front().id == second->job().stages.front().id);
  CHECK(first->describe(StageId{0}).function->argument
        == second->describe(StageId{0}).function->argument);
  CHECK(shape(second->job())
        == "0: range, map (3)\n"
           "100: shuffle, reduce_by_key, map, collect (2) <- 0\n");
}

TEST_CASE_METHOD(PlanTest, "a shuffle that two datasets read is one stage") {
  auto pairs = datasets.range(0, 9, 3).map(to_pair).shuffle(2);
  auto job = plan(pairs.reduce_by_key(plus, 2).join(pairs));
  CHECK(shape(job->job())
        == "0: range, map (3)\n"
           "100: shuffle, reduce_by_key, join, collect (2) <- 0\n");
}

TEST_CASE_METHOD(PlanTest, "a union of shuffles needs no stage of its own") {
  auto a = datasets.range(0, 9, 3).map(to_pair).reduce_by_key(plus, 2);
  auto b = datasets.range(0, 4, 2).map(to_pair).reduce_by_key(plus, 3);
  auto job = plan(a.union_with(b));
  CHECK(shape(job->job())
        == "0: range, map (3)\n"
           "1: range, map (2)\n"
           "100: shuffle, reduce_by_key, shuffle, reduce_by_key, union, "
           "collect (5)"
           " <- 0 <- 1\n");
  CHECK(inputs_of(*job, StageId{100}, 4).partition == 4);
}

TEST_CASE_METHOD(PlanTest, "a task is told what its partition of sources is") {
  auto a = datasets.range(0, 10, 2);
  auto b = datasets.range(10, 20, 3);
  auto job = plan(a.union_with(b).coalesce(2));
  auto first = inputs_of(*job, StageId{100}, 0);
  auto second = inputs_of(*job, StageId{100}, 1);
  REQUIRE(first.sources.size() == 2);
  REQUIRE(second.sources.size() == 3);
  CHECK(from_bytes<RangeShare>(first.sources[1].data)->begin == 5);
  CHECK(second.sources[0].node == 1);
  CHECK(from_bytes<RangeShare>(second.sources[2].data)->end == 20);
}

TEST_CASE_METHOD(PlanTest,
                 "a job on some partitions has a task for each of them") {
  auto job = plan(datasets.range(0, 10, 10).map(same), 4, 3);
  CHECK(job->job().stages.front().tasks == 3);
  auto last = inputs_of(*job, StageId{100}, 2);
  CHECK(last.partition == 6);
  REQUIRE(last.sources.size() == 1);
  CHECK(from_bytes<RangeShare>(last.sources[0].data)->begin == 6);
}

TEST_CASE_METHOD(PlanTest, "a task that reads a file is given its split") {
  TemporaryDirectory directory;
  directory.write("a", "one\ntwo\n");
  TextOptions options;
  options.split_bytes = 5;
  auto lines = datasets.text_files({directory.path("a")}, options);
  REQUIRE(lines);
  auto job = plan(*lines);
  auto task = job->describe(TaskAttempt{StageId{100}, 1, 0});
  REQUIRE(task.splits.size() == 1);
  CHECK(task.splits[0].path == directory.path("a"));
  CHECK(task.splits[0].begin == 5);
  CHECK(task.splits[0].end == 8);
  CHECK(inputs_of(*job, StageId{100}, 1).sources.at(0).split == 0);
}

TEST_CASE_METHOD(PlanTest, "a long chain of shuffles is planned") {
  auto sums = datasets.range(0, 9, 2).map(to_pair).shuffle(2);
  for (auto i = 0; i < 2'000; ++i)
    sums = sums.map(same).reduce_by_key(plus, 2);
  auto job = plan(sums, 0, 0, StageId{10'000});
  CHECK(job->job().stages.size() == 2'002);
  CHECK(validate(job->job()));
}

TEST_CASE("partitions of a union are those of its parents, in order") {
  UnitedPartitions map{{2, 0, 3}};
  using Place = UnitedPartitions::Place;
  CHECK(map.at(0) == Place{0, 0});
  CHECK(map.at(1) == Place{0, 1});
  CHECK(map.at(2) == Place{2, 0});
  CHECK(map.at(4) == Place{2, 2});
  CHECK(map.at(5).parent == 3);
}

TEST_CASE("partitions that go together are neighbours, and as many as can be") {
  CoalescedPartitions map{7, 3};
  CHECK(map.begin(0) == 0);
  CHECK(map.begin(1) == 2);
  CHECK(map.begin(2) == 4);
  CHECK(map.begin(3) == 7);
}

TEST_CASE("shares of a range are even, and nothing is lost") {
  for (std::int64_t count : {0, 1, 10, 17})
    for (auto partitions : {1, 3, 16}) {
      std::int64_t next = 0;
      for (auto i = 0; i < partitions; ++i) {
        auto [begin, end] = Datasets::share_of(count, i, partitions);
        CHECK(begin == next);
        CHECK(end - begin >= count / partitions);
        CHECK(end - begin <= count / partitions + 1);
        next = end;
      }
      CHECK(next == count);
    }
}
