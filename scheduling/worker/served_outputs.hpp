#pragma once

#include <set>

#include "scheduling/worker/worker_step.hpp"

namespace stoker {

/// The applications whose outputs a worker serves: from their first executor here
/// that has a secret, until they end. What executors have written outlives them, and
/// the worker: one that goes on under its id serves it again.
class ServedOutputs {
public:
  /// An executor is about to be started.
  void use(WorkerStep& step, const LaunchExecutor& x);

  /// A dead worker of the same id served the application's outputs.
  void go_on(WorkerStep& step, const AppId& app);

  /// An executor has ended, however.
  void writer_ended(WorkerStep& step, const ExecutorId& id) const;

  void stop(WorkerStep& step, const AppId& app);

private:
  std::set<AppId> apps_;
};

} // namespace stoker
