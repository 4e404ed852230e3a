#pragma once

#include <sys/types.h>

#include <optional>

#include "gateway/spark_peer.hpp"
#include "gateway/spark_users.hpp"
#include "messages/result.hpp"

namespace stoker {

// Which process a new leader believes to be the driver or the worker that is stored. Another
// user may listen at its address by now, so the kernel has to know that the user is the same.

/// Returns an error if a process of this user is not that driver or worker: the user must be the
/// one who is stored, and must be known also where any user may use the master.
/// @param users who may use the master
/// @param owner unset: the kernel does not know the user, or no process listens
Status check_owner(const SparkRecall& recall, SparkUsers users,
                   std::optional<uid_t> owner);

} // namespace stoker
