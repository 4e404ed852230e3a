// To which partition a key goes is the same everywhere.

#include "jobs/key.hpp"
#include "jobs/key_table.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;

namespace {

struct City {
  std::string name;
  int zip = 0;

  friend bool operator==(const City&, const City&) = default;
};
BOOST_DESCRIBE_STRUCT(City, (), (name, zip))

} // namespace

TEST_CASE("hashes of keys never change") {
  // Executors of two builds of one program may work on one job.
  CHECK(hash_of(std::string{}) == 0xEF46DB3751D8E999);
  CHECK(hash_of(std::string{"abc"}) == 0x44BC2CF5AD770999);
  CHECK(hash_of(0) == 0xB456BCFC34C2CB2C);
  CHECK(hash_of(-1) == 0);
  CHECK(hash_of(City{"Paris", 75})
        == hash_of(std::pair{std::string{"Paris"}, 75}));
}

TEST_CASE("equal keys of different types have equal hashes") {
  CHECK(hash_of(std::string_view{"abc"}) == hash_of(std::string{"abc"}));
  CHECK(hash_of(7) == hash_of(std::int64_t{7}));
  CHECK(hash_of(-7) == hash_of(std::int64_t{-7}));
  CHECK(hash_of(0.0) == hash_of(-0.0));
  CHECK(hash_of(1.5F) == hash_of(1.5));
  CHECK(hash_of(std::pair<std::string_view, int>{"a", 1})
        == hash_of(std::pair<std::string, int>{"a", 1}));
}

TEST_CASE("numbers in a row are spread evenly") {
  constexpr auto partitions = 7;
  std::vector<int> counts(partitions);
  for (auto i = 0; i < 70'000; ++i)
    ++counts[static_cast<std::size_t>(partition_of(hash_of(i), partitions))];
  for (auto count : counts)
    CHECK(std::abs(count - 10'000) < 500);
}

TEST_CASE("a table has a value for each key, in the order of keys") {
  KeyTable<std::string, int> table;
  for (auto round = 0; round < 3; ++round)
    for (auto i = 0; i < 10'000; ++i) {
      auto text = std::to_string(i * 7 % 10'000);
      std::string_view key = text;
      auto [value, is_new] = table.find_or_add(hash_of(key), key, [&] {
        return std::pair{text, 0};
      });
      CHECK(is_new == (round == 0));
      ++*value;
    }
  CHECK(table.size() == 10'000);
  CHECK(table.entries()[1] == std::pair<std::string, int>{"7", 3});
  CHECK(*table.find(hash_of(std::string{"9999"}), std::string{"9999"}) == 3);
  CHECK(table.find(hash_of(std::string{"x"}), std::string{"x"}) == nullptr);
  table.clear();
  CHECK(table.size() == 0);
  CHECK(table.find(hash_of(std::string{"7"}), std::string{"7"}) == nullptr);
}

TEST_CASE("keys whose hashes are equal are told apart") {
  KeyTable<int, int> table;
  // The hash is what the caller says; growing asks for the real one.
  for (auto i = 0; i < 40; ++i)
    table.find_or_add(5, i, [&] { return std::pair{i, i * 2}; });
  for (auto i = 0; i < 40; ++i)
    CHECK(*table.find(5, i) == i * 2);
}
