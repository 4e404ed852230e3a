#include "scheduling/tenants/tenant_steps.hpp"

#include "scheduling/tenants/growth.hpp"
#include "scheduling/tenants/tenant_ranks.hpp"

namespace stoker {

void advance(TenantState& state, Instant now) {
  if (now <= state.usage.until())
    return;
  state.usage.advance(
      now, state.directory.companies(),
      [&](CompanyNumber x) -> const Resources& { return occupied(state, x); });
  // All shares have changed at once.
  if (state.rules.config().company_order == CompanyOrder::usage)
    state.order.rerank_companies(
        [&](CompanyNumber x) { return rank(state, x, 0); });
}

UserNumber number_of_user(TenantState& state, const std::string& name) {
  if (auto found = state.directory.find_user(name))
    return *found;
  auto company = state.directory.add_company(
      state.rules.config().default_company.value_or(""));
  auto user = state.directory.add_user(name, company);
  // A new name does not go before those who wait already.
  state.selections.set_new(user);
  state.changed.touch(user);
  return user;
}

void forget_if_idle(TenantState& state, UserNumber user) {
  const auto& figures = state.occupancy.of(user);
  if (state.rules.is_listed(user) || figures.queued > 0 || figures.admitted > 0)
    return;
  state.changed.erase(user, state.directory.name(user));
  state.directory.forget(user);
}

void count(TenantState& state, Member member, const TenantFigures& change) {
  state.occupancy.count(member, change);
  state.changed.touch(member.company);
}

void count(TenantState& state, const AdmittedProgram& program) {
  count(state, program.member, program.figures());
  state.occupancy.add_room(program.member, program.room);
}

void uncount(TenantState& state, const AdmittedProgram& program) {
  auto x = program.figures();
  count(state, program.member,
        {Resources{} - x.requested, Resources{} - x.running, -x.queued,
         -x.admitted, -x.with_driver, Resources{} - x.drivers});
  state.occupancy.remove_room(program.member, program.room);
}

void admit(TenantState& state, ProgramKey key, bool with_least) {
  const auto& queued = *state.queues.find(key);
  auto company = state.directory.company_of(queued.user);
  auto fits
      = !with_least && state.occupancy.fits(company, queued.request)
        && fits_in(state.occupancy.of(queued.user).requested + queued.request,
                   state.rules.limit(queued.user));
  admit_with(state, key,
             queued.elastic ? Resources{}
             : fits         ? queued.request
                            : queued.needed());
}

void admit_with(TenantState& state, ProgramKey key, Resources part) {
  auto queued = state.queues.take(key);
  AdmittedProgram program;
  program.member = state.directory.member(queued.user);
  program.selection = state.selections.count();
  program.wanted = queued.request;
  program.request = part;
  program.with_driver = queued.with_driver;
  program.driver = queued.driver;
  program.room = queued.room;
  if (state.rules.config().accounting == Accounting::running)
    program.waits = Waits::for_room;
  state.admitted.add(key, program);
  count(state, program.member, {{}, {}, -1, 0});
  count(state, program);
}

void change_request(TenantState& state, ProgramKey key, Resources to) {
  const auto& program = *state.admitted.find(key);
  count(state, program.member, {to - program.request, {}, 0, 0});
  state.admitted.set_request(key, to);
}

void refresh(TenantState& state, UserNumber user) {
  auto company = state.directory.company_of(user);
  auto& order = state.order;
  auto ready = is_ready(state, user);
  auto place = [&](bool has_one) {
    return has_one ? std::optional{rank(state, user)} : std::nullopt;
  };
  order.set_user({company, user},
                 {place(ready), place(next_to_grow(state, user).has_value()),
                  place(is_driven(state, user))});
  if (ready
      && (next_fits(state, user)
          || (is_passed_no_more(state, user) && !is_held(state, company))))
    order.set_stuck(company, false);
  // The company was held for one application, not for its user.
  const auto& held_for = order.held_for(company);
  if (held_for && held_for->user == user
      && (!ready || state.queues.next(user)->key != held_for->key)) {
    order.release(company);
    reopen(state, company);
  } else {
    refresh(state, company);
  }
}

void refresh(TenantState& state, CompanyNumber company) {
  state.order.refresh(company, rank(state, company, 0));
}

void reopen(TenantState& state, CompanyNumber company) {
  state.order.set_stuck(company, false);
  refresh(state, company);
}

void apply_cap(TenantState& state, CompanyNumber company) {
  state.occupancy.set_cap(company, state.rules.cap(company));
  reopen(state, company);
}

} // namespace stoker
