#include "scheduling/tenants/serving_order.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stoker {

void ServingOrder::set_user(Member member, const UserPlaces& places) {
  auto& company = companies_[member.company];
  auto move = [](std::set<UserRank>& ranks, std::optional<UserRank>& place,
                 const std::optional<UserRank>& to) {
    if (place)
      ranks.erase(*place);
    if (to)
      ranks.insert(*to);
    place = to;
  };
  auto& now = users_[member.user];
  move(company.ready, now.ready, places.ready);
  move(company.growing, now.growing, places.growing);
  move(company.driven, now.driven, places.driven);
}

void ServingOrder::refresh(CompanyNumber number, const CompanyRank& rank) {
  auto& company = companies_[number];
  std::optional<CompanyRank> now;
  if (company.is_open())
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
    if (company.rank.has_value() != company.is_open())
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
  std::size_t places = 0;
  for (const auto& company : companies_)
    for (auto [ranks, place] :
         {std::pair{&company.ready, &UserPlaces::ready},
          std::pair{&company.growing, &UserPlaces::growing},
          std::pair{&company.driven, &UserPlaces::driven}})
      for (const auto& rank : *ranks) {
        ++places;
        if (users_[rank.number].*place != rank)
          return "user "
                 + std::to_string(static_cast<std::uint32_t>(rank.number))
                 + " has a place that is not the user's rank";
      }
  for (const auto& x : users_)
    places -= std::size_t{x.ready.has_value()}
              + std::size_t{x.growing.has_value()}
              + std::size_t{x.driven.has_value()};
  if (places != 0)
    return "a user is ready, grows or is driven, and has no place";
  return std::nullopt;
}

} // namespace stoker
