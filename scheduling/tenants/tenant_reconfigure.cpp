#include "scheduling/tenants/tenant_reconfigure.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "scheduling/tenants/tenant_steps.hpp"

namespace stoker {

namespace {

/// Returns the new numbers of users by the old ones.
std::vector<UserNumber> take_over_users(TenantState& state,
                                        const TenantState& old) {
  // A company that is gone comes back only with users who still need it.
  auto company_of = [&](UserNumber user) {
    const auto& before = old.directory.name(old.directory.company_of(user));
    return state.directory.add_company(
        state.rules.config().default_company.value_or(before));
  };
  std::vector<UserNumber> result(old.directory.users());
  for (std::uint32_t i = 0; i < old.directory.users(); ++i) {
    UserNumber user{i};
    if (!old.directory.is_present(user))
      continue;
    const auto& name = old.directory.name(user);
    const auto& figures = old.occupancy.of(user);
    auto found = state.directory.find_user(name);
    if (!found && figures.queued == 0 && figures.admitted == 0) {
      state.changed.erase(name);
      continue;
    }
    result[i]
        = found ? *found : state.directory.add_user(name, company_of(user));
    state.selections.restore(result[i], old.selections.of(user));
  }
  return result;
}

void take_over_companies(TenantState& state, const TenantState& old) {
  for (std::uint32_t i = 0; i < old.directory.companies(); ++i) {
    CompanyNumber before{i};
    auto found = state.directory.find_company(old.directory.name(before));
    if (!found)
      continue;
    state.selections.restore(*found, old.selections.of(before));
    state.usage.set(*found, old.usage.of(before));
  }
}

void take_over_apps(TenantState& state, TenantState& old,
                    const std::vector<UserNumber>& users) {
  auto new_number
      = [&](UserNumber user) { return users[static_cast<std::size_t>(user)]; };
  for (auto& [key, program] : old.queues.take_all()) {
    program.user = new_number(program.user);
    state.queues.add(key, program);
    count(state, state.directory.member(program.user), {{}, {}, 1, 0});
  }
  for (auto [key, program] : old.admitted.programs()) {
    program.member = state.directory.member(new_number(program.member.user));
    state.admitted.add(key, program);
    count(state, program);
  }
}

} // namespace

TenantState reconfigured(TenantState old, TenantsConfig config) {
  TenantState state{std::move(config)};
  state.rules.set_total(old.rules.total());
  state.selections.restore_last(old.selections.last());
  state.usage.set_until(old.usage.until());
  auto users = take_over_users(state, old);
  take_over_companies(state, old);
  take_over_apps(state, old, users);
  for (std::uint32_t i = 0; i < state.directory.companies(); ++i)
    apply_cap(state, CompanyNumber{i});
  for (std::uint32_t i = 0; i < state.directory.users(); ++i)
    refresh(state, UserNumber{i});
  return state;
}

} // namespace stoker
