// Which datasets can be barrier stages: those that Spark 3.5.9 takes, and no others.

#include <algorithm>

#include "jobs/datasets.hpp"
#include "tests/jobs/memory_runner.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

struct BarrierRules {
  using Ints = std::vector<std::int64_t>;

  std::shared_ptr<MemoryRunner> runner = std::make_shared<MemoryRunner>();
  Datasets datasets{runner};

  [[nodiscard]] Dataset<std::int64_t> numbers(int partitions) const {
    return datasets.range(0, 8, partitions);
  }

  [[nodiscard]] static Dataset<std::int64_t>
  gang(const Dataset<std::int64_t>& x) {
    return x.barrier().map_partitions(
        [](Elements<std::int64_t>& all, Emit<std::int64_t>& emit) {
          all.each([&](std::int64_t y) { emit(y); });
        });
  }

  [[nodiscard]] static Dataset<std::int64_t>
  redistributed(const Dataset<std::int64_t>& x, int partitions) {
    return x.map([](std::int64_t y) {
              return std::pair{y, y};
            })
        .reduce_by_key([](std::int64_t a, std::int64_t) { return a; },
                       partitions)
        .map([](const std::pair<std::int64_t, std::int64_t>& y) {
          return y.first;
        });
  }

  /// Whether it is 0 to 7, in some order.
  static bool is_whole(Result<Ints> x) {
    if (!x)
      return false;
    std::sort(x->begin(), x->end());
    return *x == Ints{0, 1, 2, 3, 4, 5, 6, 7};
  }

  template <class T>
  static std::string problem(const Result<T>& x) {
    return x ? "" : x.error().message;
  }
};

} // namespace

TEST_CASE_METHOD(BarrierRules, "a barrier stage may be a whole dataset") {
  CHECK(is_whole(gang(numbers(4)).collect()));
  CHECK(*gang(numbers(4)).count() == 8);
}

TEST_CASE_METHOD(BarrierRules,
                 "a barrier stage may not be a part of a dataset") {
  auto one = problem(gang(numbers(4)).first());
  CHECK(
      one
      == "a barrier stage cannot run so: take looks at 1 of 4 partitions, and "
         "all tasks begin together. Call collect, and take the first ones of "
         "its result");
  CHECK(problem(gang(numbers(4)).take(3)) == one);
  // Of one partition all are looked at.
  CHECK(**gang(numbers(1)).first() == 0);
  // What comes behind a shuffle is another stage.
  CHECK(redistributed(gang(numbers(4)), 2).take(3)->size() == 3);
}

TEST_CASE_METHOD(BarrierRules, "no union may be in a barrier stage") {
  auto behind = gang(numbers(2)).union_with(numbers(2));
  CHECK(problem(behind.collect())
        == "a barrier stage cannot run so: union_with makes 4 partitions of 2 "
           "and 2, and all tasks of the stage begin together, with a partition "
           "each. Put a shuffle between it and the barrier");
  auto before = gang(numbers(2).union_with(numbers(2)));
  CHECK(problem(before.collect()) == problem(behind.collect()));
  // As well before a shuffle.
  CHECK(problem(redistributed(behind, 3).collect())
        == problem(behind.collect()));
  CHECK(is_whole(
      gang(redistributed(numbers(2).union_with(numbers(2)), 2)).collect()));
}

TEST_CASE_METHOD(BarrierRules,
                 "partitions may not become fewer in a barrier stage") {
  auto behind = gang(numbers(4)).coalesce(1);
  CHECK(problem(behind.collect())
        == "a barrier stage cannot run so: coalesce makes 1 partitions of 4, "
           "and all tasks of the stage begin together, with a partition each. "
           "Put a shuffle between it and the barrier");
  CHECK(problem(gang(numbers(4).coalesce(2)).collect())
            .find("coalesce makes 2 partitions of 4")
        != std::string::npos);
  CHECK(is_whole(redistributed(gang(numbers(4)), 1).collect()));
  CHECK(is_whole(gang(numbers(4).coalesce(4)).collect()));
}

TEST_CASE_METHOD(BarrierRules, "no two barriers may stand side by side") {
  auto two = gang(numbers(2)).zip(gang(numbers(2)));
  REQUIRE(two);
  CHECK(problem(two->collect())
        == "a barrier stage cannot run so: zip is of two datasets that have a "
           "barrier each, and it would not be clear whom barrier() waits for. "
           "Put a shuffle behind one of them");
  auto one = gang(numbers(2)).zip(numbers(2));
  REQUIRE(one);
  CHECK(one->collect()->size() == 8);
  // One behind the other they may.
  CHECK(is_whole(gang(gang(numbers(4))).collect()));
  auto behind = gang(numbers(2)).zip(redistributed(gang(numbers(2)), 2));
  REQUIRE(behind);
  CHECK(problem(behind->count()).find("has a barrier") == std::string::npos);
}

TEST_CASE_METHOD(BarrierRules,
                 "several stages of a job may be barrier stages") {
  auto x = gang(redistributed(gang(numbers(4)), 2));
  CHECK(is_whole(x.collect()));
}
