// What does not fit in memory goes to files, and results are the same.

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <numeric>
#include <tuple>

#include <rapidcheck.h>

#include "jobs/datasets.hpp"
#include "jobs/runs.hpp"
#include "tests/jobs/memory_runner.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

/// The inverse of what spreads the bits of numbers.
std::uint64_t gathered(std::uint64_t x) {
  // Inverses of the factors, modulo 2^64.
  x = (x ^ (x >> 33)) * 0x9CB4B2F8129337DB;
  x = (x ^ (x >> 33)) * 0x4F74430C22A54005;
  return x ^ (x >> 33);
}

using GridKey = std::pair<std::int64_t, std::int64_t>;

/// Another point than (0, 0), of the same hash.
GridKey with_hash_of_origin(std::int64_t x) {
  auto before = [](std::int64_t first) {
    auto joined = detail::joined(0, hash_of(first));
    return std::rotl(joined, 27) * 5;
  };
  auto wanted = before(0) + hash_of(std::int64_t{0}) - before(x);
  return {x, static_cast<std::int64_t>(gathered(wanted) - 1)};
}

template <class T>
std::vector<T> in_order(std::vector<T> x) {
  std::sort(x.begin(), x.end());
  return x;
}

template <class T>
T must(Result<T> x) {
  if (!x)
    throw std::runtime_error{x.error().message};
  return *std::move(x);
}

constexpr auto add_up = [](auto a, auto b) { return a + b; };
constexpr auto concatenated
    = [](std::vector<std::string> a, const std::vector<std::string>& b) {
        a.insert(a.end(), b.begin(), b.end());
        std::sort(a.begin(), a.end());
        return a;
      };
constexpr auto in_vector = [](int x) {
  return std::vector<std::string>{std::to_string(x),
                                  "a text that is no short one"};
};
constexpr auto sorted_values = [](std::vector<int> x) {
  std::sort(x.begin(), x.end());
  return x;
};

template <class K>
struct AllResults {
  std::vector<std::pair<K, int>> reduced;
  std::vector<std::pair<K, std::vector<std::string>>> combined;
  std::vector<std::pair<K, std::vector<int>>> grouped;
  std::vector<std::pair<K, std::pair<int, int>>> joined;

  friend bool operator==(const AllResults&, const AllResults&) = default;
};

/// What operations by key give in tasks that have so much memory.
template <class K>
AllResults<K> results(const std::vector<std::pair<K, int>>& pairs,
                      const std::vector<std::pair<K, int>>& others,
                      std::uint64_t memory) {
  auto runner = std::make_shared<MemoryRunner>();
  runner->task_memory = memory;
  Datasets datasets{runner};
  auto all = datasets.parallelize(pairs, 3);
  AllResults<K> result;
  result.reduced = in_order(must(all.reduce_by_key(add_up, 2).collect()));
  result.combined = in_order(
      must(all.map_values(in_vector).reduce_by_key(concatenated, 2).collect()));
  result.grouped
      = in_order(must(all.group_by_key(2).map_values(sorted_values).collect()));
  result.joined
      = in_order(must(all.join(datasets.parallelize(others, 2), 2).collect()));
  return result;
}

/// @param memory Too little, in bytes.
template <class K>
void check_same(const std::vector<std::pair<K, int>>& pairs,
                const std::vector<std::pair<K, int>>& others,
                std::uint64_t memory) {
  auto expected = results(pairs, others, std::uint64_t{1} << 30);
  RC_ASSERT((results(pairs, others, memory) == expected));
  RC_ASSERT((results(pairs, others, memory * 4) == expected));
  // Each key is a run of its own.
  auto runner = std::make_shared<MemoryRunner>();
  runner->task_memory = 1;
  auto reduced
      = Datasets{runner}.parallelize(pairs, 3).reduce_by_key(add_up, 2);
  RC_ASSERT(in_order(must(reduced.collect())) == expected.reduced);
}

template <class K, class Gen>
std::vector<std::pair<K, int>> many_pairs(Gen key, int most) {
  auto size = static_cast<std::size_t>(*rc::gen::inRange(0, most));
  return *rc::gen::container<std::vector<std::pair<K, int>>>(
      size, rc::gen::pair(key, rc::gen::inRange(-9, 9)));
}

