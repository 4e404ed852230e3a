// For any elements in any partitions, datasets give what the algorithms of the standard
// library do.

#include <algorithm>
#include <map>
#include <numeric>

#include <rapidcheck.h>

#include "jobs/datasets.hpp"
#include "tests/jobs/memory_runner.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

using Pairs = std::vector<std::pair<std::string, int>>;

/// Few keys, so that there are equal ones.
Pairs any_pairs() {
  auto key = rc::gen::resize(
      1, rc::gen::container<std::string>(rc::gen::inRange('a', 'e')));
  return *rc::gen::container<Pairs>(
      rc::gen::pair(key, rc::gen::inRange(-1'000, 1'000)));
}

int any_partitions() {
  return *rc::gen::inRange(1, 9);
}

template <class T>
std::vector<T> sorted_elements(std::vector<T> x) {
  std::sort(x.begin(), x.end());
  return x;
}

template <class T>
T value_of(Result<T> x) {
  RC_ASSERT(static_cast<bool>(x));
  return *std::move(x);
}

Dataset<std::pair<std::string, int>> any_dataset(const Datasets& from,
                                                 const Pairs& pairs) {
  auto result = from.parallelize(pairs, any_partitions());
  // Whatever partitions there are, however they came about.
  switch (*rc::gen::inRange(0, 4)) {
  case 0:
    return result.shuffle(any_partitions());
  case 1:
    return result.coalesce(any_partitions());
  case 2:
    return from.parallelize(Pairs{}, any_partitions()).union_with(result);
  default:
    return result;
  }
}

constexpr auto add = [](int a, int b) { return a + b; };
constexpr auto is_odd
    = [](const std::pair<std::string, int>& x) { return x.second % 2 != 0; };

} // namespace

TEST_CASE("datasets give what plain algorithms do") {
  CHECK(rc::check("by key", [] {
    auto pairs = any_pairs();
    std::map<std::string, int> sums;
    std::map<std::string, std::vector<int>> groups;
    for (const auto& [key, x] : pairs) {
      sums[key] += x;
      groups[key].push_back(x);
    }
    for (auto& [key, values] : groups)
      std::sort(values.begin(), values.end());
    Datasets datasets{std::make_shared<MemoryRunner>()};
    auto all = any_dataset(datasets, pairs);
    auto reduced = value_of(all.reduce_by_key(add, any_partitions()).collect());
    RC_ASSERT(sorted_elements(reduced) == Pairs(sums.begin(), sums.end()));
    auto grouped = value_of(all.group_by_key(any_partitions()).collect());
    std::map<std::string, std::vector<int>> found;
    for (auto& [key, values] : grouped)
      RC_ASSERT(found.emplace(key, sorted_elements(values)).second);
    RC_ASSERT(found == groups);
    auto joined = value_of(all.join(all, any_partitions()).count());
    std::int64_t expected = 0;
    for (const auto& [key, values] : groups)
      expected += static_cast<std::int64_t>(values.size() * values.size());
    RC_ASSERT(joined == expected);
  }));
  CHECK(rc::check("element by element", [] {
    auto pairs = any_pairs();
    Datasets datasets{std::make_shared<MemoryRunner>()};
    auto all = any_dataset(datasets, pairs);
    RC_ASSERT(sorted_elements(value_of(all.collect()))
              == sorted_elements(pairs));
    RC_ASSERT(value_of(all.count()) == static_cast<std::int64_t>(pairs.size()));
    auto odd = static_cast<std::int64_t>(
        std::count_if(pairs.begin(), pairs.end(), is_odd));
    RC_ASSERT(value_of(all.filter(is_odd).count()) == odd);
    auto sum = value_of(all.values().reduce(add));
    RC_ASSERT(sum.has_value() == !pairs.empty());
    RC_ASSERT(
        sum.value_or(0)
        == std::accumulate(pairs.begin(), pairs.end(), 0,
                           [](int a, const auto& x) { return a + x.second; }));
    auto wanted = static_cast<std::size_t>(*rc::gen::inRange(0, 20));
    auto taken = value_of(all.take(wanted));
    auto collected = value_of(all.collect());
    collected.resize(std::min(wanted, collected.size()));
    RC_ASSERT(taken == collected);
    RC_ASSERT(value_of(all.coalesce(any_partitions()).collect())
              == value_of(all.collect()));
  }));
}
