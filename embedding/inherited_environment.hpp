#pragma once

#include <map>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// Checks what a worker is told to hand on to its programs.
/// @param name A variable, the beginning of names and `*` (`PROXY_*`), or `ALL`.
/// @return An error that names it, also for a variable of Stoker's own (STOKER_*).
Status check_passed_variable(const std::string& name);

/// Returns the part of this process's environment that its programs find: what says where things
/// are on this machine (PATH, HOME, LC_*, JAVA_*, SPARK_*, CUDA_* and the like), and what `more`
/// adds. Keys and passwords of the shell that starts a worker are no part of it, and what is
/// Stoker's own (STOKER_*) never is.
/// Source: docs/reference.md, Environment.
/// @param more Each valid by `check_passed_variable`
std::map<std::string, std::string>
inherited_environment(const std::vector<std::string>& more = {});

} // namespace stoker