/// Files may grow no further than to so many bytes.
class FileLimit {
public:
  explicit FileLimit(rlim_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    auto limit = old_;
    limit.rlim_cur = bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, before_);
  }

  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

private:
  void (*before_)(int);
  rlimit old_{};
};

struct SpillTest {
  std::shared_ptr<MemoryRunner> runner = std::make_shared<MemoryRunner>();
  Datasets datasets{runner};
  TemporaryDirectory directory;

  SpillTest() {
    runner->task_memory = 100'000;
    runner->scratch = directory.path("");
  }

  /// 20,000 different keys, which do not fit.
  [[nodiscard]] auto many() const {
    return datasets.range(0, 20'000, 2).map([](std::int64_t x) {
      return std::pair{x, std::to_string(x)};
    });
  }

  [[nodiscard]] bool left_nothing() const {
    return std::filesystem::is_empty(directory.path(""));
  }
};

} // namespace

// The property that takes longest: each kind of key has a case of its own, so that they run side
// by side.

TEST_CASE(
    "results are the same whether they fitted in memory or not: by text") {
  CHECK(rc::check([] {
    auto key = rc::gen::container<std::string>(3, rc::gen::inRange('a', 'h'));
    check_same(many_pairs<std::string>(key, 1'500),
               many_pairs<std::string>(key, 500), 20'000);
  }));
}

TEST_CASE(
    "results are the same whether they fitted in memory or not: by long text") {
  CHECK(rc::check([] {
    auto key = rc::gen::map(rc::gen::inRange(0, 60), [](int x) {
      return std::string(static_cast<std::size_t>(x * 7), 'k');
    });
    check_same(many_pairs<std::string>(key, 600),
               many_pairs<std::string>(key, 60), 20'000);
  }));
}

TEST_CASE(
    "results are the same whether they fitted in memory or not: by number") {
  CHECK(rc::check([] {
    auto key = rc::gen::inRange<std::int64_t>(-2'000, 2'000);
    check_same(many_pairs<std::int64_t>(key, 2'000),
               many_pairs<std::int64_t>(key, 2'000), 20'000);
  }));
}

TEST_CASE("results are the same whether they fitted in memory or not: by "
          "float, also equal ones of other bits") {
  CHECK(rc::check([] {
    auto key = rc::gen::element(0.0, -0.0, 1.5, -1.5, 1e300);
    check_same(many_pairs<double>(key, 300), many_pairs<double>(key, 20),
               3'000);
  }));
}

TEST_CASE("results are the same whether they fitted in memory or not: by "
          "different keys of equal hashes") {
  CHECK(rc::check([] {
    auto key = rc::gen::map(rc::gen::inRange<std::int64_t>(0, 40),
                            with_hash_of_origin);
    check_same(many_pairs<GridKey>(key, 400), many_pairs<GridKey>(key, 100),
               6'000);
  }));
}

TEST_CASE("the points of that property have equal hashes") {
  CHECK(with_hash_of_origin(0) == GridKey{0, 0});
  CHECK(with_hash_of_origin(7).first == 7);
  CHECK(hash_of(with_hash_of_origin(7)) == hash_of(GridKey{0, 0}));
}

TEST_CASE_METHOD(SpillTest, "runs that are many are merged in several passes") {
  // Of a few keys each, and at most four at once.
  runner->task_memory = 4'000;
  auto all = many().map_values([](const std::string&) { return 1; });
  auto twice = all.union_with(all);
  auto counts = in_order(must(twice.reduce_by_key(add_up, 1).collect()));
  REQUIRE(counts.size() == 20'000);
  for (std::size_t i = 0; i < counts.size(); ++i)
    REQUIRE(counts[i] == std::pair{static_cast<std::int64_t>(i), 2});
  CHECK(left_nothing());
}

TEST_CASE_METHOD(SpillTest, "no more is read from runs than is wanted") {
  CHECK(must(many().group_by_key(1).take(3)).size() == 3);
  CHECK(must(many().join(many(), 1).take(3)).size() == 3);
  CHECK(must(many().reduce_by_key(add_up, 1).first()));
}

TEST_CASE_METHOD(SpillTest,
                 "the values of one key that do not fit are a clear error") {
  auto one_key = datasets.range(0, 100'000, 2).map([](std::int64_t x) {
    return std::pair{std::string{"key"}, x};
  });
  for (const auto& failed :
       {one_key.group_by_key(1).count(),
        datasets
            .parallelize(std::vector<std::pair<std::string, int>>{{"key", 1}},
                         1)
            .join(one_key, 1)
            .count()}) {
    REQUIRE(!failed);
    CHECK(
        failed.error().message.find("the values of one key take more than the ")
        == 0);
    CHECK(failed.error().message.find("spark.executor.memory")
          != std::string::npos);
  }
  // On the other side of a join they are not kept.
  auto joined = one_key.join(
      datasets.parallelize(std::vector<std::pair<std::string, int>>{{"key", 1}},
                           1),
      1);
  CHECK(must(joined.count()) == 100'000);
}

TEST_CASE_METHOD(SpillTest, "a full disk fails the task, and leaves nothing") {
  FileLimit limit{50'000};
  for (const auto& failed :
       {many().reduce_by_key(add_up, 1).count(), many().group_by_key(1).count(),
        many().join(many(), 1).count()}) {
    REQUIRE(!failed);
    CHECK(failed.error().code == Errc::full);
    CHECK(failed.error().message
          == "cannot write what does not fit in memory to a file in "
                 + runner->scratch + ": File too large");
  }
  CHECK(left_nothing());
}

TEST_CASE_METHOD(SpillTest, "a scratch directory that is missing is an error") {
  runner->scratch = "/nowhere";
  auto failed = many().reduce_by_key(add_up, 1).count();
  REQUIRE(!failed);
  CHECK(failed.error().message
        == "cannot write what does not fit in memory to a file in /nowhere: No "
           "such file or directory");
  // Nothing is needed of it by what fits.
  runner->task_memory = std::uint64_t{1} << 30;
  CHECK(must(many().reduce_by_key(add_up, 1).count()) == 20'000);
}

TEST_CASE("tables in use share a task's memory evenly") {
  TaskMemory memory{1200};
  MemoryShare first{memory};
  CHECK(first.bytes() == 1200);
  {
    MemoryShare second{memory};
    MemoryShare third{memory};
    CHECK(first.bytes() == 400);
    CHECK(third.bytes() == 400);
  }
  CHECK(first.bytes() == 1200);
}

TEST_CASE("what a value takes is counted by its type") {
  CHECK(!holds_memory<int>);
  CHECK(!holds_memory<std::pair<const double, std::array<bool, 3>>>);
  CHECK(holds_memory<std::optional<std::string>>);
  CHECK(held_bytes(std::string{"short"}) == 0);
  std::string text(1000, 'x');
  auto of_text = held_bytes(text);
  CHECK(of_text >= 1000);
  CHECK(of_text < 1100);
  CHECK(held_bytes(std::tuple{1, text, std::pair{text, 2.0}}) == 2 * of_text);
  std::vector<std::int64_t> numbers(100);
  CHECK(held_bytes(numbers) >= 800);
  CHECK(held_bytes(std::vector<bool>(8'000)) < 2'000);
  CHECK(held_bytes(std::map<int, std::string>{{1, text}}) > of_text);
  CHECK(held_bytes(std::set<int>{1, 2}) > 2 * sizeof(int));
}

TEST_CASE("a table is taken in the order of short hashes, and is new then") {
  KeyTable<int, int> table;
  for (auto i = 0; i < 1'000; ++i)
    table.find_or_add(hash_of(i), i, [&] { return std::pair{i, i}; });
  std::vector<std::uint32_t> hashes;
  table.take_in_order([&](auto& x) {
    hashes.push_back(short_hash_of(hash_of(x.first)));
    return true;
  });
  CHECK(hashes.size() == 1'000);
  CHECK(std::is_sorted(hashes.begin(), hashes.end()));
  CHECK(table.size() == 0);
  table.find_or_add(hash_of(7), 7, [&] { return std::pair{7, 7}; });
  CHECK(*table.find(hash_of(7), 7) == 7);
}
