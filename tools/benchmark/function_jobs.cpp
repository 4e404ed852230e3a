#include "tools/benchmark/function_jobs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <variant>

#include <spdlog/spdlog.h>

#include "tools/benchmark/barrier_functions.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

constexpr const char* nothing = "nothing";
constexpr std::chrono::seconds job_limit{300};
constexpr std::chrono::milliseconds look_again_after{100};

Status do_nothing(executor::FunctionTask&) {
  return {};
}

/// A job of one stage.
class OneStage : public JobWork {
public:
  OneStage(int number, DescribeStage stage) : stage_(std::move(stage)) {
    stage_.stage = {number};
    job_.id = {number};
    StageSpec spec;
    spec.id = stage_.stage;
    spec.name = stage_.name;
    spec.tasks = stage_.tasks;
    spec.is_result = true;
    spec.is_barrier = stage_.is_barrier;
    job_.stages.push_back(std::move(spec));
  }

  [[nodiscard]] const JobSpec& job() const override {
    return job_;
  }

  [[nodiscard]] DescribeStage describe(StageId) const override {
    return stage_;
  }

  [[nodiscard]] LaunchTask describe(const TaskAttempt& task) const override {
    return {task, {}, {}};
  }

private:
  DescribeStage stage_;
  JobSpec job_;
};

DescribeStage function_stage(int tasks, const std::string& function,
                             const std::string& argument) {
  DescribeStage result;
  result.name = function;
  result.function = FunctionCall{function, argument};
  result.tasks = tasks;
  return result;
}

/// All processes below this one, found by their parents.
std::vector<pid_t> descendants() {
  std::vector<pid_t> result{::getpid()};
  std::vector<std::pair<pid_t, pid_t>> parents;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    auto pid = std::atoi(entry.path().filename().c_str());
    std::ifstream file{entry.path() / "stat"};
    std::string stat;
    if (pid <= 0 || !std::getline(file, stat))
      continue;
    // "pid (name) state parent ..."
    auto after_name = stat.rfind(')');
    if (after_name != std::string::npos && after_name + 4 < stat.size())
      parents.emplace_back(pid, std::atoi(stat.c_str() + after_name + 4));
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    for (const auto& [pid, parent] : parents)
      if (parent == result[i])
        result.push_back(pid);
  result.erase(result.begin());
  return result;
}

} // namespace

executor::TaskFunctions bench_functions() {
  executor::TaskFunctions result;
  static_cast<void>(result.add(nothing, do_nothing));
  add_barrier_functions(result);
  return result;
}

FunctionJobs::FunctionJobs(int executors, int cores_of_each)
    : executors_(executors), cores_of_each_(cores_of_each),
      network_(ActorNetwork::without_proof()) {
  // Standard output is for figures.
  spdlog::set_level(spdlog::level::off);
  LocalClusterConfig config;
  config.workers = std::max(executors, 1);
  config.cores = cores_of_each;
  config.memory_mb = 1024;
  config.worker.work_directory = directory_.path() + "/work";
  config.supervisor = stoker_path();
  std::filesystem::create_directory(config.worker.work_directory);
  auto cluster = LocalCluster::start(*network_, std::move(config));
  if (!cluster)
    throw std::runtime_error(cluster.error().message);
  cluster_ = *std::move(cluster);
}

void FunctionJobs::connect() {
  JobSessionConfig config;
  config.application.name = "functions";
  config.application.cores_per_executor = cores_of_each_;
  config.application.memory_per_executor_mb = 512;
  config.application.initial_executor_limit = executors_;
  config.executor_command = {own_path()};
  config.scratch_directory = directory_.path();
  auto session
      = JobSession::start(*network_, cluster_->connector(), std::move(config));
  if (!session)
    throw std::runtime_error(session.error().message);
  session_ = *std::move(session);
}

