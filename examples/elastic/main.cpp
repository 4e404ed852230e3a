// Two applications with bursts of work on a cluster of eight cores. Their executors come
// with the work and go when they are idle, so that one application has what the other
// does not need. Prints who has how many executors, as time goes by.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <spdlog/spdlog.h>

#include "embedding/local_cluster.hpp"
#include "jobs/jobs.hpp"

namespace {

namespace jobs = stoker::jobs;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int cores = 8;
constexpr auto sample_interval = 500ms;
constexpr auto idle_timeout = 2s;

/// A task: takes so long.
std::int64_t work(std::int64_t milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
  return milliseconds;
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  return a + b;
}

struct Burst {
  std::chrono::milliseconds begin;
  int tasks = 0;
  std::int64_t milliseconds = 0;
};

struct Application {
  const char* name;
  std::vector<Burst> bursts;
  std::unique_ptr<jobs::Context> context = nullptr;
  std::atomic<bool> is_done = false;
  std::atomic<bool> has_failed = false;

  /// What its executors had, and what its tasks took, in seconds.
  double held = 0;
  double worked = 0;
  int most = 0;

  /// Does one burst after the other.
  void run(Clock::time_point begin) {
    for (const auto& burst : bursts) {
      std::this_thread::sleep_until(begin + burst.begin);
      auto sum = context
                     ->parallelize(std::vector<std::int64_t>(
                                       static_cast<std::size_t>(burst.tasks),
                                       burst.milliseconds),
                                   burst.tasks)
                     .map(jobs::fn<&work>)
                     .reduce(jobs::fn<&add>);
      if (!sum || *sum != burst.tasks * burst.milliseconds) {
        std::cerr << "elastic: " << name << ": "
                  << (sum ? "the sum is wrong" : sum.error().message) << '\n';
        has_failed = true;
        break;
      }
      worked += static_cast<double>(burst.tasks * burst.milliseconds) / 1000;
    }
    is_done = true;
  }
};

int fail(const stoker::Error& why) {
  std::cerr << "elastic: " << why.message << '\n';
  return EXIT_FAILURE;
}

std::string bar(int executors) {
  std::string result(static_cast<std::size_t>(executors), '#');
  result.resize(cores, '.');
  return result;
}

void print(double seconds, const Application& a, const Application& b,
           bool json) {
  auto first = a.context->executors();
  auto second = b.context->executors();
  if (json)
    std::printf(R"({"seconds":%.1f,"%s":%d,"%s":%d})"
                "\n",
                seconds, a.name, first, b.name, second);
  else
    std::printf("%5.1f s  %s %s  %s %s\n", seconds, a.name, bar(first).c_str(),
                b.name, bar(second).c_str());
  std::fflush(stdout);
}

void count(Application& x) {
  auto executors = x.context->executors();
  x.held += std::chrono::duration<double>(sample_interval).count() * executors;
  x.most = std::max(x.most, executors);
}

int run(bool json) {
  spdlog::set_level(spdlog::level::warn);
  stoker::ActorNetwork network;
  auto directory
      = std::filesystem::temp_directory_path()
        / ("stoker-elastic-"
           + std::to_string(Clock::now().time_since_epoch().count()));
  struct Removed {
    std::filesystem::path path;
    ~Removed() {
      std::error_code error;
      std::filesystem::remove_all(path, error);
    }
  } removed{directory};
  stoker::LocalClusterConfig config;
  config.cores = cores;
  config.memory_mb = 4096;
  config.supervisor = STOKER_PROGRAM;
  config.worker.work_directory = directory;
  auto cluster = stoker::LocalCluster::start(network, config);
  if (!cluster)
    return fail(cluster.error());

  Application reports{"reports", {{0ms, 24, 1500}, {19s, 24, 1500}}};
  Application queries{"queries", {{7s, 40, 1000}}};
  for (auto* x : {&reports, &queries}) {
    jobs::ContextConfig context;
    context.name = x->name;
    context.supervisor = STOKER_PROGRAM;
    context.conf = {
        {"spark.dynamicAllocation.enabled", "true"},
        {"spark.dynamicAllocation.executorIdleTimeout",
         std::to_string(idle_timeout.count()) + "s"},
        {"spark.executor.cores", "1"},
        {"spark.executor.memory", "128m"},
    };
    auto started
        = jobs::Context::start(network, (*cluster)->connector(), context);
    if (!started)
      return fail(started.error());
    x->context = *std::move(started);
  }

  auto begin = Clock::now();
  {
    std::jthread first{[&] { reports.run(begin); }};
    std::jthread second{[&] { queries.run(begin); }};
    auto is_over = [](const Application& x) {
      return x.is_done && (x.has_failed || x.context->executors() == 0);
    };
    for (auto next = begin; !is_over(reports) || !is_over(queries);
         next += sample_interval) {
      std::this_thread::sleep_until(next);
      print(std::chrono::duration<double>(next - begin).count(), reports,
            queries, json);
      count(reports);
      count(queries);
    }
  }
  auto seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  auto held = reports.held + queries.held;
  auto worked = reports.worked + queries.worked;
  if (json)
    std::printf(R"({"core_seconds":%.1f,"worked":%.1f,"static":%.1f})"
                "\n",
                held, worked, cores * seconds);
  else
    std::printf("%.0f core-seconds for %.0f of work; with half of the cluster "
                "for each, all the time: %.0f\n",
                held, worked, cores * seconds);
  if (reports.has_failed || queries.has_failed)
    return EXIT_FAILURE;
  if (reports.most != cores || queries.most != cores) {
    std::cerr << "elastic: not all cores were had by each in turn\n";
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  if (auto code = jobs::executor_main(argc, argv))
    return *code;
  auto json = argc == 2 && std::string_view{argv[1]} == "--json";
  if (argc > 1 && !json) {
    std::cerr << "usage: elastic [--json]\n";
    return 2;
  }
  return run(json);
}
