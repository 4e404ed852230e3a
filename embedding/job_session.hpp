#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/allocation_manager.hpp"
#include "actors/app_client.hpp"
#include "actors/task_scheduler.hpp"
#include "embedding/executor_outputs.hpp"
#include "network/actor_network.hpp"
#include "storage/task_log.hpp"

namespace stoker {

/// A job, and what its tasks do. Used by another thread than the one that has
/// submitted it, which does not change it any more.
class JobWork {
public:
  virtual ~JobWork() = default;
  [[nodiscard]] virtual const JobSpec& job() const = 0;
  [[nodiscard]] virtual DescribeStage describe(StageId stage) const = 0;
  [[nodiscard]] virtual LaunchTask describe(const TaskAttempt& task) const = 0;
};

struct JobSessionConfig {
  /// What the executors are; their command is filled in.
  ApplicationDescription application;
  RegistrationConfig registration;
  JobsConfig jobs;

  /// How the executors follow the load. Unset: they are as many as `application` says.
  std::optional<AllocationSettings> allocation;

  /// Where executors find this process [spark.driver.host, spark.driver.port]. 0
  /// chooses a port.
  std::string driver_host = "127.0.0.1";
  std::uint16_t driver_port = 0;

  /// What is started as executor on the workers' machines, with its arguments: the
  /// `executor` command, or a program that calls `run_executor`.
  std::vector<std::string> executor_command;

  /// What the executors write comes as news, and they wait for whoever takes it.
  bool brings_output = false;

  /// For results that are not in memory. It exists.
  std::string scratch_directory = "/tmp";

  /// Gets each step of the task scheduler. Null: nobody does.
  std::shared_ptr<TaskLogWriter> log;
};

/// A task's result counts.
struct ResultArrived {
  JobId job;
  TaskAttempt id;
};

using JobNews = std::variant<ResultArrived, JobEnded, StageStarted,
                             StageCompleted, AttemptFailed, OutputsLost,
                             BarrierAttemptBegun, ApplicationNews, OutputNews>;

/// Of a stage, as it is at a moment.
struct StageProgress {
  int tasks = 0;
  int running = 0;
  int done = 0;

  /// Attempts that failed, so far.
  int failed = 0;
  bool is_active = false;

  friend bool operator==(const StageProgress&, const StageProgress&) = default;
};

/// An application whose executors run tasks of jobs: registered with a master, and
/// driven from this process. It ends with this object.
class JobSession {
public:
  /// Returns before a master has answered. Fails if it cannot listen for executors.
  static Result<std::unique_ptr<JobSession>> start(ActorNetwork& network,
                                                   ConnectorActor connector,
                                                   JobSessionConfig config);

  ~JobSession();

  JobSession(const JobSession&) = delete;
  JobSession& operator=(const JobSession&) = delete;

  /// @pre `validate(work->job())`, and its numbers are new
  void submit(const std::shared_ptr<const JobWork>& work);

  /// Its end follows as news.
  void cancel(JobId job, const std::string& why);

  /// No job will be submitted any more that has these stages, and none that has them
  /// runs: what is known of them here, and what their tasks wrote, goes.
  void release(const std::vector<StageId>& stages);

  /// Nothing will be submitted any more: the executors end, and none is wanted.
  void end_executors();

  /// The application ends before its work was done, or because it cannot be done: the
  /// master records that.
  void interrupt();
  void fail(const std::string& why);

  /// @pre `brings_output`
  [[nodiscard]] ExecutorOutputs& outputs() const;

  /// What has happened since the last call, in order; waits at most so long for
  /// something.
  std::vector<JobNews> take(std::chrono::milliseconds patience);

  /// Gives a result that has arrived, piece by piece, and forgets it.
  Status take_result(const TaskAttempt& id,
                     const std::function<Status(std::string_view)>& take);

  [[nodiscard]] std::map<StageId, StageProgress> progress() const;

  /// How many executors are there.
  [[nodiscard]] int executors() const;

private:
  class Impl;
  explicit JobSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace stoker
