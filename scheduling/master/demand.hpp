#pragma once

#include "scheduling/master/step.hpp"

namespace stoker {

/// Brings up to date what the scheduling pass and the tenants know of an
/// application: whether it would take another executor, and what counts for its
/// tenant. Nothing for one that is not admitted.
void update_demand(Step& step, AppKey key);

} // namespace stoker
