#pragma once

#include <vector>

#include "messages/descriptions.hpp"
#include "messages/ids.hpp"
#include "messages/worker.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

/// Makes what is known of a worker and what it reports agree: what runs and is
/// not known ends; what is known and does not run is lost.
void reconcile(Step& step, const WorkerLatestState& report);

} // namespace stoker
