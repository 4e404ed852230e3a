// What of a tree is stored, and taken over by a new leader.

#include <algorithm>
#include <utility>

#include "scheduling/tenants/tenant_tree.hpp"
#include "scheduling/tenants/usage_decay.hpp"

namespace stoker {

TenantChanges TenantTree::take_changes() {
  TenantChanges result;
  for (auto& name : std::exchange(gone_users_, {}))
    result.push_back(EraseUser{std::move(name)});
  for (auto number : std::exchange(touched_companies_, {})) {
    const auto& x = at(number);
    result.push_back(StoredCompany{x.name, x.selected, x.usage_cores,
                                   x.usage_memory_mb, to_ms(advanced_)});
  }
  for (auto number : std::exchange(touched_users_, {}))
    result.push_back(StoredUser{at(number).name, at(number).selected});
  return result;
}

void TenantTree::restore(Instant now,
                         const std::vector<StoredCompany>& companies,
                         const std::vector<StoredUser>& users) {
  advance(now);
  for (const auto& x : companies) {
    selection_ = std::max(selection_, x.selected);
    auto i = company_numbers_.find(x.name);
    if (i == company_numbers_.end())
      continue;
    auto& company = at(i->second);
    company.selected = x.selected;
    company.usage_cores = x.usage_cores;
    company.usage_memory_mb = x.usage_memory_mb;
    // A record is made whenever what the company occupies changes, so it has
    // occupied the same since then.
    Instant then{Duration{x.usage_at_ms}};
    if (then < now)
      std::tie(company.usage_cores, company.usage_memory_mb)
          = usage(company, newer_weight(now - then, config_.usage_half_life));
  }
  for (const auto& x : users) {
    selection_ = std::max(selection_, x.selected);
    if (auto i = user_numbers_.find(x.name); i != user_numbers_.end())
      at(i->second).selected = x.selected;
  }
  for (const auto& [name, number] : user_numbers_)
    refresh(number);
  for (const auto& [name, number] : company_numbers_)
    refresh(number);
}

} // namespace stoker
