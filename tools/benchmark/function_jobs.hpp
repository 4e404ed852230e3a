#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "embedding/job_session.hpp"
#include "embedding/local_cluster.hpp"
#include "executor/task_function.hpp"
#include "messages/task.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

/// The functions that this program has when it is an executor.
executor::TaskFunctions bench_functions();

/// A cluster in this process, and a driver of jobs whose tasks are functions that do
/// nothing, or barrier stages. Its executors are this program.
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

  /// Submits a barrier stage of that function (bench_functions).
  void submit_together(int tasks, const std::string& function,
                       const std::string& argument);

  /// Runs one, and returns what its tasks wrote, by task.
  std::vector<std::string> run_together(int tasks, const std::string& function,
                                        const std::string& argument = {});

  /// The same of a program, which is given by its words.
  std::vector<std::string>
  run_programs_together(int tasks, const std::vector<std::string>& words);

  /// CPU of all executors so far, in seconds.
  [[nodiscard]] double executor_cpu_seconds() const;

  /// Waits until so many jobs have ended well, and drops their results.
  void await_jobs(int count);

private:
  /// Submits a job of one stage; it has no number yet.
  void submit(DescribeStage stage);

  std::vector<std::string> await_outputs(int tasks);

  /// Calls `take(task, bytes)` for each.
  void await_results(int tasks,
                     const std::function<void(int, std::string_view)>& take);

  const int executors_;
  const int cores_of_each_;
  TemporaryDirectory directory_;
  std::unique_ptr<ActorNetwork> network_;
  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<JobSession> session_;
  int jobs_ = 0;
};

} // namespace stoker::benchmark
