#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "messages/named_resources.hpp"

namespace stoker {

// What this machine and this process offer to programs that a worker starts.

/// Cores that this process may use.
int machine_cores();

/// All memory less 1 GB for the system, at least 512 MB, in MB: Spark's default
/// for a worker.
std::int64_t machine_memory_mb();

std::string machine_name();

/// This process's environment without what is Stoker's own (STOKER_*).
std::map<std::string, std::string> inherited_environment();

/// `$XDG_STATE_HOME/stoker`, else `~/.local/state/stoker`.
std::string default_state_directory();

/// One worker's part of named resources of which the machine's `workers` have
/// all. @param worker From 0 on.
ResourceAddresses dealt(const ResourceAddresses& all, int worker, int workers);

} // namespace stoker
