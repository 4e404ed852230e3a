#pragma once

#include <cstddef>

namespace stoker {

/// How many descriptors this process may have at once (setrlimit(2)).
std::size_t descriptors_max();

/// What to do for a process that needs more of them.
inline constexpr const char* more_descriptors_advice
    = "start it with more ('ulimit -n', or LimitNOFILE in its unit)";

/// So many of them are for who reads pages, where there are pages: a few readers need few,
/// and others shall not wait for those.
std::size_t descriptors_for_pages();

/// At most so many of them are for programs of Spark, which have one each.
std::size_t descriptors_for_spark();

} // namespace stoker
