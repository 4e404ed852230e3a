#pragma once

#include <memory>
#include <vector>

#include "simulation/application_process.hpp"
#include "simulation/event_queue.hpp"
#include "simulation/worker_process.hpp"

namespace stoker::simulation {

class Referee;

/// The connections of executors to the drivers of elastic applications, which see by
/// themselves who comes and goes, and tell who may stop. They do not break; that is in
/// the world of jobs.
class ExecutorConnections {
public:
  using Workers = std::vector<std::unique_ptr<WorkerProcess>>;
  using Applications = std::vector<std::unique_ptr<ApplicationProcess>>;

  ExecutorConnections(EventQueue& queue, const Referee& referee,
                      const Workers& workers, const Applications& applications)
      : queue_(queue), referee_(referee), workers_(workers),
        applications_(applications) {
  }

  /// From now on what this worker's executors do is heard.
  void watch(WorkerProcess& worker);

  /// How the application that is added next tells its executors to stop.
  [[nodiscard]] ElasticTasks::Stop stop_of_next();

private:
  void changed(const ExecutorId& id, bool begins);
  void stop(const ApplicationProcess& application, int exec_id);

  EventQueue& queue_;
  const Referee& referee_;
  const Workers& workers_;
  const Applications& applications_;
};

} // namespace stoker::simulation
