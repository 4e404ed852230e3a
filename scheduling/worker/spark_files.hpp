#pragma once

#include <map>
#include <set>

#include "scheduling/worker/worker_executors.hpp"
#include "scheduling/worker/worker_step.hpp"

namespace stoker {

/// Applications whose Spark executors have local files on this worker, which all of
/// them share. The files outlive an executor, as an application may still want what
/// it has written, and go when the application has ended and none of its executors
/// runs here any more.
class SparkFiles {
public:
  /// An executor is to be started.
  void use(const LaunchExecutor& x);

  /// A dead worker of the same place has left files, perhaps of an application that
  /// has ended.
  void go_on(WorkerStep& step, const AppId& app);

  /// The application has ended.
  void stop(WorkerStep& step, const AppId& app,
            const WorkerExecutors& executors);

  /// One of its executors has.
  void executor_ended(WorkerStep& step, const AppId& app,
                      const WorkerExecutors& executors);

  /// The worker's shuffle service serves what the application's executors have written.
  void serve(const AppId& app);

  /// The worker waits no longer for applications that fetch these files.
  void end_serving();

  /// Returns true if an application that has not ended may fetch what its executors have
  /// written.
  [[nodiscard]] bool serves_any() const;

private:
  void remove_if_unused(WorkerStep& step, const AppId& app,
                        const WorkerExecutors& executors);

  /// Whether each has ended.
  std::map<AppId, bool> has_ended_;

  /// Applications whose executors the shuffle service knows.
  std::set<AppId> served_;
  bool has_ended_serving_ = false;
};

} // namespace stoker
