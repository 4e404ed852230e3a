#pragma once

#include <set>
#include <utility>

#include "scheduling/master/records.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// What a step has changed of what is stored. Records are made when it ends, so
/// that each is stored once a step, as it is then.
struct TouchedRecords {
  bool counters = false;
  std::set<WorkerKey> workers;
  std::set<AppKey> apps;
  std::set<DriverKey> drivers;
  std::set<ExecutorRef> executors;

  /// What was erased, and last records of what is no longer present, in order.
  /// They stand before the others.
  Changes changes;
};

} // namespace stoker
