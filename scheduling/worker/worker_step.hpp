#pragma once

#include <string>
#include <utility>

#include "scheduling/worker/work_directories.hpp"
#include "scheduling/worker/worker_config.hpp"
#include "scheduling/worker/worker_effects.hpp"

namespace stoker {

/// What the parts of a worker's state machine share during one step.
struct WorkerStep {
  Instant now;
  const WorkerConfig& config;
  const MasterLink& link;

  /// Where the present master is, or the last one.
  const std::string& master_url;

  WorkDirectories& directories;

  /// The worker was asked to stop: it starts nothing more.
  bool stopping = false;

  /// What follows, in order.
  WorkerEffects& effects;

  void add(WorkerEffect x) const {
    effects.push_back(std::move(x));
  }

  /// Sends nothing while no master counts the worker as registered: it is told
  /// all again when it registers.
  void tell(WorkerMessage x) const {
    if (link.is_registered())
      add(SendWorkerMessage{std::move(x)});
  }
};

} // namespace stoker
