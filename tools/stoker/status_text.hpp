#pragma once

#include <ostream>
#include <string>

#include "messages/administration.hpp"

namespace stoker {

/// Which part of a cluster's state to show.
enum class StatusPart {
  all,
  workers,
  apps,
  executors,
  drivers,
  /// Applications, and their executors.
  apps_with_executors
};

/// For people. The first line begins with the master's state.
void print_status(std::ostream& out, const MasterStateResponse& state,
                  StatusPart part);

} // namespace stoker
