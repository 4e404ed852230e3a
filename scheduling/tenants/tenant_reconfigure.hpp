#pragma once

#include "messages/tenants_config.hpp"
#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// The same applications and past under new rules; see
/// `TenantTree::reconfigure`. Looks at everything. @pre `validate(config)`
TenantState reconfigured(TenantState old, TenantsConfig config);

} // namespace stoker
