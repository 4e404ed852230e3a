#pragma once

// Why things are as they are, for people.

#include "messages/tenants_view.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// All there is to tell. Looks at all companies and users.
TenantsView view_of(const TenantState& state, Instant now);

/// Where an application stands. Looks at all companies and users, and at those
/// of the user's applications that come before it.
QueuePlace place_of(const TenantState& state, ProgramKey program, Instant now);

} // namespace stoker
