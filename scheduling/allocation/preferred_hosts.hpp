#pragma once

#include <map>
#include <string>

#include "scheduling/allocation/locality_hints.hpp"

namespace stoker {

/// How many of `further` new executors had better be on which hosts. All executors that
/// the tasks with preferences can use are distributed in proportion to how many tasks
/// name a host, rounded up; what a host has already counts for it. If those that are
/// missing then are more than `further`, each host gets its part. The rest is welcome
/// anywhere.
///
/// @param slots Tasks that an executor runs at once, at least 1.
/// @param present Per host the number of executors that are there.
/// @param further At least 0.
/// @returns Only hosts that get any. Their sum is at most `further`.
std::map<std::string, int>
further_on_hosts(const LocalityHints& wanted, int slots,
                 const std::map<std::string, int>& present, int further);

} // namespace stoker