void FunctionJobs::await_executors() {
  auto begin = BenchClock::now();
  while (session_->executors() < executors_) {
    if (BenchClock::now() - begin > job_limit)
      throw std::runtime_error("executors do not start");
    // Nothing tells of them; what else comes is of no interest.
    session_->take(std::chrono::milliseconds{1});
  }
}

void FunctionJobs::submit(DescribeStage stage) {
  session_->submit(std::make_shared<const OneStage>(jobs_++, std::move(stage)));
}

void FunctionJobs::submit(int tasks) {
  submit(function_stage(tasks, nothing, {}));
}

void FunctionJobs::submit_together(int tasks, const std::string& function,
                                   const std::string& argument) {
  auto stage = function_stage(tasks, function, argument);
  stage.is_barrier = true;
  submit(std::move(stage));
}

std::vector<std::string>
FunctionJobs::run_together(int tasks, const std::string& function,
                           const std::string& argument) {
  submit_together(tasks, function, argument);
  return await_outputs(tasks);
}

std::vector<std::string>
FunctionJobs::run_programs_together(int tasks,
                                    const std::vector<std::string>& words) {
  DescribeStage stage;
  stage.name = words.front();
  stage.command.arguments = words;
  stage.tasks = tasks;
  stage.is_barrier = true;
  submit(std::move(stage));
  return await_outputs(tasks);
}

std::vector<std::string> FunctionJobs::await_outputs(int tasks) {
  std::vector<std::string> result(static_cast<std::size_t>(tasks));
  await_results(tasks, [&](int task, std::string_view bytes) {
    result[static_cast<std::size_t>(task)] += bytes;
  });
  return result;
}

void FunctionJobs::await_stages(std::size_t count) {
  auto begin = BenchClock::now();
  while (session_->progress().size() < count) {
    if (BenchClock::now() - begin > job_limit)
      throw std::runtime_error("stages are not known");
    session_->take(std::chrono::milliseconds{1});
  }
}

void FunctionJobs::await_results(int tasks) {
  await_results(tasks, [](int, std::string_view) {});
}

void FunctionJobs::await_results(
    int tasks, const std::function<void(int, std::string_view)>& take) {
  auto begin = BenchClock::now();
  auto results = 0;
  while (BenchClock::now() - begin < job_limit)
    for (const auto& x : session_->take(look_again_after)) {
      if (const auto* result = std::get_if<ResultArrived>(&x)) {
        ++results;
        auto taken
            = session_->take_result(result->id, [&](std::string_view bytes) {
                take(result->id.task, bytes);
                return Status{};
              });
        if (!taken)
          throw std::runtime_error(taken.error().message);
      } else if (const auto* end = std::get_if<JobEnded>(&x)) {
        if (end->outcome != JobOutcome::succeeded || results != tasks)
          throw std::runtime_error("the job failed: " + end->why);
        return;
      }
    }
  throw std::runtime_error("the job does not end");
}

void FunctionJobs::await_jobs(int count) {
  auto begin = BenchClock::now();
  while (count > 0 && BenchClock::now() - begin < job_limit)
    for (const auto& x : session_->take(look_again_after)) {
      if (const auto* result = std::get_if<ResultArrived>(&x)) {
        static_cast<void>(session_->take_result(
            result->id, [](std::string_view) { return Status{}; }));
      } else if (const auto* end = std::get_if<JobEnded>(&x)) {
        if (end->outcome != JobOutcome::succeeded)
          throw std::runtime_error("a job failed: " + end->why);
        --count;
      }
    }
  if (count > 0)
    throw std::runtime_error("jobs do not end");
}

double FunctionJobs::executor_cpu_seconds() const {
  double result = 0;
  for (auto pid : descendants()) {
    std::error_code error;
    auto program = std::filesystem::read_symlink(
        "/proc/" + std::to_string(pid) + "/exe", error);
    if (!error && program == own_path())
      result += use_of(pid).cpu_seconds;
  }
  return result;
}

} // namespace stoker::benchmark
