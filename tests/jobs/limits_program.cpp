#include "tests/jobs/limits_program.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace stoker::test {

namespace {

using namespace stoker::jobs;

using Int = std::int64_t;
using Payload = std::pair<Int, std::string>;

// -- more than fits in memory -------------------------------------------------

constexpr Int keys = 150'000;
constexpr Int values_of_key = 2;
constexpr std::size_t value_bytes = 1'000;
/// What the executor was given.
constexpr Int executor_bytes_max = Int{64} << 20;

Payload payload(Int x) {
  return {x % keys, std::string(value_bytes, static_cast<char>('a' + x % 26))};
}

std::string lesser(std::string a, std::string b) {
  return a < b ? std::move(a) : std::move(b);
}

Payload only_key(Int x) {
  return {x, {}};
}

Int bytes_of_value(const Payload& x) {
  return static_cast<Int>(x.second.size());
}

Int bytes_of_group(const std::pair<Int, std::vector<std::string>>& x) {
  Int result = 0;
  for (const auto& value : x.second)
    result += static_cast<Int>(value.size());
  return result;
}

Payload without_left(std::pair<Int, std::pair<std::string, std::string>> x) {
  return {x.first, std::move(x.second.second)};
}

/// The sum of a partition, and what its process had in memory at most.
void sum_and_peak(Elements<Int>& all, Emit<std::pair<Int, Int>>& emit) {
  Int sum = 0;
  all.each([&](Int x) { sum += x; });
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  emit({sum, Int{usage.ru_maxrss} * 1024});
}

template <class T>
T value(Result<T> x) {
  if (!x)
    throw std::runtime_error{x.error().message};
  return *std::move(x);
}

void print(const char* what, const Dataset<Int>& sizes) {
  auto result = value(sizes.map_partitions(fn<&sum_and_peak>).collect());
  auto [sum, peak] = result.at(0);
  std::cerr << what << ": " << peak / (1 << 20) << " MB" << std::endl;
  std::cout << what << ' ' << sum
            << (peak < executor_bytes_max ? " in bounds" : " out of bounds")
            << std::endl;
}

// -- tasks without end --------------------------------------------------------

void say(const std::string& file) {
  std::ofstream{file} << ::getpid() << std::endl;
}

void wait_for(const std::string& file) {
  while (!std::ifstream{file})
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

/// Of two tasks, one fails when the other has begun.
bool begins(const std::string& name) {
  if (task_context().partition() == 0) {
    say(name);
    return true;
  }
  wait_for(name);
  throw std::runtime_error{"that is enough"};
}

struct Zeros {
  struct Iterator {
    Int operator*() const {
      return 0;
    }
    Iterator& operator++() {
      return *this;
    }
    bool operator!=(const Iterator&) const {
      return true;
    }
  };

  [[nodiscard]] static Iterator begin() {
    return {};
  }
  [[nodiscard]] static Iterator end() {
    return {};
  }
};

struct EndlessRange {
  std::string name;
  Zeros operator()(Int) const {
    begins(name);
    return {};
  }
};
BOOST_DESCRIBE_STRUCT(EndlessRange, (), (name))

struct EndlessEmit {
  std::string name;
  void operator()(Int, Emit<Int>& emit) const {
    begins(name);
    while (emit(0)) {
    }
  }
};
BOOST_DESCRIBE_STRUCT(EndlessEmit, (), (name))

struct EndlessWait {
  std::string name;
  Int operator()(Int) const {
    begins(name);
    while (!task_context().ending())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return 0;
  }
};
BOOST_DESCRIBE_STRUCT(EndlessWait, (), (name))

struct EndlessFilter {
  std::string name;
  bool operator()(Int) {
    if (!began_)
      began_ = begins(name);
    return false;
  }

private:
  bool began_ = false;
};
BOOST_DESCRIBE_STRUCT(EndlessFilter, (), (name))

/// Waits until both tasks run.
struct Together {
  std::string name;
  Int operator()(Int x) const {
    auto here = task_context().partition();
    say(name + std::to_string(here));
    wait_for(name + std::to_string(1 - here));
    return x * 0 + ::getpid();
  }
};
BOOST_DESCRIBE_STRUCT(Together, (), (name))

void print_next(const Context& context, const char* what,
                const std::string& name, const Result<Int>& count) {
  auto why = count ? "no error" : count.error().message;
  auto pids = value(context.range(0, 2, 2).map(Together{name + "-"}).collect());
  Int before = 0;
  std::ifstream{name} >> before;
  std::cout << what
            << (why.find("that is enough") != std::string::npos ? ": failed, "
                                                                : ": " + why)
            << (pids == std::vector<Int>{before, before} ? "same executor"
                                                         : "another executor")
            << std::endl;
}

} // namespace

void configure_limits(const std::string& what, ContextConfig& config) {
  if (what == "large")
    config.conf["spark.memory.fraction"] = "0.25";
  if (what == "endless") {
    config.conf["spark.executor.cores"] = "2";
    config.conf["spark.task.maxFailures"] = "1";
  }
}

void run_large(const Context& context) {
  auto all = context.range(0, keys * values_of_key, 2).map(fn<&payload>);
  print("reduce_by_key", context.range(0, keys * values_of_key, 2)
                             .map([](Int x) {
                               auto result = payload(x);
                               result.first = x;
                               return result;
                             })
                             .reduce_by_key(fn<&lesser>, 1)
                             .map(fn<&bytes_of_value>));
  print("group_by_key", all.group_by_key(1).map(fn<&bytes_of_group>));
  print("join", context.range(0, keys, 1)
                    .map(fn<&only_key>)
                    .join(all, 1)
                    .map(fn<&without_left>)
                    .map(fn<&bytes_of_value>));
}

void run_endless(const Context& context, const std::string& directory) {
  constexpr auto end = Int{1} << 62;
  auto two = context.range(0, 2, 2);
  auto name = directory + "/range";
  print_next(context, "range", name, two.flat_map(EndlessRange{name}).count());
  name = directory + "/emit";
  print_next(context, "emit", name, two.flat_map(EndlessEmit{name}).count());
  name = directory + "/wait";
  print_next(context, "wait", name, two.map(EndlessWait{name}).count());
  name = directory + "/source";
  EndlessFilter filter;
  filter.name = name;
  print_next(context, "source", name,
             context.range(0, end, 2).filter(filter).count());
}

} // namespace stoker::test
