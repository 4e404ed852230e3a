#include "scheduling/worker/spark_files.hpp"

#include <algorithm>

#include "scheduling/common/plain_name.hpp"

namespace stoker {

void SparkFiles::use(const LaunchExecutor& x) {
  if (x.app_desc.command.spark && is_plain_name(x.app_id.value))
    has_ended_[x.app_id] = false;
}

void SparkFiles::go_on(WorkerStep& step, const AppId& app) {
  if (!is_plain_name(app.value))
    return;
  has_ended_.try_emplace(app, false);
  // The master says whether it has ended.
  step.directories.use(app);
}

void SparkFiles::stop(WorkerStep& step, const AppId& app,
                      const WorkerExecutors& executors) {
  auto i = has_ended_.find(app);
  if (i == has_ended_.end())
    return;
  i->second = true;
  remove_if_unused(step, app, executors);
}

void SparkFiles::executor_ended(WorkerStep& step, const AppId& app,
                                const WorkerExecutors& executors) {
  auto i = has_ended_.find(app);
  if (i != has_ended_.end() && i->second)
    remove_if_unused(step, app, executors);
}

void SparkFiles::serve(const AppId& app) {
  served_.insert(app);
}

void SparkFiles::end_serving() {
  has_ended_serving_ = true;
}

bool SparkFiles::serves_any() const {
  auto may_fetch = [&](const AppId& app) {
    auto i = has_ended_.find(app);
    return i != has_ended_.end() && !i->second;
  };
  return !has_ended_serving_ && std::ranges::any_of(served_, may_fetch);
}

void SparkFiles::remove_if_unused(WorkerStep& step, const AppId& app,
                                  const WorkerExecutors& executors) {
  if (executors.runs_any_of(app))
    return;
  has_ended_.erase(app);
  served_.erase(app);
  step.add(RemoveDirectory{step.directories.of_spark(app)});
}

} // namespace stoker
