// A gang on a cluster that breathes: four tasks that fit a line to points together, round
// by round, beside another application. Executors come with the work and go when they are
// idle. The gang's come all at once: as long as the other application has too many cores,
// it has none. Prints who has how many, as time goes by, and the line.

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>
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

constexpr int cores = 6;
constexpr int gang = 4;
constexpr int points = 1000;
constexpr int rounds = 200;
constexpr auto sample_interval = 250ms;

/// The line that is to be found again.
constexpr double slope = 3;
constexpr double height = -2;

/// Adds up what all tasks of the gang say: numbers with spaces between.
template <std::size_t N>
std::array<double, N> add_up(const std::array<double, N>& own) {
  std::ostringstream said;
  said.precision(17);
  for (auto x : own)
    said << x << ' ';
  auto all = jobs::task_context().all_gather(said.str());
  // The stage is tried again.
  if (!all)
    throw std::runtime_error{all.error().message};
  std::array<double, N> result{};
  for (const auto& text : *all) {
    std::istringstream in{text};
    for (auto& sum : result) {
      double x = 0;
      in >> x;
      sum += x;
    }
  }
  return result;
}

/// Goes down the slope of the error, each task by its own points. In the end all have the
/// same line; the first one says it.
void fit(jobs::Elements<double>& own,
         jobs::Emit<std::pair<double, double>>& emit) {
  auto xs = own.all();
  double a = 0;
  double b = 0;
  for (int round = 0; round < rounds; ++round) {
    std::array<double, 3> sums{};
    for (auto x : xs) {
      auto error = a * x + b - (slope * x + height);
      sums[0] += error * x;
      sums[1] += error;
      sums[2] += 1;
    }
    auto all = add_up(sums);
    a -= all[0] / all[2];
    b -= all[1] / all[2];
    // Something to see.
    std::this_thread::sleep_for(10ms);
  }
  if (jobs::task_context().partition() == 0)
    emit({a, b});
}

std::int64_t sleep_for(std::int64_t milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
  return milliseconds;
}

int fail(const stoker::Error& why) {
  std::cerr << "gang: " << why.message << '\n';
  return EXIT_FAILURE;
}

/// Of that size.
std::string bar(int executors) {
  std::string result(static_cast<std::size_t>(executors), '#');
  result.resize(cores, '.');
  return result;
}

class Cluster {
public:
  ~Cluster() {
    std::error_code error;
    std::filesystem::remove_all(directory_, error);
  }

  stoker::Status start() {
    stoker::LocalClusterConfig config;
    config.cores = cores;
    config.memory_mb = 4096;
    config.supervisor = STOKER_PROGRAM;
    config.worker.work_directory = directory_;
    auto started = stoker::LocalCluster::start(network_, config);
    if (!started)
      return std::move(started).error();
    cluster_ = *std::move(started);
    return {};
  }

  auto application(const std::string& name) {
    jobs::ContextConfig config;
    config.name = name;
    config.supervisor = STOKER_PROGRAM;
    config.conf = {{"spark.dynamicAllocation.enabled", "true"},
                   {"spark.dynamicAllocation.executorIdleTimeout", "1s"},
                   {"spark.executor.cores", "1"},
                   {"spark.executor.memory", "128m"}};
    return jobs::Context::start(network_, cluster_->connector(), config);
  }

private:
  std::filesystem::path directory_
      = std::filesystem::temp_directory_path()
        / ("stoker-gang-"
           + std::to_string(Clock::now().time_since_epoch().count()));
  stoker::ActorNetwork network_;
  std::unique_ptr<stoker::LocalCluster> cluster_;
};

/// What the gang found.
struct Found {
  std::atomic<bool> is_done = false;
  std::string problem;
  double slope = 0;
  double height = 0;
};

void find_line(jobs::Context& context, Found& found) {
  std::vector<double> xs;
  for (int i = 0; i < points; ++i)
    xs.push_back(static_cast<double>(i) / points * 2 - 1);
  auto line = context.parallelize(std::move(xs), gang)
                  .barrier()
                  .map_partitions(jobs::fn<&fit>)
                  .collect();
  if (!line)
    found.problem = line.error().message;
  else if (line->size() != 1)
    found.problem = "there is no line";
  else
    std::tie(found.slope, found.height) = line->front();
  found.is_done = true;
}

int run() {
  spdlog::set_level(spdlog::level::warn);
  Cluster cluster;
  if (auto started = cluster.start(); !started)
    return fail(started.error());
  auto others = cluster.application("others");
  if (!others)
    return fail(others.error());
  auto own = cluster.application("gang");
  if (!own)
    return fail(own.error());

  Found found;
  auto begin = Clock::now();
  {
    std::jthread load{[&] {
      // It grows step by step, to all cores but one.
      static_cast<void>(
          (*others)
              ->parallelize(std::vector<std::int64_t>(10, 1500), 10)
              .map(jobs::fn<&sleep_for>)
              .collect());
    }};
    std::jthread line{[&] {
      std::this_thread::sleep_until(begin + 2500ms);
      find_line(**own, found);
    }};
    for (auto next = begin; !found.is_done; next += sample_interval) {
      std::this_thread::sleep_until(next);
      std::printf("%5.2f s  others %s  gang %s\n",
                  std::chrono::duration<double>(next - begin).count(),
                  bar((*others)->executors()).c_str(),
                  bar((*own)->executors()).c_str());
      std::fflush(stdout);
    }
  }
  if (!found.problem.empty())
    return fail(stoker::invalid(found.problem));
  std::printf("y = %.3f x %+.3f\n", found.slope, found.height);
  return std::abs(found.slope - slope) < 0.01
                 && std::abs(found.height - height) < 0.01
             ? EXIT_SUCCESS
             : EXIT_FAILURE;
}

} // namespace

int main(int argc, char** argv) {
  if (auto code = jobs::executor_main(argc, argv))
    return *code;
  if (argc > 1) {
    std::cerr << "usage: gang\n";
    return 2;
  }
  return run();
}
