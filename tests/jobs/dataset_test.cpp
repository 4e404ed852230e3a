// What operations and actions of datasets give, in this process.

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "jobs/datasets.hpp"
#include "tests/jobs/memory_runner.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

using Ints = std::vector<std::int64_t>;
using Counts = std::vector<std::pair<std::string, int>>;

/// Adds what it holds.
struct AddNumber {
  std::int64_t number = 0;

  std::int64_t operator()(std::int64_t x) const {
    return x + number;
  }
};
BOOST_DESCRIBE_STRUCT(AddNumber, (), (number))

std::int64_t doubled(std::int64_t x) {
  return x * 2;
}

struct DatasetTest {
  std::shared_ptr<MemoryRunner> runner = std::make_shared<MemoryRunner>();
  Datasets datasets{runner};
  TemporaryDirectory directory;

  [[nodiscard]] Dataset<std::int64_t> numbers(int count, int partitions) const {
    return datasets.range(0, count, partitions);
  }

  [[nodiscard]] auto words(const std::string& text, int partitions) const {
    std::vector<std::string> result;
    std::istringstream in{text};
    for (std::string word; in >> word;)
      result.push_back(word);
    return datasets.parallelize(std::move(result), partitions);
  }
};

template <class T>
T value(Result<T> x) {
  INFO((x ? "" : x.error().message));
  REQUIRE(x);
  return *std::move(x);
}

template <class T>
std::vector<T> sorted(std::vector<T> x) {
  std::sort(x.begin(), x.end());
  return x;
}

constexpr auto sum = [](auto a, auto b) { return a + b; };
constexpr auto with_one = [](std::string x) {
  return std::pair{std::move(x), 1};
};
constexpr auto is_even = [](std::int64_t x) { return x % 2 == 0; };

} // namespace

TEST_CASE_METHOD(DatasetTest,
                 "elements are collected in the order of partitions") {
  CHECK(value(numbers(5, 2).collect()) == Ints{0, 1, 2, 3, 4});
  CHECK(value(numbers(0, 3).collect()).empty());
  CHECK(value(datasets.range(-3, 1, 9).collect()) == Ints{-3, -2, -1, 0});
  CHECK(value(datasets.range(5, 2, 2).collect()).empty());
  auto strings
      = datasets.parallelize(std::vector<std::string>{"a", "", "b"}, 2);
  CHECK(value(strings.collect()) == std::vector<std::string>{"a", "", "b"});
  auto flags = datasets.parallelize(std::vector<bool>{true, false}, 2);
  CHECK(value(flags.collect()) == std::vector<bool>{true, false});
}

TEST_CASE_METHOD(DatasetTest,
                 "a chain of operations is one task for each partition") {
  auto chain = numbers(10, 2)
                   .map(AddNumber{1})
                   .filter(is_even)
                   .map(fn<&doubled>)
                   .flat_map([](std::int64_t x) {
                     return Ints{x, -x};
                   })
                   .map([](std::int64_t x) { return std::to_string(x); });
  CHECK(value(chain.collect())
        == std::vector<std::string>{"4", "-4", "8", "-8", "12", "-12", "16",
                                    "-16", "20", "-20"});
  CHECK(runner->tasks_run == 2);
}

TEST_CASE_METHOD(DatasetTest, "a function emits as many elements as it likes") {
  auto all
      = numbers(4, 2).flat_map([](std::int64_t x, Emit<std::string>& emit) {
          for (std::int64_t i = 0; i < x; ++i)
            emit(std::to_string(x));
        });
  CHECK(value(all.collect())
        == std::vector<std::string>{"1", "2", "2", "3", "3", "3"});
}

TEST_CASE_METHOD(DatasetTest,
                 "a function of partitions sees all of their elements") {
  auto sums = numbers(10, 3).map_partitions(
      [](Elements<std::int64_t>& all,
         Emit<std::pair<int, std::int64_t>>& emit) {
        std::int64_t result = 0;
        all.each([&](std::int64_t x) { result += x; });
        emit({all.partition(), result});
      });
  CHECK(value(sums.collect())
        == std::vector<std::pair<int, std::int64_t>>{
            {0, 0 + 1 + 2}, {1, 3 + 4 + 5}, {2, 6 + 7 + 8 + 9}});
}

