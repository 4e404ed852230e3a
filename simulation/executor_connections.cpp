#include "simulation/executor_connections.hpp"

#include <algorithm>

#include "simulation/referee.hpp"

namespace stoker::simulation {

namespace {

/// What an executor and its driver say to each other takes so long, always: it stays in
/// order.
Duration delay_to(int exec_id) {
  return Duration{1 + exec_id * 7 % 40};
}

} // namespace

void ExecutorConnections::watch(WorkerProcess& worker) {
  worker.on_executors(
      [this](const ExecutorId& id, bool begins) { changed(id, begins); });
}

ElasticTasks::Stop ExecutorConnections::stop_of_next() {
  return [this, number = applications_.size()](int exec_id) {
    stop(*applications_.at(number), exec_id);
  };
}

void ExecutorConnections::changed(const ExecutorId& id, bool begins) {
  // It knows its driver's address, also before the driver knows what it is.
  auto i = std::find_if(applications_.begin(), applications_.end(),
                        [&](const auto& x) {
                          return x->up() && x->elastic() != nullptr
                                 && referee_.id_of(*x) == id.app_id;
                        });
  if (i == applications_.end())
    return;
  auto& application = **i;
  application.after(delay_to(id.exec_id), [&application, id, begins] {
    if (begins)
      application.executor_connects(id.exec_id);
    else
      application.executor_is_gone(id.exec_id);
  });
}

void ExecutorConnections::stop(const ApplicationProcess& application,
                               int exec_id) {
  const auto& app_id = application.app_id();
  if (!app_id)
    return;
  queue_.after(delay_to(exec_id), [this, id = ExecutorId{*app_id, exec_id}] {
    for (const auto& worker : workers_)
      worker->stop_executor(id);
  });
}

} // namespace stoker::simulation
