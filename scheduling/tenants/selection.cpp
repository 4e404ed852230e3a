#include "scheduling/tenants/selection.hpp"

#include <vector>

#include "scheduling/tenants/tenant_ranks.hpp"
#include "scheduling/tenants/tenant_steps.hpp"

namespace stoker {

namespace {

/// The user of the company who goes next, if any fits under its cap. Counts
/// those that this user goes before.
std::optional<UserNumber> choose_user(TenantState& state,
                                      CompanyNumber company) {
  if (is_held(state, company)) {
    auto user = state.order.held_for(company)->user;
    return next_fits(state, user) ? std::optional{user} : std::nullopt;
  }
  std::vector<UserNumber> passed;
  for (const auto& x : state.order.ready(company)) {
    if (next_fits(state, x.number)) {
      for (auto y : passed)
        pass_over(state, y);
      return x.number;
    }
    if (is_passed_no_more(state, x.number)) {
      state.order.hold(company, {x.number, state.queues.next(x.number)->app});
      return std::nullopt;
    }
    passed.push_back(x.number);
  }
  return std::nullopt;
}

} // namespace

std::optional<AppKey> select_next(TenantState& state) {
  if (is_full(state))
    return std::nullopt;
  while (!state.order.open().empty()) {
    auto company = state.order.open().begin()->number;
    auto user = choose_user(state, company);
    if (!user) {
      state.order.set_stuck(company, true);
      refresh(state, company);
      continue;
    }
    auto app = state.queues.next(*user)->app;
    admit(state, app);
    state.selections.set_served({company, *user});
    state.changed.touch(*user);
    refresh(state, *user);
    return app;
  }
  return std::nullopt;
}

void pass_over(TenantState& state, UserNumber user) {
  auto company = state.directory.company_of(user);
  const auto& next = *state.queues.next(user);
  if (next_fits(state, user)
      || !fits_in(next.request, state.occupancy.cap(company)))
    return;
  auto most = state.rules.config().hold_after;
  if (state.queues.pass_over(user, most) >= most && !is_held(state, company))
    state.order.hold(company, {user, next.app});
}

} // namespace stoker
