#include "scheduling/tenants/tenant_ranks.hpp"

namespace stoker {

CompanyRank rank(const TenantState& state, CompanyNumber company,
                 double weight) {
  const auto& rules = state.rules;
  const auto& now = occupied(state, company);
  auto selected = state.selections.of(company);
  if (rules.config().company_order == CompanyOrder::dominant_share)
    return {rules.share(now, company), selected, company};
  auto usage = state.usage.with(company, now, weight);
  return {rules.share(usage.cores + static_cast<double>(now.cores),
                      usage.memory_mb + static_cast<double>(now.memory_mb),
                      company),
          selected, company};
}

UserRank rank(const TenantState& state, UserNumber user) {
  const auto& rules = state.rules;
  auto selected = state.selections.of(user);
  if (rules.config().user_order == UserOrder::longest_waiting)
    return {0, selected, 0, user};
  auto company = state.directory.company_of(user);
  const auto& next = state.queues.next(user);
  const auto& now = rules.occupied(state.occupancy.of(user));
  return {rules.share(now, company), selected,
          next ? rules.share(next->request, company) : 0, user};
}

bool is_ready(const TenantState& state, UserNumber user) {
  const auto& next = state.queues.next(user);
  const auto& figures = state.occupancy.of(user);
  return next && figures.admitted < state.rules.max_applications(user)
         && fits_in(figures.requested + next->request, state.rules.limit(user));
}

bool is_held(const TenantState& state, CompanyNumber company) {
  const auto& held_for = state.order.held_for(company);
  return held_for
         && fits_in(state.queues.next(held_for->user)->request,
                    state.occupancy.cap(company));
}

bool next_fits(const TenantState& state, UserNumber user) {
  return state.occupancy.fits(state.directory.company_of(user),
                              state.queues.next(user)->request);
}

bool is_passed_no_more(const TenantState& state, UserNumber user) {
  const auto& next = *state.queues.next(user);
  return next.passed_over >= state.rules.config().hold_after
         && fits_in(next.request,
                    state.occupancy.cap(state.directory.company_of(user)));
}

Resources filling(const TenantState& state) {
  const auto& x = state.rules.occupied(state.occupancy.whole());
  return state.rules.config().accounting == Accounting::requested
             ? x - state.admitted.idle()
             : x;
}

bool is_full(const TenantState& state) {
  if (state.rules.config().accounting == Accounting::running
      && state.admitted.waiting() > 0)
    return true;
  auto x = filling(state);
  const auto& total = state.rules.total();
  return x.cores >= total.cores || x.memory_mb >= total.memory_mb;
}

} // namespace stoker
