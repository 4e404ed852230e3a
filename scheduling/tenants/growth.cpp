#include "scheduling/tenants/growth.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "scheduling/tenants/selection.hpp"
#include "scheduling/tenants/tenant_ranks.hpp"
#include "scheduling/tenants/tenant_steps.hpp"

namespace stoker {

namespace {

/// The number of units of `unit` that `missing` takes; nothing: it takes all or
/// nothing, as there are no units.
std::optional<std::int64_t> units_in(std::int64_t missing, std::int64_t unit) {
  if (missing <= 0)
    return 0;
  if (unit <= 0)
    return std::nullopt;
  return missing / unit + (missing % unit > 0 ? 1 : 0);
}

/// How many units go into `room`, where the last may be cut off at `missing`.
std::int64_t units_fitting(std::int64_t missing, std::int64_t unit,
                           std::int64_t room) {
  if (missing <= room)
    return unlimited;
  return room / unit;
}

std::int64_t left(std::int64_t limit, std::int64_t taken) {
  return limit == unlimited ? unlimited : limit - taken;
}

Resources left(const Resources& limit, const Resources& taken) {
  return {left(limit.cores, taken.cores),
          left(limit.memory_mb, taken.memory_mb)};
}

Resources smaller(const Resources& a, const Resources& b) {
  return {std::min(a.cores, b.cores), std::min(a.memory_mb, b.memory_mb)};
}

} // namespace

Resources grant(const Resources& missing, const Resources& unit,
                const Resources& room) {
  if (fits_in(missing, room))
    return missing;
  if (room.cores < 0 || room.memory_mb < 0)
    return {};
  auto cores = units_in(missing.cores, unit.cores);
  auto memory = units_in(missing.memory_mb, unit.memory_mb);
  if (!cores || !memory)
    return {};
  auto units = std::max(*cores, *memory);
  if (missing.cores > 0)
    units
        = std::min(units, units_fitting(missing.cores, unit.cores, room.cores));
  if (missing.memory_mb > 0)
    units = std::min(units, units_fitting(missing.memory_mb, unit.memory_mb,
                                          room.memory_mb));
  auto part = [&](std::int64_t of, std::int64_t one) {
    return of > 0 ? std::min(of, units * one) : 0;
  };
  return {part(missing.cores, unit.cores),
          part(missing.memory_mb, unit.memory_mb)};
}

Resources grantable(const TenantState& state, const AdmittedApp& app) {
  auto [company, user] = app.member;
  auto missing = app.wanted - app.request;
  if (missing == Resources{} || is_held(state, company))
    return {};
  const auto& x = state.occupancy;
  return grant(missing, app.unit,
               smaller(left(x.cap(company), x.of(company).requested),
                       left(state.rules.limit(user), x.of(user).requested)));
}

bool grow(TenantState& state, AppKey key) {
  auto app = *state.admitted.find(key);
  auto granted = grantable(state, app);
  if (granted == Resources{})
    return false;
  change_request(state, key, app.request + granted);
  refresh(state, app.member.user);
  // To grow is to go before those who wait for room under the cap.
  const auto& ready = state.order.ready(app.member.company);
  if (!ready.empty())
    pass_over(state, ready.begin()->number);
  return true;
}

std::vector<AppKey> top_up(TenantState& state) {
  std::vector<AppKey> result;
  for (auto company : state.admitted.take_reopened()) {
    // `grow` takes out those that have all they want.
    const auto& growing = state.admitted.growing(company);
    for (auto i = growing.begin(); i != growing.end();) {
      auto app = (i++)->second;
      if (grow(state, app))
        result.push_back(app);
    }
  }
  return result;
}

} // namespace stoker
