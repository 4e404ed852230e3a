#include "scheduling/tenants/tenant_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/tenants/growth.hpp"
#include "scheduling/tenants/tenant_ranks.hpp"
#include "scheduling/tenants/tenant_reasons.hpp"

namespace stoker {

namespace {

std::optional<double> finite(double x) {
  return std::isfinite(x) ? std::optional{x} : std::nullopt;
}

std::optional<std::int64_t> finite(std::int64_t x) {
  return x == unlimited ? std::nullopt : std::optional{x};
}

/// Numbers those that have something queued, by their ranks.
template <class View, class Rank>
void number_places(std::vector<View>& views, const std::vector<Rank>& ranks) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < views.size(); ++i)
    if (views[i].figures.queued > 0)
      order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return ranks[a] < ranks[b]; });
  int place = 0;
  for (auto i : order)
    views[i].place = ++place;
}

UserView view_of(const TenantState& state, UserNumber user) {
  UserView result;
  result.name = state.directory.name(user);
  result.figures = state.occupancy.of(user);
  result.share = finite(state.rules.share(state.rules.occupied(result.figures),
                                          state.directory.company_of(user)));
  result.blocked = why_blocked(state, user);
  return result;
}

/// @param weight of the time since usage was brought up to date
CompanyView view_of(const TenantState& state, CompanyNumber company,
                    double weight) {
  CompanyView result;
  result.name = state.directory.name(company);
  result.purchased = state.rules.purchased(company);
  result.max_cores = finite(state.occupancy.cap(company).cores);
  result.max_memory_mb = finite(state.occupancy.cap(company).memory_mb);
  result.figures = state.occupancy.of(company);
  result.share = finite(rank(state, company, weight).share);
  auto usage = state.usage.with(company, occupied(state, company), weight);
  result.usage_cores = usage.cores;
  result.usage_memory_mb = usage.memory_mb;
  result.blocked = why_blocked(state, company);
  return result;
}

/// The users of each company, in order of their numbers.
std::vector<std::vector<UserNumber>> members(const TenantState& state) {
  std::vector<std::vector<UserNumber>> result(state.directory.companies());
  for (std::uint32_t i = 0; i < state.directory.users(); ++i)
    if (UserNumber user{i}; state.directory.is_present(user)) {
      auto company = state.directory.company_of(user);
      result[static_cast<std::size_t>(company)].push_back(user);
    }
  return result;
}

} // namespace

TenantsView view_of(const TenantState& state, Instant now) {
  const auto& config = state.rules.config();
  auto weight = state.usage.weight(now);
  TenantsView result;
  result.total = state.rules.total();
  result.figures = state.occupancy.whole();
  result.accounting = config.accounting;
  result.company_order = config.company_order;
  result.user_order = config.user_order;
  result.application_order = config.application_order;
  result.full = why_full(state);
  std::vector<CompanyRank> ranks;
  auto users_of = members(state);
  for (std::uint32_t i = 0; i < state.directory.companies(); ++i) {
    CompanyNumber number{i};
    if (!state.rules.is_listed(number) && users_of[i].empty())
      continue;
    ranks.push_back(rank(state, number, weight));
    auto& company
        = result.companies.emplace_back(view_of(state, number, weight));
    std::vector<UserRank> user_ranks;
    for (auto user : users_of[i]) {
      user_ranks.push_back(rank(state, user));
      company.users.push_back(view_of(state, user));
    }
    number_places(company.users, user_ranks);
  }
  number_places(result.companies, ranks);
  return result;
}

namespace {

/// Sets the places of a user and the company among those that have something
/// queued.
void set_places(QueuePlace& result, const TenantState& state, Member member,
                double weight) {
  auto mine = rank(state, member.user);
  for (std::uint32_t i = 0; i < state.directory.users(); ++i) {
    UserNumber user{i};
    result.user_place += state.queues.next(user)
                         && state.directory.company_of(user) == member.company
                         && rank(state, user) <= mine;
  }
  auto ours = rank(state, member.company, weight);
  for (std::uint32_t i = 0; i < state.directory.companies(); ++i) {
    CompanyNumber company{i};
    result.company_place += state.occupancy.of(company).queued > 0
                            && rank(state, company, weight) <= ours;
  }
}

} // namespace

QueuePlace place_of(const TenantState& state, ProgramKey program, Instant now) {
  QueuePlace result;
  const auto* admitted = state.admitted.find(program);
  const auto* queued = state.queues.find(program);
  if (admitted == nullptr && queued == nullptr)
    return result;
  auto member = admitted != nullptr ? admitted->member
                                    : state.directory.member(queued->user);
  result.known = true;
  result.admitted = admitted != nullptr;
  result.company = state.directory.name(member.company);
  result.user = state.directory.name(member.user);
  result.request = admitted != nullptr ? admitted->request : queued->request;
  if (admitted != nullptr) {
    if (admitted->request != admitted->wanted)
      result.reason = why_limited(state, *admitted);
    result.at_limit = !fits_in(state.occupancy.of(member.user).requested
                                   + next_growth(*admitted),
                               state.rules.limit(member.user));
    return result;
  }
  result.position_in_queue = state.queues.position(program);
  set_places(result, state, member, state.usage.weight(now));
  result.reason = why_queued(state, member).reason;
  result.at_limit = !why_blocked(state, member.user).empty();
  return result;
}

} // namespace stoker
