#pragma once

#include "scheduling/common/instant.hpp"

namespace stoker {

/// How much of an average belongs to the time that has passed since it was
/// taken, 1 - 2^(-elapsed / half life), when what is one half-life old counts
/// half:
///
///     average += newer_weight(...) * (value since then - average)
///
/// Uses only operations whose results IEEE 754 lays down to the last bit, so
/// that a replay on another machine gives the same.
/// @pre `half_life` is greater than 0
double newer_weight(Duration elapsed, Duration half_life);

} // namespace stoker
