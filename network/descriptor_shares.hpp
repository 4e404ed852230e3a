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

/// At most so many of them are for programs of Spark at one port: that of a master, or that of a
/// shuffle service. A cluster in one process has both.
std::size_t descriptors_for_spark();

/// Descriptors for files, pipes, and connections that a process opens itself.
inline constexpr std::size_t descriptors_reserved = 128;

/// A peer that is let in at a door has three: its socket and both ends of its local stream.
inline constexpr std::size_t descriptors_of_peer = 3;

/// Returns how many peers a door may let in, when those that have yet to prove themselves, pages,
/// both ports of Spark's programs and the process itself have taken their shares: 16 at least.
/// @param newcomers the most that have yet to prove themselves, which have a descriptor each
std::size_t places_at_door(std::size_t newcomers);

} // namespace stoker
