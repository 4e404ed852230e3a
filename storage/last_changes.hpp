#pragma once

#include <vector>

#include "scheduling/master/stored.hpp"

namespace stoker {

/// The changes that make a difference when all of `changes` are applied in one
/// go, in order: of several to one record only the last, and none to executors
/// that are erased with the others of their application later on. The pointers
/// are into `changes`. Pure.
std::vector<const Change*> last_changes(const Changes& changes);

} // namespace stoker
