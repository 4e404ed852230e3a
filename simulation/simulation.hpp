#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "scheduling/common/instant.hpp"
#include "simulation/scenario.hpp"
#include "simulation/stats.hpp"

namespace stoker::simulation {

/// How a run went.
struct Outcome {
  /// The first promise that was broken, and when.
  std::optional<std::string> violation;

  /// A fingerprint of all that masters did: equal scenarios have equal ones.
  std::uint64_t digest = 0;

  Duration simulated{};
  Stats stats;
};

/// Runs a whole cluster through a scenario, in this thread:
///
/// 1. chaos: the items happen. After every step and every start of a program,
///    what must never happen is looked for (simulation/referee.hpp).
/// 2. All faults end. Within two and a half minutes a leader is ALIVE, all
///    workers and applications are registered, nothing waits that has room, and
///    what the leader knows is what really runs.
/// 3. Serving applications leave and drivers are killed. Within half an hour
///    everything has ended, and nothing is held any more.
///
/// `log`, if there is one, gets a line for whatever happens; `message_log` gets the
/// driver's message log, which a scenario of jobs has (storage/task_log_format.hpp).
[[nodiscard]] Outcome run(const Scenario& scenario, std::ostream* log = nullptr,
                          std::ostream* message_log = nullptr);

} // namespace stoker::simulation
