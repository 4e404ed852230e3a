#include "scheduling/tenants/tenant_ranks.hpp"

#include <set>

#include "scheduling/tenants/growth.hpp"

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

bool has_most(const TenantState& state, UserNumber user) {
  const auto& figures = state.occupancy.of(user);
  return figures.admitted - figures.with_driver
         >= state.rules.max_applications(user);
}

namespace {

/// Returns true if the program leaves room beside drivers that have `drivers` of at most
/// `most`, and need these rooms.
bool leaves_room(const NextProgram& next, const Resources& drivers,
                 const Rooms& rooms, const Resources& most) {
  if (next.room == Resources{})
    return true;
  auto alone = next.needed + next.room;
  auto all
      = drivers + next.needed + larger(next.room, rooms.largest_below(most));
  auto is_first = drivers == Resources{};
  return (all.cores <= most.cores || (is_first && alone.cores > most.cores))
         && (all.memory_mb <= most.memory_mb
             || (is_first && alone.memory_mb > most.memory_mb));
}

} // namespace

bool leaves_room_to_user(const TenantState& state, UserNumber user) {
  const auto& occupancy = state.occupancy;
  return leaves_room(*state.queues.next(user), occupancy.of(user).drivers,
                     occupancy.rooms(user), state.rules.limit(user));
}

bool leaves_room_to_company(const TenantState& state, UserNumber user) {
  auto company = state.directory.company_of(user);
  const auto& occupancy = state.occupancy;
  return leaves_room(*state.queues.next(user), occupancy.of(company).drivers,
                     occupancy.rooms(company), occupancy.cap(company));
}

bool is_ready(const TenantState& state, UserNumber user) {
  const auto& next = state.queues.next(user);
  return next && state.rules.is_served(user)
         && (next->with_driver || !has_most(state, user))
         && fits_in(state.occupancy.of(user).requested + next->needed,
                    state.rules.limit(user))
         && leaves_room_to_user(state, user);
}

namespace {

/// Whether the user is ready with the application of a driver.
bool next_is_driven(const TenantState& state, UserNumber user) {
  return is_ready(state, user) && state.queues.next(user)->with_driver;
}

} // namespace

bool is_driven(const TenantState& state, UserNumber user) {
  return next_is_driven(state, user) || next_driven_to_grow(state, user);
}

bool driven_fits(const TenantState& state, UserNumber user) {
  return (next_is_driven(state, user) && next_fits(state, user))
         || next_driven_to_grow_under_cap(state, user);
}

bool is_held(const TenantState& state, CompanyNumber company) {
  const auto& held_for = state.order.held_for(company);
  return held_for
         && fits_in(state.queues.next(held_for->user)->needed,
                    state.occupancy.cap(company))
         && leaves_room_to_company(state, held_for->user);
}

bool next_fits(const TenantState& state, UserNumber user) {
  return state.occupancy.fits(state.directory.company_of(user),
                              state.queues.next(user)->needed)
         && leaves_room_to_company(state, user);
}

bool is_passed_no_more(const TenantState& state, UserNumber user) {
  const auto& next = *state.queues.next(user);
  return next.passed_over >= state.rules.config().hold_after
         && fits_in(next.needed,
                    state.occupancy.cap(state.directory.company_of(user)))
         && leaves_room_to_company(state, user);
}

Resources filling(const TenantState& state) {
  const auto& x = state.rules.occupied(state.occupancy.whole());
  return state.rules.config().accounting == Accounting::requested
             ? x - state.admitted.idle()
             : x;
}

namespace {

bool fill(const TenantState& state, const Resources& x) {
  if (state.rules.config().accounting == Accounting::running
      && state.admitted.waiting() > 0)
    return true;
  const auto& total = state.rules.total();
  return x.cores >= total.cores || x.memory_mb >= total.memory_mb;
}

/// Whether any of these places is another user's.
bool any_of_others(const std::set<UserRank>& places, UserNumber user) {
  return places.size() > 1
         || (places.size() == 1 && places.begin()->number != user);
}

} // namespace

bool has_to_yield(const TenantState& state, Member member,
                  const Resources& part) {
  return (any_of_others(state.order.ready(member.company), member.user)
          || any_of_others(state.order.growing(member.company), member.user))
         && !fill(state, filling(state) - part);
}

bool is_full(const TenantState& state) {
  return fill(state, filling(state));
}

} // namespace stoker
