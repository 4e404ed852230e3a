// A program whose functions are tasks: a driver with a cluster inside, and the executors
// of it. Called with what it is to do, a directory, and `stoker`.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <spdlog/spdlog.h>

#include "embedding/executor_process.hpp"
#include "embedding/job_session.hpp"
#include "embedding/local_cluster.hpp"

using namespace stoker;

namespace {

namespace fs = std::filesystem;

constexpr int partitions = 3;

// -- tasks --------------------------------------------------------------------

/// Writes each number up to 1000 that is its own to a partition.
Status write_numbers(executor::FunctionTask& task) {
  for (int i = task.id().task; i < 1'000; i += 4)
    if (auto written = task.write(i % partitions, std::to_string(i) + '\n');
        !written)
      return written;
  return {};
}

/// Sums the numbers of its partition.
Status sum_numbers(executor::FunctionTask& task) {
  std::string text;
  auto read = task.read(0, [&](std::string_view bytes) -> Status {
    text += bytes;
    return {};
  });
  if (!read)
    return read;
  long sum = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    auto end = text.find('\n', begin);
    sum += std::stol(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return task.write(0, std::to_string(sum));
}

/// Ends its process, unless it is another attempt.
Status crash_once(executor::FunctionTask& task) {
  if (task.id().attempt == 0)
    std::abort();
  return task.write(0, "alive");
}

Status fail(executor::FunctionTask&) {
  return invalid("it does not want to");
}

/// Starts this program again, which must not take itself for an executor.
Status start_self(executor::FunctionTask& task) {
  return task.write(0, std::to_string(WEXITSTATUS(std::system(
                           fs::canonical("/proc/self/exe").c_str()))));
}

/// Forks a process that waits, ends it with SIGTERM, and writes which signal ended it.
Status fork_and_terminate(executor::FunctionTask& task) {
  auto child = ::fork();
  if (child == 0) {
    ::alarm(10);
    for (;;)
      ::pause();
  }
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  return task.write(0, "signal " + std::to_string(WTERMSIG(status)));
}

/// Never returns, whatever it is told.
Status hang(executor::FunctionTask&) {
  std::cerr << "it hangs" << std::endl;
  for (;;)
    ::pause();
}

executor::TaskFunctions all_functions() {
  executor::TaskFunctions result;
  const std::pair<const char*, executor::TaskFunction> all[]
      = {{"write", write_numbers},    {"sum", sum_numbers},
         {"crash", crash_once},       {"fail", fail},
         {"start", start_self},       {"hang", hang},
         {"fork", fork_and_terminate}};
  for (const auto& [name, function] : all)
    if (auto added = result.add(name, function); !added)
      std::cerr << added.error().message << '\n';
  return result;
}

// -- driver -------------------------------------------------------------------

class Work : public JobWork {
public:
  explicit Work(std::string last) : last_(std::move(last)) {
    StageSpec result;
    result.id = {1};
    result.name = last_;
    result.is_result = true;
    if (last_ == "sum") {
      StageSpec first;
      first.name = "write";
      first.tasks = 4;
      job_.stages.push_back(first);
      result.tasks = partitions;
      result.reads = {{{0}, DependencyKind::shuffle}};
    }
    job_.stages.push_back(result);
  }

  [[nodiscard]] const JobSpec& job() const override {
    return job_;
  }

  [[nodiscard]] DescribeStage describe(StageId stage) const override {
    const auto& spec = *find_stage(job_, stage);
    DescribeStage result;
    result.stage = stage;
    result.name = spec.name;
    result.function = FunctionCall{spec.name, {}};
    result.reads = spec.reads;
    if (!spec.is_result) {
      result.output = TaskOutputKind::output;
      result.partitions = partitions;
    }
    return result;
  }

  [[nodiscard]] LaunchTask describe(const TaskAttempt& task) const override {
    return {task, {}, {}};
  }

private:
  std::string last_;
  JobSpec job_;
};

template <class T>
T value_of(Result<T> x) {
  if (x)
    return *std::move(x);
  std::cerr << x.error().message << '\n';
  std::exit(1);
}

/// Prints what the job comes to. Of one that hangs, it leaves when something is
/// written to standard input.
int drive(const std::string& job, const std::string& directory,
          const std::string& stoker) {
  // Its output is for the test.
  spdlog::set_level(spdlog::level::off);
  auto network = ActorNetwork::without_proof();
  LocalClusterConfig cluster_config;
  cluster_config.workers = 2;
  cluster_config.cores = 1;
  cluster_config.memory_mb = 1024;
  cluster_config.worker.work_directory = directory;
  cluster_config.supervisor = stoker;
  auto cluster
      = value_of(LocalCluster::start(*network, std::move(cluster_config)));
  JobSessionConfig config;
  config.application.name = job;
  config.application.cores_per_executor = 1;
  config.application.memory_per_executor_mb = 256;
  config.executor_command = {fs::canonical("/proc/self/exe")};
  config.scratch_directory = directory;
  auto session = value_of(
      JobSession::start(*network, cluster->connector(), std::move(config)));
  session->submit(std::make_shared<const Work>(job));
  for (;;)
    for (const auto& x : session->take(std::chrono::milliseconds{100})) {
      if (const auto* failed = std::get_if<AttemptFailed>(&x))
        std::cout << "attempt: " << failed->why << std::endl;
      if (const auto* result = std::get_if<ResultArrived>(&x)) {
        std::cout << "result " << result->id.task << ": ";
        auto taken
            = session->take_result(result->id, [](std::string_view bytes) {
                std::cout << bytes << std::endl;
                return Status{};
              });
        if (!taken)
          std::cout << taken.error().message << std::endl;
      }
      if (const auto* end = std::get_if<JobEnded>(&x)) {
        std::cout << (end->why.empty() ? "done" : end->why) << std::endl;
        return 0;
      }
    }
}

} // namespace

int main(int argc, char** argv) {
  auto environment = process_environment();
  if (is_executor(environment)) {
    auto functions = all_functions();
    return run_executor(environment, functions) ? 0 : 1;
  }
  return argc == 4 ? drive(argv[1], argv[2], argv[3]) : 2;
}
