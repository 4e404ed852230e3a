#include "tools/benchmark/job_cluster.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include "actors/connector.hpp"
#include "embedding/machine.hpp"
#include "network/owner_credentials.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

constexpr std::chrono::seconds cluster_limit{20};
constexpr std::chrono::seconds news_limit{60};

template <class T>
T checked(Result<T> x) {
  if (!x)
    throw std::runtime_error(x.error().message);
  return *std::move(x);
}

/// What `stoker local` says of itself, once it is ready; nothing: it is not yet.
std::string url_in(const std::string& file) {
  std::ifstream in{file};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  auto begin = text.find("stoker://");
  auto end = text.find('\n', begin);
  return begin == std::string::npos || end == std::string::npos
             ? std::string{}
             : text.substr(begin, end - begin);
}

} // namespace

LocalProcess::LocalProcess(int cores) {
  ::setenv("XDG_STATE_HOME", directory_.path().c_str(), 1);
  auto log = directory_.path() + "/log";
  started_at_ = BenchClock::now();
  child_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{
          stoker_path(), "local", "--cores", std::to_string(cores), "--memory",
          "4g", "--port", "0", "--data", directory_.path() + "/data"},
      log);
  for (std::string url; url.empty(); url = url_in(log)) {
    if (BenchClock::now() > started_at_ + cluster_limit
        || child_->wait_for(std::chrono::milliseconds{0}))
      throw std::runtime_error("the cluster does not start");
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  address_ = checked(parse_master_url(url_in(log))).front();
}

// -- SameProgram --------------------------------------------------------------

SameProgram::SameProgram(int number, int tasks,
                         std::vector<std::string> program)
    : program_(std::move(program)) {
  StageSpec stage;
  stage.id = {number};
  stage.name = "bench";
  stage.tasks = tasks;
  stage.is_result = true;
  job_.id = {number};
  job_.name = "bench";
  job_.stages = {stage};
}

DescribeStage SameProgram::describe(StageId stage) const {
  DescribeStage result;
  result.stage = stage;
  result.name = "bench";
  result.command.arguments = program_;
  return result;
}

LaunchTask SameProgram::describe(const TaskAttempt& task) const {
  LaunchTask result;
  result.id = task;
  return result;
}

// -- BenchApplication ---------------------------------------------------------

BenchApplication::BenchApplication(
    const LocalProcess& cluster, int executors, int cores_each,
    std::int64_t memory_mb, std::optional<AllocationSettings> allocation) {
  auto files
      = checked(owner_credentials(default_state_directory(), Role::operator_));
  network_ = std::make_unique<ActorNetwork>(checked(Credentials::load(files)));
  JobSessionConfig config;
  auto& application = config.application;
  application.name = "bench";
  application.user = "bench";
  application.memory_per_executor_mb = memory_mb;
  application.cores_per_executor = cores_each;
  application.initial_executor_limit = executors;
  application.reject_if_it_cannot_fit = false;
  config.allocation = std::move(allocation);
  config.executor_command = {stoker_path(), "executor"};
  config.scratch_directory = cluster.directory();
  session_ = checked(JobSession::start(
      *network_, network_connector(*network_, {cluster.address()}),
      std::move(config)));
}

void BenchApplication::run(const std::shared_ptr<const JobWork>& work) {
  session_->submit(work);
  auto deadline = BenchClock::now() + news_limit;
  while (true) {
    for (const auto& news : session_->take(std::chrono::milliseconds{1'000})) {
      if (const auto* arrived = std::get_if<ResultArrived>(&news)) {
        deadline = BenchClock::now() + news_limit;
        if (auto taken = session_->take_result(
                arrived->id, [](std::string_view) { return Status{}; });
            !taken)
          throw std::runtime_error(taken.error().message);
      } else if (const auto* ended = std::get_if<JobEnded>(&news)) {
        if (ended->outcome != JobOutcome::succeeded)
          throw std::runtime_error("the job failed: " + ended->why);
        return;
      }
    }
    if (BenchClock::now() > deadline)
      throw std::runtime_error("nothing came of the job for a minute");
  }
}

} // namespace stoker::benchmark
