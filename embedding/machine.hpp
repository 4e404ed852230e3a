#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "messages/ids.hpp"
#include "messages/named_resources.hpp"
#include "network/tls_config.hpp"

namespace stoker {

// What this machine and this process offer to programs that a worker starts.

/// Cores that this process may use: of its affinity, and as its control groups
/// leave it.
int machine_cores();

/// All memory that its control groups leave, less 1 GB for the system, at least
/// 512 MB, in MB: Spark's default for a worker.
std::int64_t machine_memory_mb();

/// The same of so much memory.
std::int64_t memory_to_offer_mb(std::int64_t total_bytes,
                                std::optional<std::int64_t> limit_bytes);

std::string machine_name();

/// Returns the host that others are told of a listener: the machine's name if it listens at all
/// addresses, or else `host`.
std::string public_host(const std::string& host);

/// Returns the host of workers that are reached from this machine alone: its name, or
/// "localhost" if the name has a '_', which Spark refuses (java.net.URI, getHost).
std::string host_of_local_workers(const std::string& machine);

/// Returns the driver of this cluster that this process is a part of: `STOKER_DRIVER_ID`.
std::optional<DriverId> own_driver();

/// Adds the list of revoked certificates that `STOKER_TLS_REVOKED` names, unless another list is
/// there or nothing is proven by certificates.
TlsConfig with_revoked_list(TlsConfig x);

/// `$XDG_STATE_HOME/stoker`, else `~/.local/state/stoker`, else `own_directory` of
/// `/var/tmp/stoker-UID`.
std::string default_state_directory();

/// Names a directory that only this user may write, in a place where others may make some
/// too. If another user has the name already, it is the first of `path-2`, `path-3` and so
/// on that is free, or is such a directory.
/// @return Its path. The caller makes the directory, and checks its owner again.
std::string own_directory(const std::string& path);

/// One worker's part of named resources of which the machine's `workers` have
/// all. @param worker From 0 on.
ResourceAddresses dealt(const ResourceAddresses& all, int worker, int workers);

} // namespace stoker
