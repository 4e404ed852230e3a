#include "scheduling/tenants/tenant_state.hpp"

#include <utility>

namespace stoker {

namespace {

QueueRules queue_rules(const TenantsConfig& config) {
  return {config.priorities,
          config.application_order == ApplicationOrder::sql_first};
}

} // namespace

TenantState::TenantState(TenantsConfig config)
    : rules(std::move(config)), queues(queue_rules(rules.config())),
      usage(rules.config().usage_half_life) {
  for (const auto& x : rules.config().companies) {
    auto company = directory.add_company(x.name);
    occupancy.set_cap(company, rules.cap(company));
  }
  for (const auto& x : rules.config().users)
    directory.add_user(x.name, directory.add_company(x.company));
}

} // namespace stoker
