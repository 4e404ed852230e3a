#pragma once

// The files of spark/versions, as parts of the program. Their sources are made when
// it is built, see cmake/StokerSparkTables.cmake.

#include <string_view>
#include <vector>

namespace stoker::spark {

/// The text of each, in no order that means anything.
std::vector<std::string_view> embedded_tables();

} // namespace stoker::spark
