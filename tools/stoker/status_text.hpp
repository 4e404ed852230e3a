#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>

#include "messages/administration.hpp"

namespace stoker {

/// What to show of a cluster's state, and how much.
struct StatusView {
  bool workers = true;
  bool applications = true;
  bool executors = true;
  bool drivers = true;

  /// Rows of each table. Those of things that have ended come last.
  std::size_t rows_max = std::numeric_limits<std::size_t>::max();

  /// Of these so many that have ended, the last ones. Lost workers are only counted
  /// unless there is no limit.
  std::size_t ended_max = std::numeric_limits<std::size_t>::max();

  /// Milliseconds since 1970, for how long something has lasted that goes on.
  std::int64_t now_ms = 0;
};

/// For people. The first line begins with the master's state.
void print_status(std::ostream& out, const MasterStateResponse& state,
                  const StatusView& view);

} // namespace stoker
