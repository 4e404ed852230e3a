// How fast the lines of a program's output go to partitions: the router alone, in this
// process.

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "executor/line_router.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"

namespace stoker::benchmark {

namespace {

constexpr std::int32_t partition_count = 64;

/// As much as is read from a pipe at once.
constexpr std::size_t pipe_bytes = std::size_t{256} * 1024;

/// Counts what it gets.
class Counter : public executor::PartitionSink {
public:
  Status append(std::int32_t, std::string_view bytes) override {
    count += bytes.size();
    return {};
  }

  Status finish() override {
    return {};
  }

  std::size_t count = 0;
};

/// Some megabytes of lines: keys of up to seven digits, and what follows them.
std::string make_lines(const std::string& rest) {
  std::string result;
  for (std::uint64_t i = 0; result.size() < std::size_t{8} << 20; ++i) {
    // Scattered, as keys in data are.
    result += std::to_string(i * 0x9E3779B97F4A7C15 % 1'000'003) + rest + '\n';
  }
  return result;
}

void measure_router(const char* name, const std::string& lines,
                    executor::RouteBy by, std::size_t bytes) {
  auto counter = std::make_shared<Counter>();
  executor::LineRouter router{{by, partition_count}, counter};
  std::size_t given = 0;
  auto begin = BenchClock::now();
  while (given < bytes)
    for (std::string_view rest = lines; !rest.empty();) {
      auto piece = rest.substr(0, pipe_bytes);
      if (!router.append(piece))
        throw std::runtime_error("lines were refused");
      rest.remove_prefix(piece.size());
      given += piece.size();
    }
  if (!router.finish() || counter->count != given)
    throw std::runtime_error("lines were lost");
  auto seconds = seconds_since(begin);
  Figure{"line_router"}
      .text("lines", name)
      .text("by", by == executor::RouteBy::key ? "key" : "round-robin")
      .count("partitions", partition_count)
      .number("mb_per_s", static_cast<double>(given) / 1e6 / seconds)
      .print();
}

} // namespace

void line_router(Extent extent) {
  auto bytes = extent.of(std::size_t{2} << 30, std::size_t{1} << 20);
  using executor::RouteBy;
  auto words = make_lines("");
  auto log = make_lines("\t" + std::string(112, 'x'));
  for (auto by : {RouteBy::key, RouteBy::round_robin}) {
    measure_router("words", words, by, bytes);
    measure_router("log", log, by, bytes);
  }
}

} // namespace stoker::benchmark
