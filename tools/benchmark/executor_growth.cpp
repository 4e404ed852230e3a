// How long tasks wait that need one more executor, beyond the time that they are told
// to: from the end of the backlog's time-out to the end of the first of them.

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/job_cluster.hpp"

namespace stoker::benchmark {

namespace {

constexpr std::chrono::seconds begin_limit{20};

/// One executor always, and more a second after tasks have begun to wait.
AllocationSettings at_least_one() {
  AllocationSettings result;
  result.enabled = true;
  result.min_executors = 1;
  result.backlog_timeout = std::chrono::seconds{1};
  return result;
}

/// A job of one task, which occupies an executor until that ends. Returns once it has
/// begun.
void occupy_executor(BenchApplication& application, const std::string& mark) {
  application.session().submit(std::make_shared<SameProgram>(
      0, 1,
      std::vector<std::string>{"/bin/sh", "-c",
                               "touch '" + mark + "'; exec sleep 600"}));
  auto deadline = BenchClock::now() + begin_limit;
  while (!std::filesystem::exists(mark)) {
    if (BenchClock::now() > deadline)
      throw std::runtime_error("the first executor does not start");
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

} // namespace

void executor_growth(Extent extent) {
  LocalProcess cluster{2};
  auto settings = at_least_one();
  auto timeout = std::chrono::duration<double>(settings.backlog_timeout);
  Samples seconds;
  for (int i = 0; i < extent.of(20, 1); ++i) {
    BenchApplication application{cluster, 1, 1, 256, settings};
    occupy_executor(application,
                    cluster.directory() + "/began" + std::to_string(i));
    auto work = std::make_shared<SameProgram>(
        1, 1, std::vector<std::string>{"/bin/true"});
    auto begin = BenchClock::now();
    application.run(work);
    seconds.add(seconds_since(begin) - timeout.count());
  }
  Figure{"executor_growth"}
      .count("samples", static_cast<std::int64_t>(seconds.size()))
      .count("backlog_timeout_s",
             settings.backlog_timeout / std::chrono::seconds{1})
      .number("p50_ms", seconds.median() * 1e3)
      .number("min_ms", seconds.min() * 1e3)
      .number("max_ms", seconds.max() * 1e3)
      .print();
}

} // namespace stoker::benchmark
