// What applications may ask for, and admitted ones that change what they ask
// for.

#include <algorithm>
#include <utility>

#include "scheduling/tenants/tenant_tree.hpp"

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

} // namespace

void TenantTree::set_request(Instant now, AppKey app, Resources wanted,
                             Resources unit) {
  advance(now);
  auto i = apps_.find(app);
  if (i == apps_.end())
    return;
  auto& record = i->second;
  auto company = at(record.user).company;
  wanted = countable(wanted);
  if (!record.admitted) {
    record.request = wanted;
    auto& next = at(record.user).next;
    if (next->app == app)
      next->request = wanted;
  } else {
    auto& more = admitted_.at(app);
    more.wanted = wanted;
    more.unit = countable(unit);
    count_request(record,
                  {std::min(record.request.cores, wanted.cores),
                   std::min(record.request.memory_mb, wanted.memory_mb)});
    (void)grow(app);
  }
  refresh(record.user);
  reopen(company);
}

std::vector<AppKey> TenantTree::top_up(Instant now) {
  advance(now);
  std::vector<AppKey> result;
  for (auto number : std::exchange(may_grow_, {})) {
    // `grow` takes out those that have all they want.
    auto& growing = at(number).growing;
    for (auto i = growing.begin(); i != growing.end();) {
      auto app = (i++)->second;
      if (grow(app))
        result.push_back(app);
    }
  }
  return result;
}

bool TenantTree::grow(AppKey key) {
  auto& app = apps_.at(key);
  auto& more = admitted_.at(key);
  auto& company = at(at(app.user).company);
  std::pair entry{more.turn, key};
  auto granted = grant(app, more);
  auto gets_some = granted != Resources{};
  if (gets_some) {
    count_request(app, app.request + granted);
    refresh(app.user);
    // To grow is to go before those who wait for room under the cap.
    if (!company.ready.empty())
      pass_over(company.ready.begin()->number);
  }
  if (app.request == more.wanted)
    company.growing.erase(entry);
  else
    company.growing.insert(entry);
  return gets_some;
}

Resources TenantTree::grant(const TenantApp& app,
                            const AdmittedApp& more) const {
  const auto& user = at(app.user);
  const auto& company = at(user.company);
  auto missing = more.wanted - app.request;
  if (missing == Resources{} || is_held(company))
    return {};
  const auto& taken = company.figures.requested;
  const auto& mine = user.figures.requested;
  Resources room{std::min(left(company.cap.cores, taken.cores),
                          left(user.limit.cores, mine.cores)),
                 std::min(left(company.cap.memory_mb, taken.memory_mb),
                          left(user.limit.memory_mb, mine.memory_mb))};
  if (fits_in(missing, room))
    return missing;
  // Whoever is above a cap gets nothing, not even what the other would allow.
  if (room.cores < 0 || room.memory_mb < 0)
    return {};
  auto cores = units_in(missing.cores, more.unit.cores);
  auto memory = units_in(missing.memory_mb, more.unit.memory_mb);
  if (!cores || !memory)
    return {};
  auto units = std::max(*cores, *memory);
  if (missing.cores > 0)
    units = std::min(units,
                     units_fitting(missing.cores, more.unit.cores, room.cores));
  if (missing.memory_mb > 0)
    units = std::min(units, units_fitting(missing.memory_mb,
                                          more.unit.memory_mb, room.memory_mb));
  return {missing.cores > 0 ? std::min(missing.cores, units * more.unit.cores)
                            : 0,
          missing.memory_mb > 0
              ? std::min(missing.memory_mb, units * more.unit.memory_mb)
              : 0};
}

std::optional<std::string> TenantTree::refusal(const std::string& user,
                                               const Resources& request) const {
  auto i = user_numbers_.find(user);
  auto is_listed = i != user_numbers_.end() && at(i->second).listed;
  if (!is_listed && !config_.default_company)
    return "user " + user + " is not in the tenants file: it needs a table"
           + " [users.\"" + user + "\"] with a company, or a default_company";
  auto company = company_numbers_.at(is_listed ? at(at(i->second).company).name
                                               : *config_.default_company);
  const auto& rules = config_.companies[static_cast<std::size_t>(company)];
  // A part of the cluster may grow with it.
  auto cap = [&](const auto& own, const auto& purchased) {
    if (own)
      return *own;
    return config_.cap_at_purchased ? purchased.value_or(unlimited) : unlimited;
  };
  auto check = [&](const std::string& who,
                   const Resources& most) -> std::optional<std::string> {
    std::string text;
    if (request.cores > most.cores)
      text = std::to_string(request.cores) + " cores, and " + who
             + " may have at most " + std::to_string(most.cores);
    else if (request.memory_mb > most.memory_mb)
      text = std::to_string(request.memory_mb) + " MB, and " + who
             + " may have at most " + std::to_string(most.memory_mb);
    else
      return std::nullopt;
    return "the application asks for " + text;
  };
  if (auto text = check("company " + rules.name,
                        {cap(rules.max_cores, rules.cores),
                         cap(rules.max_memory_mb, rules.memory_mb)}))
    return text;
  return is_listed ? check("user " + user, at(i->second).limit) : std::nullopt;
}

} // namespace stoker
