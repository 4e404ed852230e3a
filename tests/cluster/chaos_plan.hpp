#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace stoker::test {

/// What can go wrong, from outside.
enum class Fault {
  KILL_MASTER,
  KILL_WORKER,
  STOP_MASTER,
  STOP_WORKER,
  CUT_MASTER,
  CUT_WORKER,
  REMOVE_LOCK,
};

/// Times count from the beginning of the test.
struct PlannedFault {
  Fault what = Fault::KILL_MASTER;

  /// Which master or worker, from 1.
  int target = 1;

  std::chrono::milliseconds begin{};

  /// When it is started again, goes on, or is reached again.
  std::chrono::milliseconds end{};
};

struct ChaosOptions {
  std::uint64_t seed = 1;

  /// How long faults are begun.
  std::chrono::milliseconds duration{25'000};

  int masters = 3;
  int workers = 3;

  /// Whether machines can be cut off.
  bool partitions = true;

  /// A worker that is started again within this time goes on with its
  /// programs.
  std::chrono::milliseconds orphan_grace{3'000};
};

/// Seed and duration from STOKER_SEED and STOKER_CHAOS_SECONDS, where set.
ChaosOptions chaos_options();

/// The same faults for the same options, in order of their beginning. No target
/// suffers from two at a time.
std::vector<PlannedFault> plan_faults(const ChaosOptions& options);

/// For people.
std::string to_string(const PlannedFault& fault);

} // namespace stoker::test
