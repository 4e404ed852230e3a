#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace stoker::process {

// A control group (version 2) for one program makes ending its tree certain
// even against one that forks faster than it can be searched. It is a means on
// top: where the groups are absent or not ours to write, all of these do
// nothing, and the tree is found through /proc alone.

/// The group's name for the program of a launch.
std::string cgroup_name(const std::string& token);

/// Creates a group below that of this process. Returns its directory, empty if
/// there are no groups here that we may create.
std::string create_cgroup(const std::string& name);

/// Moves this process into a group.
void join_cgroup(const std::string& directory);

/// Sends KILL to every process in a group.
void kill_cgroup(const std::string& directory);

/// Whether a process, dead ones included, is in a group of this name or below.
bool is_in_cgroup(pid_t pid, const std::string& name);

/// The most memory that a group has had at once, in bytes; nothing: nobody counted.
std::optional<std::int64_t> peak_memory(const std::string& directory);

/// What all that were in a group, and in the groups below it, have computed so far, of all
/// cores together; nothing: nobody counted.
std::optional<std::chrono::microseconds> cpu_time(const std::string& directory);

/// Removes a group and the groups that were made below it. They have to be
/// empty of processes; those that are not stay.
void remove_cgroup(const std::string& directory);

} // namespace stoker::process
