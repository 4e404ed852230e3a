#include "scheduling/tenants/serving_order.hpp"

#include <algorithm>
#include <cstddef>

namespace stoker {

void ServingOrder::set_user(Member member, std::optional<UserRank> rank) {
  auto& place = users_[member.user];
  auto& ready = companies_[member.company].ready;
  if (place)
    ready.erase(*place);
  if (rank)
    ready.insert(*rank);
  place = rank;
}

void ServingOrder::refresh(CompanyNumber number, const CompanyRank& rank) {
  auto& company = companies_[number];
  std::optional<CompanyRank> now;
  if (!company.ready.empty() && !company.stuck)
    now = rank;
  if (now == company.rank)
    return;
  if (company.rank)
    open_.erase(*company.rank);
  if (now)
    open_.insert(*now);
  company.rank = now;
}

std::optional<std::string> ServingOrder::invariant_violation() const {
  if (auto problem = violation_by_users())
    return problem;
  std::size_t open = 0;
  for (std::uint32_t i = 0; i < companies_.size(); ++i) {
    const auto& company = companies_[CompanyNumber{i}];
    auto name = "company " + std::to_string(i);
    if (company.rank.has_value() != (!company.ready.empty() && !company.stuck))
      return name + " is open, and should not be, or the other way round";
    if (company.rank && !open_.contains(*company.rank))
      return name + " is open, and has no place";
    open += company.rank ? 1 : 0;
    auto is_held_for
        = [&](const UserRank& x) { return x.number == company.held_for->user; };
    if (company.held_for
        && std::none_of(company.ready.begin(), company.ready.end(),
                        is_held_for))
      return name + " is held for a user who is not ready";
  }
  if (open != open_.size())
    return "a company has a place, and is not open";
  return std::nullopt;
}

std::optional<std::string> ServingOrder::violation_by_users() const {
  std::size_t ready = 0;
  for (const auto& x : companies_)
    for (const auto& rank : x.ready) {
      ++ready;
      if (users_[rank.number] != rank)
        return "user " + std::to_string(static_cast<std::uint32_t>(rank.number))
               + " has a place that is not the user's rank";
    }
  auto ranks = std::count_if(users_.begin(), users_.end(),
                             [](auto& x) { return x.has_value(); });
  if (static_cast<std::size_t>(ranks) != ready)
    return "a user is ready, and has no place";
  return std::nullopt;
}

} // namespace stoker
