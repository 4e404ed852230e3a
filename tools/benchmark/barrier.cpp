// Barrier stages: how long a barrier takes, of functions and of programs; a gang of
// functions from its submission until all of its tasks run, and a failed one until all run
// again. Beside a message there and back over loopback.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <boost/asio.hpp>

#include "tools/benchmark/barrier_functions.hpp"
#include "tools/benchmark/barrier_programs.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/function_jobs.hpp"

namespace stoker::benchmark {

namespace {

namespace asio = boost::asio;

constexpr double ns = 1e-9;

/// As most machines have: on two workers.
constexpr int barrier_executors = 2;

int cores_for(int tasks) {
  return std::max(1, tasks / barrier_executors);
}

/// A byte there and back, between two threads.
void measure_floor(int samples) {
  using asio::ip::tcp;
  asio::io_context context;
  tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
  std::thread echo{[&] {
    auto socket = acceptor.accept();
    socket.set_option(tcp::no_delay{true});
    char byte = 0;
    boost::system::error_code error;
    while (asio::read(socket, asio::buffer(&byte, 1), error) == 1)
      asio::write(socket, asio::buffer(&byte, 1), error);
  }};
  Samples times;
  {
    tcp::socket socket{context};
    socket.connect(acceptor.local_endpoint());
    socket.set_option(tcp::no_delay{true});
    char byte = 0;
    for (int i = 0; i < samples; ++i) {
      auto begin = BenchClock::now();
      asio::write(socket, asio::buffer(&byte, 1));
      asio::read(socket, asio::buffer(&byte, 1));
      times.add(seconds_since(begin));
    }
  }
  echo.join();
  Figure{"loopback_round_trip"}
      .number("median_ms", times.median() * 1e3)
      .number("p99_ms", times.quantile(0.99) * 1e3)
      .print();
}

void measure_barriers(int tasks, int rounds) {
  FunctionJobs jobs{barrier_executors, cores_for(tasks)};
  jobs.connect();
  jobs.await_executors();
  std::istringstream lines{
      jobs.run_together(tasks, barrier_rounds, std::to_string(rounds)).front()};
  Samples times;
  for (std::int64_t each = 0; lines >> each;)
    times.add(static_cast<double>(each) * ns);
  Figure{"barrier"}
      .count("tasks", tasks)
      .text("where", "functions")
      .count("samples", static_cast<std::int64_t>(times.size()))
      .number("median_ms", times.median() * 1e3)
      .number("p99_ms", times.quantile(0.99) * 1e3)
      .print();
}

/// When the last of them began.
std::int64_t last_begin(const std::vector<std::string>& written) {
  std::int64_t result = 0;
  for (const auto& x : written)
    result = std::max(result, std::int64_t{std::stoll(x)});
  return result;
}

/// From the submission, slots being free, until all tasks run.
void measure_start(int tasks, int samples) {
  FunctionJobs jobs{barrier_executors, cores_for(tasks)};
  jobs.connect();
  jobs.await_executors();
  Samples times;
  for (int i = 0; i < samples; ++i) {
    auto begin = shared_clock_ns();
    auto end = last_begin(jobs.run_together(tasks, when_begun));
    // Threads are there from then on.
    if (i > 0)
      times.add(static_cast<double>(end - begin) * ns);
  }
  Figure{"gang_start"}
      .count("tasks", tasks)
      .count("samples", static_cast<std::int64_t>(times.size()))
      .number("median_ms", times.median() * 1e3)
      .number("p99_ms", times.quantile(0.99) * 1e3)
      .print();
}

/// From the failure of a task until all run again.
void measure_retry(int tasks, int samples) {
  FunctionJobs jobs{barrier_executors, cores_for(tasks)};
  jobs.connect();
  jobs.await_executors();
  TemporaryDirectory directory;
  Samples times;
  for (int i = 0; i < samples; ++i) {
    auto file = directory.path() + "/failed" + std::to_string(i);
    auto end = last_begin(jobs.run_together(tasks, fail_once, file));
    std::int64_t begin = 0;
    if (!(std::ifstream{file} >> begin))
      throw std::runtime_error("no task has failed");
    times.add(static_cast<double>(end - begin) * ns);
  }
  Figure{"gang_retry"}
      .count("tasks", tasks)
      .count("samples", samples)
      .number("median_ms", times.median() * 1e3)
      .number("p99_ms", times.quantile(0.99) * 1e3)
      .print();
}

/// Many gangs, of which one runs at a time.
void measure_throughput(int tasks, int gangs) {
  FunctionJobs jobs{barrier_executors, cores_for(tasks)};
  jobs.connect();
  jobs.await_executors();
  jobs.run_together(tasks, when_begun);
  auto begin = BenchClock::now();
  for (int i = 0; i < gangs; ++i)
    jobs.submit_together(tasks, when_begun, {});
  jobs.await_jobs(gangs);
  Figure{"gang_throughput"}
      .count("tasks", tasks)
      .count("gangs", gangs)
      .number("rate", gangs / seconds_since(begin))
      .print();
}

} // namespace

void barrier(Extent extent) {
  measure_floor(extent.of(10'000, 10));
  measure_barriers(2, extent.of(2'000, 5));
  measure_barriers(16, extent.of(2'000, 5));
  measure_barriers(128, extent.of(500, 5));
  measure_barriers(1'024, extent.of(100, 2));
  measure_program_barriers(extent);
  for (auto tasks : {4, 16, 128}) {
    measure_start(tasks, extent.of(101, 2));
    measure_retry(tasks, extent.of(50, 1));
  }
  measure_throughput(4, extent.of(1'000, 10));
}

} // namespace stoker::benchmark
