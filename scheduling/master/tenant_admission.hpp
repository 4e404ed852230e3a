#pragma once

// From a user's queue into the list of those that are given executors
// (document 001). Without tenants every application is admitted at once.

#include <optional>
#include <string>

#include "messages/result.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

void handle(Step& step, const ReconfigureTenants& x);

/// Returns what tenants are told of an application.
/// @param request what counts for it, or is to
[[nodiscard]] TenantTree::Entry entry_of(const ClusterState& state,
                                         const Application& app,
                                         const Resources& request);

/// Puts the application into its user's queue, where there are tenants. Fails
/// if it could never leave it.
Status join_queue(Step& step, AppKey key);

/// Whether it could do so now; if not, why.
[[nodiscard]] Status may_join_queue(const ClusterState& state, AppKey key);

/// Gives its executors the size that it asks for: all that it needs without tenants.
void size_as_asked(StoredApplication& x);

/// Puts an application that was just selected back into its queue if it was selected with less
/// than it needs: its executors have become larger since it was queued.
/// @return whether it did
bool requeue_if_short(Step& step, AppKey key);

/// Lets the application have executors from now on.
void admit(Step& step, AppKey key);

/// Lets one executor, or the gang, count for an application that `admit` has just admitted in
/// its turn. In the queue the smallest ones counted, and `admit` chose their size.
void count_first_executor(Step& step, AppKey key);

/// Gives an application that runs nothing executors that some worker can hold, if its
/// own say nothing else, and none could hold what it has asked for so far. Nothing
/// without tenants.
void size_again(Step& step, AppKey key);

/// Updates what a queued application asks for, as its load or the rules have changed. Ignores
/// others, and all during a recovery: workers are missing then.
void ask_again(Step& step, AppKey key);

/// Workers may have come or gone: those that no worker can hold are sized anew,
/// and cease to keep others waiting.
void follow_workers(Step& step);

} // namespace stoker
