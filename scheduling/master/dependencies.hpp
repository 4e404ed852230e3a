#pragma once

// Applications and drivers that wait for others to end. Until then they stand in no
// queue, and nothing is given to them.

#include <vector>

#include "messages/result.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

/// Those that have not ended yet.
/// @return Errc::invalid_request: one is not known, or has ended without the success that
/// is needed
[[nodiscard]] Result<std::vector<Dependency>>
open_dependencies(const ClusterState& state,
                  const std::vector<Dependency>& after);

/// Deals with all that has ended in this step (`Step::note_end`): who waited for nothing
/// else goes on, and who needed its success fails.
void settle_dependents(Step& step);

/// Who waits for the driver waits for the one that runs in its place.
void follow_relaunch(Step& step, const DriverId& from, const DriverId& to);

/// Those who were restored wait on, but for what has ended meanwhile, or is forgotten:
/// its success was dealt with when it ended.
void restore_dependents(Step& step);

} // namespace stoker
