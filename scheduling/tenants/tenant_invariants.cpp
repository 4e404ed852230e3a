#include "scheduling/tenants/tenant_invariants.hpp"

#include <algorithm>
#include <cstdint>

#include "scheduling/tenants/growth.hpp"
#include "scheduling/tenants/tenant_ranks.hpp"

namespace stoker {

namespace {

using Problem = std::optional<std::string>;

std::string name_of(const TenantState& state, UserNumber user) {
  return "user " + state.directory.name(user);
}

std::string name_of(const TenantState& state, CompanyNumber company) {
  return "company " + state.directory.name(company);
}

Problem violation_by_owners(const TenantState& state) {
  Problem result;
  auto check = [&](const auto& owner) {
    result = owner.invariant_violation();
    return result.has_value();
  };
  (void)(check(state.directory) || check(state.queues) || check(state.admitted)
         || check(state.occupancy) || check(state.selections)
         || check(state.usage) || check(state.order));
  return result;
}

/// Counts all applications again.
Problem violation_by_figures(const TenantState& state) {
  Occupancy counted;
  for (const auto& [key, program] : state.queues.programs()) {
    if (state.admitted.find(key) != nullptr)
      return name_of(key) + " is queued, and admitted";
    if (!state.directory.is_present(program.user))
      return name_of(key) + " is of a user who is gone";
    counted.count(state.directory.member(program.user), {{}, {}, 1, 0});
  }
  for (const auto& [key, program] : state.admitted.programs()) {
    if (!state.directory.is_present(program.member.user)
        || state.directory.member(program.member.user) != program.member)
      return name_of(key) + " is of a user who is gone or elsewhere";
    counted.count(program.member, program.figures());
    counted.add_room(program.member, program.room);
  }
  for (std::uint32_t i = 0; i < state.directory.users(); ++i)
    if (UserNumber x{i}; counted.of(x) != state.occupancy.of(x)
                         || counted.rooms(x) != state.occupancy.rooms(x))
      return "the figures of " + name_of(state, x) + " are wrong";
  for (std::uint32_t i = 0; i < state.directory.companies(); ++i)
    if (CompanyNumber x{i}; counted.of(x) != state.occupancy.of(x)
                            || counted.rooms(x) != state.occupancy.rooms(x))
      return "the figures of " + name_of(state, x) + " are wrong";
  return std::nullopt;
}

Problem violation_by_growth(const TenantState& state, UserNumber user) {
  auto name = name_of(state, user);
  const auto& place = state.order.places(user).growing;
  if (next_to_grow(state, user).has_value() != place.has_value())
    return name + " grows, and has no place, or the other way round";
  if (!place)
    return std::nullopt;
  auto company = state.directory.company_of(user);
  if (*place != rank(state, user)
      || !state.order.growing(company).contains(*place))
    return name + " has a wrong place among those who grow";
  if (state.order.is_stuck(company) && !is_held(state, company)
      && next_to_grow_under_cap(state, user))
    return name + " could grow, and " + name_of(state, company)
           + " is passed over";
  return std::nullopt;
}

Problem violation_by_driver(const TenantState& state, UserNumber user) {
  auto name = name_of(state, user);
  const auto& place = state.order.places(user).driven;
  if (is_driven(state, user) != place.has_value())
    return name + " is driven, and has no place, or the other way round";
  if (!place)
    return std::nullopt;
  auto company = state.directory.company_of(user);
  if (*place != rank(state, user)
      || !state.order.driven(company).contains(*place))
    return name + " has a wrong place among those who are driven";
  if (state.order.is_stuck(company) && driven_fits(state, user))
    return name + " has a driver that waits, and " + name_of(state, company)
           + " is passed over";
  return std::nullopt;
}

Problem violation_by(const TenantState& state, UserNumber user) {
  auto name = name_of(state, user);
  const auto& figures = state.occupancy.of(user);
  if (state.directory.is_present(user) && !state.rules.is_listed(user)
      && figures.queued + figures.admitted == 0)
    return name + " should be forgotten";
  if (auto problem = violation_by_growth(state, user))
    return problem;
  if (auto problem = violation_by_driver(state, user))
    return problem;
  const auto& place = state.order.places(user).ready;
  if (is_ready(state, user) != place.has_value())
    return name + " is ready, and has no place, or the other way round";
  if (!place)
    return std::nullopt;
  auto company = state.directory.company_of(user);
  if (*place != rank(state, user)
      || !state.order.ready(company).contains(*place))
    return name + " has a wrong place";
  if (state.order.is_stuck(company) && !is_held(state, company)
      && (next_fits(state, user) || is_passed_no_more(state, user)))
    return name + " could go, or hold, and " + name_of(state, company)
           + " is passed over";
  return std::nullopt;
}

Problem violation_by(const TenantState& state, CompanyNumber company) {
  auto name = name_of(state, company);
  if (state.occupancy.cap(company) != state.rules.cap(company))
    return name + " has another cap than the rules say";
  if (const auto& held_for = state.order.held_for(company)) {
    const auto& next = state.queues.next(held_for->user);
    if (state.directory.company_of(held_for->user) != company || !next
        || next->key != held_for->key)
      return name + " is held for an application that is not next";
    if (state.order.is_stuck(company) && is_held(state, company)
        && next_fits(state, held_for->user))
      return name + " is held, and there is room";
  }
  const auto& place = state.order.rank(company);
  if (place && *place != rank(state, company, 0))
    return name + " has a wrong place";
  return std::nullopt;
}

} // namespace

Problem invariant_violation(const TenantState& state) {
  if (auto problem = violation_by_owners(state))
    return problem;
  if (auto problem = violation_by_figures(state))
    return problem;
  for (std::uint32_t i = 0; i < state.directory.users(); ++i)
    if (auto problem = violation_by(state, UserNumber{i}))
      return problem;
  for (std::uint32_t i = 0; i < state.directory.companies(); ++i)
    if (auto problem = violation_by(state, CompanyNumber{i}))
      return problem;
  return std::nullopt;
}

} // namespace stoker
