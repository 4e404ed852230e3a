#include "tools/benchmark/barrier_programs.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "messages/task_environment.hpp"
#include "process/unique_fd.hpp"
#include "tools/benchmark/barrier_functions.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/function_jobs.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

// -- the program of a task ----------------------------------------------------

/// One connection for all calls, one for each, or one of the commands for each.
constexpr std::string_view by_connection = "connection";
constexpr std::string_view by_connections = "connections";
constexpr std::string_view by_command = "stoker barrier";
constexpr std::string_view by_small_command = "stoker-barrier";

class Caller {
public:
  Caller() : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto* path = std::getenv(task_environment::barrier_socket);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path == nullptr || std::strlen(path) >= sizeof(address.sun_path))
      throw std::runtime_error("this is no task of a barrier stage");
    std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address),
                  sizeof(address))
        != 0)
      throw std::runtime_error("the executor cannot be reached");
  }

  void call() {
    constexpr std::string_view request = "{\"call\":\"barrier\"}\n";
    if (::send(fd_.get(), request.data(), request.size(), MSG_NOSIGNAL)
        != static_cast<ssize_t>(request.size()))
      throw std::runtime_error("the executor cannot be asked");
    std::string answer;
    char buffer[4096];
    while (answer.empty() || answer.back() != '\n') {
      auto n = ::recv(fd_.get(), buffer, sizeof(buffer), 0);
      if (n <= 0)
        throw std::runtime_error("the executor does not answer");
      answer.append(buffer, static_cast<std::size_t>(n));
    }
    if (answer.find("\"messages\"") == std::string::npos)
      throw std::runtime_error(answer);
  }

private:
  process::UniqueFd fd_;
};

/// Calls once, and keeps for the next call what it may.
void call_once(std::string_view way, std::unique_ptr<Caller>& caller) {
  if (way == by_command || way == by_small_command) {
    auto status = way == by_command ? run_to_end({stoker_path(), "barrier"})
                                    : run_to_end({stoker_path() + "-barrier"});
    if (status != 0)
      throw std::runtime_error("the command has failed");
    return;
  }
  if (!caller || way == by_connections)
    caller = std::make_unique<Caller>();
  caller->call();
}

// -- measuring ----------------------------------------------------------------

/// As with functions.
constexpr int program_executors = 2;

void print_barrier(const std::string& peer, int tasks, const std::string& where,
                   const std::string& way, const Samples& times) {
  Figure figure{"barrier", peer};
  figure.count("tasks", tasks).text("where", where);
  figure.text("how", way);
  figure.count("samples", static_cast<std::int64_t>(times.size()))
      .number("median_ms", times.median() * 1e3)
      .number("p99_ms", times.quantile(0.99) * 1e3)
      .print();
}

void measure_programs(int tasks, std::string_view way, int rounds) {
  FunctionJobs jobs{program_executors, std::max(1, tasks / program_executors)};
  jobs.connect();
  jobs.await_executors();
  std::istringstream lines{
      jobs.run_programs_together(tasks,
                                 {own_path(), barrier_task, std::string{way},
                                  std::to_string(rounds)})
          .front()};
  Samples times;
  for (std::int64_t each = 0; lines >> each;)
    times.add(static_cast<double>(each) * 1e-9);
  print_barrier("stoker", tasks, "programs", std::string{way}, times);
}

// -- PySpark ------------------------------------------------------------------

/// Prints its version, and then the seconds of each barrier.
constexpr const char* pyspark_program = R"(import os, sys, time
tasks, rounds, files = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
os.environ.update(SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_HOSTNAME="localhost",
                  PYSPARK_PYTHON=sys.executable)
import pyspark
from pyspark.sql import SparkSession


def body(_):
    from pyspark import BarrierTaskContext
    context = BarrierTaskContext.get()
    context.barrier()
    result = []
    for _ in range(rounds):
        begin = time.perf_counter()
        context.barrier()
        result.append(time.perf_counter() - begin)
    return result if context.partitionId() == 0 else []


spark = (SparkSession.builder.master("local[%d]" % tasks).config("spark.ui.enabled", "false")
         .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
         .config("spark.local.dir", files).config("spark.ui.showConsoleProgress", "false")
         .getOrCreate())
times = spark.sparkContext.parallelize(range(tasks), tasks).barrier().mapPartitions(body).collect()
print(pyspark.__version__, *times)
spark.stop()
)";

std::string output_of(const std::string& command) {
  struct Close {
    void operator()(std::FILE* file) const noexcept {
      ::pclose(file);
    }
  };
  std::unique_ptr<std::FILE, Close> output{::popen(command.c_str(), "r")};
  std::string result;
  char buffer[4096];
  while (output && std::fgets(buffer, sizeof buffer, output.get()) != nullptr)
    result += buffer;
  return result;
}

void measure_pyspark(const std::string& python, int tasks, int rounds) {
  TemporaryDirectory files;
  auto program = files.path() + "/barrier.py";
  std::ofstream{program} << pyspark_program;
  std::istringstream said{output_of(
      "exec '" + python + "' '" + program + "' " + std::to_string(tasks) + ' '
      + std::to_string(rounds) + " '" + files.path() + "' 2>/dev/null")};
  std::string version;
  Samples times;
  said >> version;
  for (double each = 0; said >> each;)
    times.add(each);
  if (times.size() != static_cast<std::size_t>(rounds))
    throw std::runtime_error("PySpark has failed");
  print_barrier("pyspark-" + version, tasks, "functions in Python",
                "BarrierTaskContext.barrier", times);
}

} // namespace

void measure_program_barriers(Extent extent) {
  measure_programs(2, by_connection, extent.of(2'000, 5));
  measure_programs(16, by_connection, extent.of(2'000, 5));
  measure_programs(64, by_connection, extent.of(500, 2));
  measure_programs(128, by_connection, extent.of(250, 2));
  for (auto tasks : {2, 16})
    measure_programs(tasks, by_connections, extent.of(1'000, 3));
  for (auto way : {by_small_command, by_command})
    for (auto tasks : {2, 16})
      measure_programs(tasks, way, extent.of(100, 2));
  const auto* named = std::getenv("STOKER_BENCH_PYSPARK");
  std::string python = named != nullptr ? named : "python3";
  if (std::system(("'" + python + "' -c 'import pyspark' 2>/dev/null").c_str())
      != 0) {
    std::cerr << "barrier: " << python
              << " has no PySpark, whose barrier is not measured" << std::endl;
    return;
  }
  measure_pyspark(python, 2, extent.of(20, 1));
  if (!extent.quick)
    measure_pyspark(python, 16, 20);
}

int barrier_task_main(int argc, char** argv) {
  if (argc != 4)
    throw std::runtime_error("usage: --barrier-task WAY ROUNDS");
  std::string_view way = argv[2];
  const auto* rank = std::getenv("RANK");
  auto is_first = rank != nullptr && std::string_view{rank} == "0";
  std::unique_ptr<Caller> caller;
  // Who begins last is waited for before the first one.
  call_once(way, caller);
  std::string result;
  for (auto left = std::atoi(argv[3]); left > 0; --left) {
    auto begin = shared_clock_ns();
    call_once(way, caller);
    result += std::to_string(shared_clock_ns() - begin) + '\n';
  }
  if (is_first)
    std::cout << result << std::flush;
  return 0;
}

} // namespace stoker::benchmark
