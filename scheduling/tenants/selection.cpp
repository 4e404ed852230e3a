#include "scheduling/tenants/selection.hpp"

#include <set>
#include <vector>

#include "scheduling/tenants/growth.hpp"
#include "scheduling/tenants/tenant_ranks.hpp"
#include "scheduling/tenants/tenant_steps.hpp"

namespace stoker {

namespace {

/// Who of a company goes next: a user with an admitted application that grows, or with
/// the next one.
struct Choice {
  UserNumber user{};
  std::optional<ProgramKey> grows;

  /// The next one is admitted with what it cannot do without, and not with more.
  bool with_least = false;
};

/// The users of a company who are ready or grow, in order.
class Candidates {
public:
  Candidates(const TenantState& state, CompanyNumber company)
      : ready_(state.order.ready(company)),
        growing_(state.order.growing(company)), next_ready_(ready_.begin()),
        next_growing_(growing_.begin()) {
  }

  /// Nothing: there are no more.
  std::optional<UserRank> take() {
    auto ready = next_ready_ != ready_.end();
    auto growing = next_growing_ != growing_.end();
    if (!ready && !growing)
      return std::nullopt;
    if (!growing || (ready && *next_ready_ < *next_growing_))
      return *next_ready_++;
    auto result = *next_growing_++;
    if (ready && *next_ready_ == result)
      ++next_ready_;
    return result;
  }

private:
  const std::set<UserRank>& ready_;
  const std::set<UserRank>& growing_;
  std::set<UserRank>::const_iterator next_ready_;
  std::set<UserRank>::const_iterator next_growing_;
};

/// The choice of a company that is held. The drivers that run hold resources until their
/// applications have ended, which may be those that the company is held for.
std::optional<Choice> choose_in_held(const TenantState& state,
                                     CompanyNumber company) {
  for (const auto& x : state.order.driven(company))
    if (driven_fits(state, x.number))
      return Choice{x.number, next_driven_to_grow_under_cap(state, x.number),
                    true};
  auto user = state.order.held_for(company)->user;
  return next_fits(state, user) ? std::optional{Choice{user, {}}}
                                : std::nullopt;
}

/// Who of the company goes next, if anything fits under its cap. Counts those that this
/// user goes before.
std::optional<Choice> choose_in(TenantState& state, CompanyNumber company) {
  if (is_held(state, company))
    return choose_in_held(state, company);
  std::vector<UserNumber> passed;
  Candidates candidates{state, company};
  while (auto x = candidates.take()) {
    auto user = x->number;
    auto ready = state.order.places(user).ready.has_value();
    auto grows = next_to_grow_under_cap(state, user);
    if (grows || (ready && next_fits(state, user))) {
      for (auto y : passed)
        pass_over(state, y);
      return Choice{user, grows};
    }
    if (!ready)
      continue;
    if (is_passed_no_more(state, user)) {
      state.order.hold(company, {user, state.queues.next(user)->key});
      return choose_in_held(state, company);
    }
    passed.push_back(user);
  }
  return std::nullopt;
}

} // namespace

std::optional<ProgramKey> select_next(TenantState& state) {
  if (is_full(state))
    return std::nullopt;
  while (!state.order.open().empty()) {
    auto company = state.order.open().begin()->number;
    auto choice = choose_in(state, company);
    if (!choice) {
      state.order.set_stuck(company, true);
      refresh(state, company);
      continue;
    }
    auto user = choice->user;
    auto program
        = choice->grows ? *choice->grows : state.queues.next(user)->key;
    if (choice->grows)
      grow(state, program);
    else
      admit(state, program, choice->with_least);
    state.selections.set_served({company, user});
    state.changed.touch(user);
    refresh(state, user);
    return program;
  }
  return std::nullopt;
}

void pass_over(TenantState& state, UserNumber user) {
  auto company = state.directory.company_of(user);
  const auto& next = *state.queues.next(user);
  if (next_fits(state, user)
      || !fits_in(next.needed, state.occupancy.cap(company))
      || !leaves_room_to_company(state, user))
    return;
  auto most = state.rules.config().hold_after;
  if (state.queues.pass_over(user, most) >= most && !is_held(state, company))
    state.order.hold(company, {user, next.key});
}

} // namespace stoker
