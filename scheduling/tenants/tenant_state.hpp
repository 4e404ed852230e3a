#pragma once

#include "messages/tenants_config.hpp"
#include "scheduling/tenants/admitted_programs.hpp"
#include "scheduling/tenants/changed_tenants.hpp"
#include "scheduling/tenants/occupancy.hpp"
#include "scheduling/tenants/selection_history.hpp"
#include "scheduling/tenants/serving_order.hpp"
#include "scheduling/tenants/tenant_directory.hpp"
#include "scheduling/tenants/tenant_rules.hpp"
#include "scheduling/tenants/usage_history.hpp"
#include "scheduling/tenants/user_queues.hpp"

namespace stoker {

/// All that a TenantTree knows: a plain value, made of owners that each keep an
/// invariant of their own. What must hold between them is in
/// `tenant_invariants.hpp`, and `tenant_steps.hpp` keeps it.
struct TenantState {
  /// Has the companies and users of the configuration, numbered in its order.
  /// @pre `validate(config)`
  explicit TenantState(TenantsConfig config);

  TenantRules rules;
  TenantDirectory directory;
  UserQueues queues;
  AdmittedPrograms admitted;
  Occupancy occupancy;
  SelectionHistory selections;
  UsageHistory usage;
  ServingOrder order;
  ChangedTenants changed;
};

/// What a company occupies, by the rules' accounting.
inline const Resources& occupied(const TenantState& state,
                                 CompanyNumber company) {
  return state.rules.occupied(state.occupancy.of(company));
}

} // namespace stoker
