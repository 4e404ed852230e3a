#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stoker {

/// The first field, as "on_end.retries", that an object of a JSON text has twice; empty: none
/// has. Readers differ in which of the two they take, so nobody means it.
/// @pre it is JSON, which is nested at most `depth_max` deep
std::string repeated_field(std::string_view json, std::size_t depth_max);

} // namespace stoker
