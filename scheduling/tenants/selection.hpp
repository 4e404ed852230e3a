#pragma once

// The choice of a company, of a user, and of an application.

#include <optional>

#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// Admits the next application, or lets an admitted one grow; nothing: the cluster is
/// full, or nothing fits. Looks at the users who are ready or grow of the companies that
/// it asks.
std::optional<ProgramKey> select_next(TenantState& state);

/// Counts that another of the company goes before this user's next application,
/// if that is for want of room under the cap. Holds the company for it after
/// `hold_after` times. @pre the user is ready
void pass_over(TenantState& state, UserNumber user);

} // namespace stoker
