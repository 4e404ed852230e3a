#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "embedding/job_session.hpp"
#include "network/actor_network.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

/// `stoker local` as people start it, in a process of its own: one worker, with
/// credentials that nobody set up. It and its files are gone with this object. One in a
/// process, which sees its credentials by the environment.
class LocalProcess {
public:
  /// Returns when its worker is registered. Throws std::runtime_error when that takes
  /// too long.
  explicit LocalProcess(int cores);

  [[nodiscard]] const MasterAddress& address() const noexcept {
    return address_;
  }

  [[nodiscard]] BenchClock::time_point started_at() const noexcept {
    return started_at_;
  }

  [[nodiscard]] pid_t pid() const noexcept {
    return child_->pid();
  }

  [[nodiscard]] const std::string& directory() const noexcept {
    return directory_.path();
  }

private:
  TemporaryDirectory directory_;
  BenchClock::time_point started_at_;
  MasterAddress address_;
  std::unique_ptr<ChildProcess> child_;
};

/// A job of one stage, whose tasks all run the same program.
class SameProgram : public JobWork {
public:
  SameProgram(int number, int tasks, std::vector<std::string> program);

  [[nodiscard]] const JobSpec& job() const override {
    return job_;
  }
  [[nodiscard]] DescribeStage describe(StageId stage) const override;
  [[nodiscard]] LaunchTask describe(const TaskAttempt& task) const override;

private:
  JobSpec job_;
  std::vector<std::string> program_;
};

/// An application in this process, whose executors are on a LocalProcess.
class BenchApplication {
public:
  /// @param memory_mb Of each executor.
  /// @param allocation Lets them follow the load.
  BenchApplication(const LocalProcess& cluster, int executors, int cores_each,
                   std::int64_t memory_mb = 256,
                   std::optional<AllocationSettings> allocation = {});

  /// Returns once all of its results were taken. Throws std::runtime_error if it
  /// failed.
  void run(const std::shared_ptr<const JobWork>& work);

  [[nodiscard]] JobSession& session() noexcept {
    return *session_;
  }

private:
  std::unique_ptr<ActorNetwork> network_;
  std::unique_ptr<JobSession> session_;
};

} // namespace stoker::benchmark