TEST_CASE_METHOD(DatasetTest,
                 "each partition has a copy of a function that counts") {
  struct Numbered {
    std::int64_t next = 100;
    std::int64_t operator()(std::int64_t) {
      return next++;
    }
  };
  // Described types have names: this one is for the sake of its state.
  auto numbered = numbers(4, 2).map_partitions(
      [](Elements<std::int64_t>& all, Emit<std::int64_t>& emit) {
        Numbered f;
        all.each([&](std::int64_t x) { emit(f(x)); });
      });
  CHECK(value(numbered.collect()) == Ints{100, 101, 100, 101});
}

TEST_CASE_METHOD(DatasetTest, "values are combined by key") {
  auto pairs = words("to be or not to be that is to", 3).map(with_one);
  Counts expected{{"be", 2}, {"is", 1},   {"not", 1},
                  {"or", 1}, {"that", 1}, {"to", 3}};
  CHECK(sorted(value(pairs.reduce_by_key(sum, 2).collect())) == expected);
  CHECK(sorted(value(pairs.reduce_by_key(sum).collect())) == expected);
  CHECK(pairs.reduce_by_key(sum).partitions() == 3);
  runner->parallelism = 5;
  CHECK(pairs.reduce_by_key(sum).partitions() == 5);
  auto groups = value(pairs.group_by_key(4).collect());
  Counts sizes;
  for (auto& [word, ones] : groups)
    sizes.emplace_back(word, static_cast<int>(ones.size()));
  CHECK(sorted(sizes) == expected);
}

// That this compiles is what counts: warnings of conversions are errors here.
TEST_CASE_METHOD(DatasetTest,
                 "a function that combines values may return a wider type") {
  auto small = words("a b a", 2).map([](std::string_view word) {
    return std::pair<std::string, std::int16_t>{word, std::int16_t{2}};
  });
  auto sums = small.reduce_by_key(
      [](std::int16_t a, std::int16_t b) { return std::int64_t{a} + b; }, 2);
  using Sums = std::vector<std::pair<std::string, std::int16_t>>;
  CHECK(sorted(value(sums.collect())) == Sums{{"a", 4}, {"b", 2}});
}

TEST_CASE_METHOD(DatasetTest,
                 "what is distributed by key is not shuffled again") {
  auto shuffled = words("a b c a b a", 2).map(with_one).shuffle(3);
  auto counts = shuffled.reduce_by_key(sum, 3);
  CHECK(sorted(value(counts.collect()))
        == Counts{{"a", 3}, {"b", 2}, {"c", 1}});
  // Two that write, three that read.
  CHECK(runner->tasks_run == 5);
  auto kept = counts.filter([](const auto& x) { return x.second > 1; })
                  .map_values([](int x) { return x * 10; })
                  .group_by_key(3);
  CHECK(sorted(value(kept.collect()))
        == std::vector<std::pair<std::string, std::vector<int>>>{{"a", {30}},
                                                                 {"b", {20}}});
  CHECK(runner->tasks_run == 8);
}

TEST_CASE_METHOD(DatasetTest,
                 "what was shuffled once is read by all later jobs") {
  auto counts = words("a b c a b a", 2).map(with_one).reduce_by_key(sum, 3);
  CHECK(value(counts.count()) == 3);
  CHECK(runner->tasks_run == 5);
  CHECK(value(counts.count()) == 3);
  CHECK(runner->tasks_run == 8);
}

