// What tests of datasets on clusters start: a driver, and its executors.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "jobs/jobs.hpp"
#include "tests/jobs/limits_program.hpp"

using namespace stoker::jobs;

namespace {

using Number = std::int64_t;
using Sum = std::pair<Number, Number>;

/// Says that it is there, and waits for the test.
struct WaitForGo {
  std::string directory;

  void operator()(Elements<Sum>& all, Emit<Sum>& emit) const {
    std::ofstream{directory + "/began-" + std::to_string(all.partition()) + '-'
                  + std::to_string(::getpid())};
    while (!std::ifstream{directory + "/go"})
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    all.each([&](const Sum& x) { emit(x); });
  }
};
BOOST_DESCRIBE_STRUCT(WaitForGo, (), (directory))

struct KeepFor {
  std::int64_t modulus = 1;

  Sum operator()(Number x) const {
    return {x % modulus, x};
  }
};
BOOST_DESCRIBE_STRUCT(KeepFor, (), (modulus))

Number fail_at_7(Number x) {
  if (x == 7)
    throw std::runtime_error{"seven is not wanted"};
  return x;
}

std::string line_of(Number x) {
  return "line " + std::to_string(x);
}

constexpr auto add = [](Number a, Number b) { return a + b; };

template <class T>
T value(stoker::Result<T> x) {
  if (!x)
    throw std::runtime_error{x.error().message};
  return *std::move(x);
}

void print(std::vector<Sum> sums) {
  std::sort(sums.begin(), sums.end());
  for (const auto& [key, sum] : sums)
    std::cout << key << ' ' << sum << '\n';
}

/// Sums of the numbers below 1000 by their last digit, in 3 partitions.
Dataset<Sum> sums(const Context& context) {
  return context.range(0, 1000, 6).map(KeepFor{10}).reduce_by_key(add, 3);
}

/// Each thread has jobs of its own.
void run_threads(const Context& context) {
  std::vector<std::thread> threads;
  std::vector<Number> results(4);
  auto shared = sums(context);
  for (std::size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      for (auto round = 0; round < 5; ++round) {
        auto size = static_cast<Number>(i) * 100;
        auto own
            = context.range(0, size, 2).map(KeepFor{7}).reduce_by_key(add, 2);
        results[i] += own.values().reduce(add)->value_or(0)
                      + shared.count().operator*();
      }
    });
  for (auto& thread : threads)
    thread.join();
  for (auto x : results)
    std::cout << x << '\n';
}

/// Says that a task runs, and waits for the test.
struct WaitForOwnGo {
  std::string directory;
  std::string job;

  Number operator()(Number x) const {
    auto name = directory + '/' + job + '-' + std::to_string(x);
    std::ofstream{name};
    while (!std::ifstream{directory + "/go-" + std::to_string(x)}
           && !std::ifstream{directory + "/go"})
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return x;
  }
};
BOOST_DESCRIBE_STRUCT(WaitForOwnGo, (), (directory, job))

/// Two jobs at once, of four tasks each: the second one begins when the first one has
/// both executors.
void run_pools(const Context& context, const std::string& directory) {
  auto run_in = [&](const std::string& name) {
    PoolOfThread pool{name};
    return value(context.range(0, 4, 4)
                     .map(WaitForOwnGo{directory, name})
                     .reduce(add))
        .value();
  };
  std::thread first{[&] { run_in("first"); }};
  while (!std::ifstream{directory + "/first-0"}
         || !std::ifstream{directory + "/first-1"})
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  std::thread second{[&] { std::cout << run_in("second") << '\n'; }};
  first.join();
  second.join();
}

/// Large results, and what is read again.
void run_all(const Context& context) {
  auto all = value(context.range(0, 3'000'000, 3).collect());
  std::cout << all.size() << ' ' << all.back() << '\n';
  auto by_key = sums(context);
  std::cout << value(by_key.count()) << '\n';
  auto fewer = by_key.union_with(by_key).coalesce(2);
  std::cout << fewer.partitions() << ' ' << value(fewer.count()) << '\n';
  std::cout << value(by_key.take(10)).size() << '\n';
  std::cout << *value(by_key.values().reduce(add)) << '\n';
}

/// Computes the same twice; between that the test does something.
void run_again(const Context& context, const std::string& directory) {
  auto by_key = sums(context);
  value(by_key.count());
  std::ofstream{directory + "/counted"};
  while (!std::ifstream{directory + "/go"})
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  print(value(by_key.collect()));
}

int run(const std::string& what, const std::string& argument) {
  // Results alone go to standard output.
  spdlog::set_default_logger(spdlog::stderr_logger_mt("stoker"));
  spdlog::set_level(spdlog::level::warn);
  ContextConfig config;
  config.name = "datasets";
  config.conf
      = {{"spark.executor.cores", "1"}, {"spark.executor.memory", "64m"}};
  config.supervisor = STOKER_PROGRAM;
  if (what == "memory")
    config.conf["spark.executor.memory"] = argument;
  if (what == "FIFO" || what == "FAIR")
    config.conf["spark.scheduler.mode"] = what;
  stoker::test::configure_limits(what, config);
  config.on_news = [](const stoker::JobNews& x) {
    if (const auto* failed = std::get_if<stoker::AttemptFailed>(&x))
      std::cerr << failed->why << std::endl;
  };
  auto context = value(Context::start(config));
  if (what == "sums")
    print(value(sums(*context).collect()));
  else if (what == "wait")
    print(value(sums(*context).map_partitions(WaitForGo{argument}).collect()));
  else if (what == "fail")
    value(context->range(0, 10, 2).map(fn<&fail_at_7>).collect());
  else if (what == "save") {
    auto lines = context->range(0, 5, 2).map(fn<&line_of>);
    if (auto saved = lines.save(argument); !saved)
      throw std::runtime_error{saved.error().message};
  } else if (what == "again")
    run_again(*context, argument);
  else if (what == "threads")
    run_threads(*context);
  else if (what == "FIFO" || what == "FAIR")
    run_pools(*context, argument);
  else if (what == "large")
    stoker::test::run_large(*context);
  else if (what == "endless")
    stoker::test::run_endless(*context, argument);
  else
    run_all(*context);
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  if (auto code = executor_main(argc, argv))
    return *code;
  try {
    return run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
