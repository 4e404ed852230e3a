#pragma once

#include <string>
#include <vector>

#include "scheduling/master/stored.hpp"

namespace stoker {

/// What in a stored state contradicts itself, one line each: executors of an
/// application or on a worker that is not there, more cores or memory in use
/// than a worker has, and addresses of GPUs that are given twice or that the
/// worker does not have. Pure.
std::vector<std::string> find_contradictions(const StoredState& state);

} // namespace stoker