TEST_CASE_METHOD(DatasetTest,
                 "a stage is released with the last dataset that reads it") {
  std::optional<Dataset<std::pair<std::string, int>>> counts
      = words("a b", 2).map(with_one).reduce_by_key(sum, 2);
  CHECK(counts->count());
  auto reader = std::optional{counts->map_values([](int x) { return x; })};
  counts.reset();
  CHECK(runner->released.empty());
  reader.reset();
  CHECK(runner->released == std::vector{StageId{0}});
}

TEST_CASE_METHOD(DatasetTest, "a union has the elements of both") {
  auto both = numbers(3, 2).union_with(datasets.range(10, 12, 1));
  CHECK(both.partitions() == 3);
  CHECK(value(both.collect()) == Ints{0, 1, 2, 10, 11});
  CHECK(value(both.union_with(both).count()) == 10);
  // Of two that were shuffled, too, in one stage.
  auto a = words("a b c", 2).map(with_one).reduce_by_key(sum, 2);
  auto b = words("c d", 1).map(with_one).reduce_by_key(sum, 3);
  runner->tasks_run = 0;
  auto all = a.union_with(b);
  CHECK(sorted(value(all.collect()))
        == Counts{{"a", 1}, {"b", 1}, {"c", 1}, {"c", 1}, {"d", 1}});
  CHECK(runner->tasks_run == 2 + 1 + 5);
  CHECK(sorted(value(all.reduce_by_key(sum, 2).collect()))
        == Counts{{"a", 1}, {"b", 1}, {"c", 2}, {"d", 1}});
}

TEST_CASE_METHOD(DatasetTest, "fewer partitions have the same elements") {
  auto all = numbers(10, 7);
  for (auto n : {1, 2, 3, 6, 7, 20}) {
    auto fewer = all.coalesce(n);
    CHECK(fewer.partitions() == std::min(n, 7));
    CHECK(value(fewer.collect()) == value(all.collect()));
  }
  auto counts = words("a b c d e", 2).map(with_one).reduce_by_key(sum, 5);
  CHECK(value(counts.coalesce(2).collect()) == value(counts.collect()));
  CHECK(value(counts.coalesce(2).first()) == value(counts.first()));
}

TEST_CASE_METHOD(DatasetTest, "elements at the same places are zipped") {
  auto numbered = value(words("a b c", 2).zip(numbers(3, 2)));
  CHECK(value(numbered.collect())
        == std::vector<std::pair<std::string, std::int64_t>>{
            {"a", 0}, {"b", 1}, {"c", 2}});
  CHECK(value(numbered.take(1)).size() == 1);
  auto unequal = words("a b c", 2).zip(numbers(3, 3));
  REQUIRE(!unequal);
  CHECK(unequal.error().message
        == "datasets of 2 and 3 partitions cannot be zipped");
  auto failed = value(words("a b c", 2).zip(numbers(4, 2))).collect();
  REQUIRE(!failed);
  CHECK(failed.error().message
        == "partition 0 has 1 and 2 elements: only equally many can be zipped");
}

TEST_CASE_METHOD(DatasetTest, "partitions of the same number are zipped") {
  auto sizes = value(numbers(7, 2).zip_partitions(
      words("a b c", 2), [](Elements<std::int64_t>& a, Elements<std::string>& b,
                            Emit<std::pair<int, int>>& emit) {
        emit({static_cast<int>(a.all().size()),
              static_cast<int>(b.all().size())});
      }));
  CHECK(value(sizes.collect())
        == std::vector<std::pair<int, int>>{{3, 1}, {4, 2}});
}

TEST_CASE_METHOD(DatasetTest, "a join has all pairs of values of a key") {
  auto ages = datasets.parallelize(
      std::vector<std::pair<std::string, int>>{
          {"ann", 1}, {"bob", 2}, {"bob", 3}},
      2);
  auto towns = datasets.parallelize(
      std::vector<std::pair<std::string, std::string>>{
          {"bob", "x"}, {"cid", "y"}, {"bob", "z"}},
      3);
  using Row = std::pair<std::string, std::pair<int, std::string>>;
  std::vector<Row> expected{{"bob", {2, "x"}},
                            {"bob", {2, "z"}},
                            {"bob", {3, "x"}},
                            {"bob", {3, "z"}}};
  auto joined = ages.join(towns, 2);
  CHECK(sorted(value(joined.collect())) == expected);
  // Two and three that write, two that join.
  CHECK(runner->tasks_run == 7);
  auto by_key = ages.shuffle(2);
  CHECK(sorted(value(by_key.join(by_key).collect())).size() == 1 + 4);
}

