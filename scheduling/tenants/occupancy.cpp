#include "scheduling/tenants/occupancy.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace stoker {

namespace {

void add(TenantFigures& to, const TenantFigures& change) {
  to.requested += change.requested;
  to.running += change.running;
  to.queued += change.queued;
  to.admitted += change.admitted;
  to.with_driver += change.with_driver;
  to.drivers += change.drivers;
}

bool is_negative(const Resources& x) {
  return x.cores < 0 || x.memory_mb < 0;
}

bool is_negative(const TenantFigures& x) {
  return is_negative(x.requested) || is_negative(x.running) || x.queued < 0
         || x.admitted < 0 || x.with_driver < 0 || is_negative(x.drivers);
}

bool is_within(std::int64_t x, std::int64_t cap, std::int64_t excess) {
  return x <= cap || x - cap <= excess;
}

} // namespace

void Rooms::add(const Resources& room) {
  ++cores_[room.cores];
  ++memory_mb_[room.memory_mb];
}

void Rooms::remove(const Resources& room) {
  auto remove_one = [](Counts& counts, std::int64_t x) {
    if (auto found = counts.find(x); --found->second == 0)
      counts.erase(found);
  };
  remove_one(cores_, room.cores);
  remove_one(memory_mb_, room.memory_mb);
}

Resources Rooms::largest_below(const Resources& most) const {
  auto largest = [](const Counts& counts, std::int64_t limit) {
    auto next = counts.lower_bound(limit);
    return next == counts.begin() ? 0 : std::prev(next)->first;
  };
  return {largest(cores_, most.cores), largest(memory_mb_, most.memory_mb)};
}

void Occupancy::count(Member member, const TenantFigures& change) {
  auto& company = companies_[member.company];
  add(whole_, change);
  add(company.figures, change);
  add(users_[member.user], change);
  // What is above the cap may go, and does not come back.
  auto above = company.figures.requested - company.cap;
  auto& excess = company.excess;
  excess = {std::clamp(above.cores, std::int64_t{0}, excess.cores),
            std::clamp(above.memory_mb, std::int64_t{0}, excess.memory_mb)};
}

void Occupancy::add_room(Member member, const Resources& room) {
  if (room == Resources{})
    return;
  companies_[member.company].rooms.add(room);
  user_rooms_[member.user].add(room);
}

void Occupancy::remove_room(Member member, const Resources& room) {
  if (room == Resources{})
    return;
  companies_[member.company].rooms.remove(room);
  user_rooms_[member.user].remove(room);
}

void Occupancy::set_cap(CompanyNumber number, Resources cap) {
  auto& company = companies_[number];
  company.cap = cap;
  auto above = company.figures.requested - cap;
  company.excess = {std::max(above.cores, std::int64_t{0}),
                    std::max(above.memory_mb, std::int64_t{0})};
}

bool Occupancy::fits(CompanyNumber number, const Resources& more) const {
  const auto& company = companies_[number];
  return fits_in(company.figures.requested + more, company.cap);
}

std::optional<std::string> Occupancy::invariant_violation() const {
  TenantFigures of_companies;
  TenantFigures of_users;
  for (const auto& x : companies_) {
    add(of_companies, x.figures);
    if (is_negative(x.figures))
      return "a figure of a company is negative";
    const auto& taken = x.figures.requested;
    if (!is_within(taken.cores, x.cap.cores, x.excess.cores)
        || !is_within(taken.memory_mb, x.cap.memory_mb, x.excess.memory_mb))
      return "a company is above its cap";
  }
  for (const auto& x : users_) {
    add(of_users, x);
    if (is_negative(x))
      return "a figure of a user is negative";
  }
  if (of_companies != whole_ || of_users != whole_)
    return "the figures do not sum up to those of the whole";
  return std::nullopt;
}

} // namespace stoker
