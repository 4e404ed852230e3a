#pragma once

// Stepping a message log again: whether this program decides as the one that
// wrote the log, and what a cluster looked like at any time.
// docs/develop/replay.md shows how to use it in tests.

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>

#include "scheduling/master/cluster.hpp"
#include "storage/message_log_reader.hpp"

namespace stoker {

struct ReplayOptions {
  /// The last step to take; unset: all.
  std::optional<std::uint64_t> until;

  /// Called before each step. False ends the replay there.
  std::function<bool(const LoggedStep&)> before_step;
};

/// The first step that had other effects.
struct ReplayDifference {
  std::uint64_t step = 0;
  Instant at;

  /// As `to_string(Event)` renders it.
  std::string event;

  /// The first effect that differs, then and now; "nothing" where there is
  /// none.
  std::string then;
  std::string now;
};

/// "step 2 at 2026-11-21 07:46:00.000 UTC (RegisterWorker id=...): then: ...,
/// now: ..."
std::string to_string(const ReplayDifference& x);

struct Replay {
  /// How many steps were taken.
  std::uint64_t steps = 0;

  /// Nothing: all effects were the same. The replay ends at the first
  /// difference.
  std::optional<ReplayDifference> difference;

  /// After the last step that was taken.
  Cluster cluster;

  /// The difference in one line; empty without one.
  [[nodiscard]] std::string problem() const {
    return difference ? to_string(*difference) : "";
  }
};

/// @throws std::runtime_error as MessageLogReader does, and when the log's
/// beginning is gone: steps depend on all that came before.
Replay replay(MessageLogReader& log, const ReplayOptions& options = {});

/// One file.
/// @throws std::runtime_error the same.
Replay replay(std::istream& in, const ReplayOptions& options = {});

/// All files of the log that `path` belongs to.
/// @throws std::runtime_error the same.
Replay replay_file(const std::string& path, const ReplayOptions& options = {});

/// `2026-11-21 07:46:00.000`, in UTC.
std::string utc_time(Instant x);

} // namespace stoker
