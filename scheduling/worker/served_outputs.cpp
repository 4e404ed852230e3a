#include "scheduling/worker/served_outputs.hpp"

#include "messages/task_environment.hpp"

namespace stoker {

void ServedOutputs::use(WorkerStep& step, const LaunchExecutor& x) {
  const auto& environment = x.app_desc.command.environment;
  auto secret = environment.find(task_environment::secret);
  if (secret != environment.end() && apps_.insert(x.app_id).second)
    step.add(ServeOutputs{x.app_id, secret->second});
}

void ServedOutputs::go_on(WorkerStep& step, const AppId& app) {
  if (!apps_.insert(app).second)
    return;
  // The master says whether it has ended.
  step.directories.use(app);
  step.add(ServeOutputs{app, {}});
}

void ServedOutputs::writer_ended(WorkerStep& step, const ExecutorId& id) const {
  if (apps_.contains(id.app_id))
    step.add(OutputWriterEnded{id});
}

void ServedOutputs::stop(WorkerStep& step, const AppId& app) {
  if (apps_.erase(app) > 0)
    step.add(StopServingOutputs{app});
}

} // namespace stoker
