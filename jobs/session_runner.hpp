#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "embedding/job_session.hpp"
#include "embedding/job_settings.hpp"
#include "embedding/stop_signal.hpp"
#include "jobs/job_runs.hpp"
#include "jobs/runner.hpp"

namespace stoker::jobs {

struct RunnerSettings {
  PlanSettings plan;
  JobSettings settings;
  int default_partitions = 0;
  int cores = 2;
  std::function<void(const JobNews&)> on_news;
};

/// Runs jobs of datasets in a session. Datasets hold it; it may outlive the session.
class SessionRunner : public Runner,
                      public std::enable_shared_from_this<SessionRunner> {
public:
  /// @param stop Signals that interrupt it; null: none.
  SessionRunner(std::unique_ptr<JobSession> session, RunnerSettings settings,
                std::unique_ptr<StopSignal> stop);
  ~SessionRunner() override;

  std::unique_ptr<StageLease> lease_stage() override;
  Status run(const Node& target, const Action& action,
             const TakeResult& take) override;
  [[nodiscard]] int default_partitions() const override {
    return settings_.default_partitions;
  }
  [[nodiscard]] int cores() const override {
    return settings_.cores;
  }

  /// Before its work was done: whatever runs fails.
  void interrupt(const std::string& why);

  /// The application ends, and all that runs.
  void close();

  [[nodiscard]] int executors() const;

private:
  [[nodiscard]] StageId next_stage() {
    return StageId{next_stage_.fetch_add(1)};
  }

  /// Null: it is closed.
  [[nodiscard]] std::shared_ptr<JobSession> session() const;

  Status run_planned(JobSession& session, const PlannedJob& job,
                     const Action& action, const TakeResult& take);
  void release(StageId stage);

  // -- on the thread of its own -----------------------------------------------

  void follow(const std::stop_token& stop);
  void release_stages(JobSession& session);
  void look_at_signals();

  const RunnerSettings settings_;
  const std::unique_ptr<StopSignal> stop_;
  std::atomic<std::int32_t> next_stage_{0};
  std::atomic<std::int32_t> next_job_{0};
  JobRuns runs_;

  mutable std::mutex mutex_;
  std::shared_ptr<JobSession> session_;

  /// Nobody needs them any more.
  std::vector<StageId> released_;

  /// By a signal.
  bool interrupted_ = false;

  // Last: it uses the others.
  std::jthread thread_;
};

} // namespace stoker::jobs
