#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "executor/barrier_tasks.hpp"
#include "messages/task.hpp"
#include "outputs/output_client.hpp"

namespace stoker::executor {

/// Who an executor is, and where it writes.
struct ExecutorIdentity {
  AppId app_id;
  int exec_id = 0;
  WorkerId worker_id;
  std::string host;
  int cores = 1;

  /// Of all that runs in it.
  int memory_mb = 512;

  /// Of its worker.
  OutputServer outputs;

  /// Of its own: for what does not stay.
  std::string work_directory;

  /// What programs of tasks find, before what their stage adds.
  std::map<std::string, std::string> environment;
};

/// What the driver has said of stages: what their tasks do, and where the outputs are
/// that they read. May be used by any thread.
class StageTable {
public:
  /// @param barriers Of tasks of barrier stages; null: there are none.
  StageTable(ExecutorIdentity identity, const ApplicationSecret& secret,
             std::shared_ptr<BarrierTasks> barriers = nullptr);

  /// Null: there are none.
  [[nodiscard]] BarrierTasks* barriers() const noexcept {
    return barriers_.get();
  }

  [[nodiscard]] const ExecutorIdentity& executor() const noexcept {
    return identity_;
  }

  void know(const DescribeStage& x);
  void know(const StageOutputs& x);
  void forget(StageId stage);

  /// Fails with `Errc::not_found`.
  [[nodiscard]] Result<std::shared_ptr<const DescribeStage>>
  find(const TaskAttempt& task) const;

  /// The outputs that a task reads. Fails with `Errc::not_found` if it is not known
  /// where they are.
  [[nodiscard]] Result<std::vector<LocatedOutput>>
  sources_of(const StageDependency& read, int task) const;

  /// Begins to read them.
  /// @param partition Of a shuffle: by default it has the number of the task that reads.
  [[nodiscard]] OutputReader open(std::vector<LocatedOutput> sources,
                                  DependencyKind kind, int partition,
                                  const std::stop_token& stop) const;

private:
  const ExecutorIdentity identity_;
  const OutputClient client_;
  const std::shared_ptr<BarrierTasks> barriers_;
  mutable std::mutex mutex_;
  std::map<StageId, std::shared_ptr<const DescribeStage>> stages_;
  std::map<StageId, std::shared_ptr<const StageOutputs>> outputs_;
};

} // namespace stoker::executor
