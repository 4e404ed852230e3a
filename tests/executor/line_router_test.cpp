// Lines go to partitions, whole, however they come in.

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "executor/key_hash.hpp"
#include "executor/line_router.hpp"
#include "tests/executor/support.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

/// Keeps what each partition gets.
class Partitions : public PartitionSink {
public:
  Status append(std::int32_t partition, std::string_view bytes) override {
    texts[partition].append(bytes);
    largest = std::max(largest, bytes.size());
    return {};
  }

  Status finish() override {
    ++finishes;
    return {};
  }

  std::map<std::int32_t, std::string> texts;
  std::size_t largest = 0;
  int finishes = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

std::map<std::int32_t, std::string> naive_routes(const std::string& text,
                                                 Routing routing) {
  std::map<std::int32_t, std::string> result;
  auto turn = routing.first;
  for (const auto& line : lines_of(text)) {
    auto key = line.substr(0, key_bytes_max);
    key = key.substr(0, key.find('\t'));
    auto partition = partition_of(key, routing.partitions);
    if (routing.by == RouteBy::round_robin)
      partition = std::exchange(turn, (turn + 1) % routing.partitions);
    result[partition] += line + '\n';
  }
  return result;
}

/// Routes a text, given in pieces of these sizes, again and again.
std::shared_ptr<Partitions> route(const std::string& text, Routing routing,
                                  const std::vector<std::size_t>& pieces) {
  auto result = std::make_shared<Partitions>();
  LineRouter router{routing, result};
  std::size_t at = 0;
  for (std::size_t i = 0; at < text.size(); ++i) {
    auto size = pieces[i % pieces.size()];
    REQUIRE(router.append(std::string_view{text}.substr(at, size)));
    at += size;
  }
  REQUIRE(router.finish());
  CHECK(result->finishes == 1);
  return result;
}

std::string random_lines(Generator& random) {
  std::string result;
  auto lines = below(random, 200);
  for (std::size_t i = 0; i < lines; ++i) {
    auto length = below(random, 30);
    if (below(random, 50) == 0)
      length = key_bytes_max - 3 + below(random, 6);
    for (std::size_t j = 0; j < length; ++j)
      if (auto byte = static_cast<char>(below(random, 256)); byte != '\n')
        result += byte;
    if (below(random, 2) == 0)
      result += "\tvalue";
    if (i + 1 < lines || below(random, 2) == 0)
      result += '\n';
  }
  return result;
}

} // namespace

TEST_CASE("the hash of a key is XXH64") {
  // Known values, also of xxhsum -H64.
  CHECK(hash_key("") == 0xEF46DB3751D8E999);
  CHECK(hash_key("a") == 0xD24EC4F1A98C6E5B);
  CHECK(hash_key("abc") == 0x44BC2CF5AD770999);
  CHECK(hash_key("Nobody inspects the spammish repetition")
        == 0xFBCEA83C8A378BF1);
}

TEST_CASE("keys spread evenly over partitions") {
  for (std::int32_t partitions : {2, 7, 100}) {
    std::map<std::int32_t, int> counts;
    for (int i = 0; i < 100'000; ++i)
      ++counts[partition_of("user" + std::to_string(i), partitions)];
    REQUIRE(counts.size() == static_cast<std::size_t>(partitions));
    CHECK(counts.begin()->first == 0);
    for (auto [partition, count] : counts)
      CHECK(count == Approx(100'000 / partitions).epsilon(0.2));
  }
}

TEST_CASE("lines go where one that looks at each says, in whatever pieces they "
          "come") {
  auto seed = std::random_device{}();
  INFO("seed " << seed);
  Generator random{seed};
  for (int round = 0; round < 100; ++round) {
    auto text = random_lines(random);
    Routing routing;
    routing.partitions = static_cast<std::int32_t>(1 + below(random, 12));
    if (below(random, 3) == 0)
      routing.by = RouteBy::round_robin;
    routing.first = static_cast<std::int32_t>(
        below(random, static_cast<std::size_t>(routing.partitions)));
    std::vector<std::size_t> pieces;
    for (int i = 0; i < 5; ++i)
      pieces.push_back(1 + below(random, below(random, 2) == 0 ? 10 : 100'000));
    REQUIRE(route(text, routing, pieces)->texts == naive_routes(text, routing));
  }
}

TEST_CASE("an endless line goes to one partition, in pieces") {
  Routing routing{RouteBy::key, 4};
  auto partitions = std::make_shared<Partitions>();
  LineRouter router{routing, partitions};
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 100; ++i)
    REQUIRE(router.append(piece));
  // All but the last is passed on.
  auto partition = partition_of(std::string(key_bytes_max, 'x'), 4);
  REQUIRE(partitions->texts.size() == 1);
  CHECK(partitions->texts[partition].size() > 9'900'000);
  CHECK(partitions->largest <= 100'000);
  REQUIRE(router.append("\n"));
  REQUIRE(router.finish());
  CHECK(partitions->texts[partition].size() == 10'000'001);
}

TEST_CASE("a last line without a newline gets one") {
  for (std::int32_t count : {1, 3})
    for (auto by : {RouteBy::key, RouteBy::round_robin})
      for (const std::string text : {"a\tb", "a", "\t", "a\nb"}) {
        Routing routing{by, count};
        CHECK(route(text, routing, {1})->texts == naive_routes(text, routing));
        CHECK(route(text, routing, {9})->texts == naive_routes(text, routing));
      }
}

TEST_CASE("no output makes no lines") {
  CHECK(route("", {RouteBy::key, 3}, {1})->texts.empty());
}

TEST_CASE("thousands of partitions get their lines") {
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += std::to_string(i) + "\t1\n";
  Routing routing{RouteBy::key, 20'000};
  CHECK(route(text, routing, {65'536})->texts == naive_routes(text, routing));
}

TEST_CASE(
    "a program's lines go to partitions, and a partition that fails fails "
    "the task") {
  Tasks tasks;
  auto partitions = std::make_shared<Partitions>();
  Routing routing{RouteBy::key, 3};
  auto x = program({"seq", "200000"});
  x.output = std::make_shared<LineRouter>(routing, partitions);
  CHECK(succeeded(tasks.run(std::move(x))));
  auto expected = program({"seq", "200000"});
  CHECK(partitions->texts
        == naive_routes(output_of(std::move(expected)), routing));

  struct Failing : PartitionSink {
    Status append(std::int32_t, std::string_view) override {
      return Error{Errc::full, "the quota is used up"};
    }
    Status finish() override {
      return {};
    }
  };
  x = program({"yes"});
  x.output = std::make_shared<LineRouter>(routing, std::make_shared<Failing>());
  CHECK(to_string(tasks.run(std::move(x)).outcome)
        == "its output failed: the quota is used up");
}