TEST_CASE_METHOD(DatasetTest, "equal elements are there once") {
  CHECK(sorted(value(words("a b a c b", 3).distinct(2).collect()))
        == std::vector<std::string>{"a", "b", "c"});
  auto pairs = words("a a", 1).map(with_one);
  CHECK(value(pairs.keys().collect()) == std::vector<std::string>{"a", "a"});
  CHECK(value(pairs.values().collect()) == std::vector<int>{1, 1});
}

TEST_CASE_METHOD(DatasetTest, "elements are combined in one") {
  CHECK(value(numbers(5, 3).reduce(sum)) == 10);
  // Some partitions have none.
  CHECK(value(numbers(2, 5).reduce(sum)) == 1);
  CHECK(!value(numbers(0, 2).reduce(sum)));
  CHECK(value(words("a b c", 2).reduce(sum)) == "abc");
}

TEST_CASE_METHOD(DatasetTest, "taking few elements runs few tasks") {
  auto all = numbers(100, 50);
  CHECK(value(all.take(2)) == Ints{0, 1});
  CHECK(runner->tasks_run == 1);
  CHECK(value(all.take(3)) == Ints{0, 1, 2});
  CHECK(runner->tasks_run == 1 + 1 + 4);
  CHECK(value(all.take(0)).empty());
  CHECK(runner->tasks_run == 6);
  CHECK(value(all.first()) == 0);
  CHECK(!value(numbers(0, 3).first()));
  CHECK(value(numbers(5, 3).take(100)) == Ints{0, 1, 2, 3, 4});
  // Nothing is computed that is not wanted.
  auto counted = numbers(1'000'000'000, 1).map(AddNumber{7});
  CHECK(value(counted.take(2)) == Ints{7, 8});
}

TEST_CASE_METHOD(DatasetTest,
                 "lines of files are views, and are kept as texts") {
  directory.write("a.txt", "one two\ntwo");
  directory.write("b.txt", "two three\n");
  TextOptions small;
  small.split_bytes = 3;
  auto lines = value(datasets.text_files({directory.path("*.txt")}, small));
  CHECK(lines.partitions() == 8);
  CHECK(value(lines.collect())
        == std::vector<std::string>{"one two", "two", "two three"});
  CHECK(value(lines.first()) == "one two");
  CHECK(value(lines.zip(lines).operator->()->count()) == 3);
  auto counts = lines
                    .flat_map([](std::string_view line,
                                 Emit<std::pair<std::string_view, int>>& emit) {
                      while (!line.empty()) {
                        auto end = std::min(line.find(' '), line.size());
                        emit({line.substr(0, end), 1});
                        line.remove_prefix(std::min(end + 1, line.size()));
                      }
                    })
                    .reduce_by_key(sum, 2);
  CHECK(sorted(value(counts.collect()))
        == Counts{{"one", 1}, {"three", 1}, {"two", 3}});
  auto missing = datasets.text_files({directory.path("*.csv")});
  REQUIRE(!missing);
  CHECK(missing.error().message
        == "no file matches '" + directory.path("*.csv") + "'");
}

TEST_CASE_METHOD(DatasetTest, "what a function throws fails the job") {
  auto failing = numbers(3, 1).map([](std::int64_t x) {
    if (x == 2)
      throw std::runtime_error{"two is too much"};
    return x;
  });
  auto result = failing.collect();
  REQUIRE(!result);
  CHECK(result.error().message == "the function threw: two is too much");
  CHECK(value(failing.take(2)) == Ints{0, 1});
}
