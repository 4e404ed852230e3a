#pragma once

// How tasks of a barrier stage wait for each other.

#include "messages/describe.hpp"

namespace stoker {

/// What a task of a barrier stage calls. All tasks have to call the same.
enum class BarrierCall { BARRIER, ALL_GATHER };
BOOST_DESCRIBE_ENUM(BarrierCall, BARRIER, ALL_GATHER)

} // namespace stoker
