#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "embedding/job_session.hpp"
#include "embedding/local_cluster.hpp"
#include "executor/task_function.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

/// The functions that this program has when it is an executor.
executor::TaskFunctions bench_functions();

/// A cluster in this process, and a driver of jobs whose tasks are functions that do
/// nothing. Its executors are this program.
class FunctionJobs {
public:
  /// Throws std::runtime_error when it cannot begin.
  /// @param executors 0: there are none, and tasks wait.
  FunctionJobs(int executors, int cores_of_each);

  /// Asks for executors; returns before there are any.
  void connect();

  /// Waits until they are all there.
  void await_executors();

  /// Submits a job of so many tasks.
  void submit(int tasks);

  /// Waits until the driver knows of so many stages.
  void await_stages(std::size_t count);

  /// Takes results until all of those tasks have given theirs, and the job has ended.
  /// Throws std::runtime_error when it fails.
  void await_results(int tasks);

  void run(int tasks) {
    submit(tasks);
    await_results(tasks);
  }

  /// CPU of all executors so far, in seconds.
  [[nodiscard]] double executor_cpu_seconds() const;

private:
  const int executors_;
  const int cores_of_each_;
  TemporaryDirectory directory_;
  std::unique_ptr<ActorNetwork> network_;
  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<JobSession> session_;
  int jobs_ = 0;
};

} // namespace stoker::benchmark
