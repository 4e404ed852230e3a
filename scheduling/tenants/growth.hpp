#pragma once

// Admitted applications that want more than they were admitted with.

#include <vector>

#include "messages/resources.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// How much of `missing` goes into `room`: all of it, or as many whole units as
/// fit, where the last may be cut off at what is missing. Room below 0 in cores
/// or memory gives nothing, not even of the other. A unit of 0 in what is
/// missing: all or nothing.
Resources grant(const Resources& missing, const Resources& unit,
                const Resources& room);

/// What an admitted application that wants more could be given now: nothing in
/// a company that is held for one that waits.
Resources grantable(const TenantState& state, const AdmittedApp& app);

/// Gives an admitted application what it wants, as far as possible. Returns
/// whether it got something.
bool grow(TenantState& state, AppKey key);

/// `grow` for those that want more in companies that may have got more room, in
/// order of admission. Returns those that got something.
std::vector<AppKey> top_up(TenantState& state);

} // namespace stoker
