#pragma once

// Stepping a master's log again: whether this program decides as the one that
// wrote the log, and what a cluster looked like at any time.
// docs/develop/replay.md shows how to use it in tests.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "messages/result.hpp"
#include "scheduling/master/cluster.hpp"
#include "storage/message_log_reader.hpp"
#include "storage/replay_steps.hpp"

namespace stoker {

using ReplayOptions = ReplayOptionsOf<LoggedStep>;

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

/// All files of the log that `path` belongs to. Fails with `Errc::unreadable` and one line where
/// the others throw.
Result<Replay> replay_file(const std::string& path,
                           const ReplayOptions& options = {});

} // namespace stoker
