#include "scheduling/tenants/tenant_reasons.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "scheduling/common/format.hpp"
#include "scheduling/tenants/growth.hpp"
#include "scheduling/tenants/tenant_ranks.hpp"

namespace stoker {

namespace {

std::string numbers(const Resources& x) {
  return format_cores(x.cores) + " and " + format_memory(x.memory_mb);
}

/// The same beside others, in one unit with them.
std::string numbers_beside(const Resources& x, const Resources& others) {
  return format_cores(x.cores) + " and "
         + format_memory_beside(
             x.memory_mb, others.memory_mb == unlimited ? 0 : others.memory_mb);
}

/// "2 cores and 3 GB of at most 4 cores and 8 GB"
std::string part_of_limits(const Resources& x, const Resources& limits) {
  return numbers_beside(x, limits) + " of at most "
         + (limits.cores == unlimited ? "any number of cores"
                                      : format_cores(limits.cores))
         + " and "
         + (limits.memory_mb == unlimited
                ? "memory without limit"
                : format_memory_beside(limits.memory_mb, x.memory_mb));
}

/// What a company has of its cap.
std::string part_of_cap(const TenantState& state, CompanyNumber company) {
  return "company " + state.directory.name(company) + " has "
         + part_of_limits(state.occupancy.of(company).requested,
                          state.occupancy.cap(company));
}

/// What a user has of his limits.
std::string part_of_limit(const TenantState& state, UserNumber user) {
  return "user " + state.directory.name(user) + " has "
         + part_of_limits(state.occupancy.of(user).requested,
                          state.rules.limit(user));
}

/// Why the next application of a user does not fit under the company's cap.
std::string why_above_cap(const TenantState& state, UserNumber user) {
  return part_of_cap(state, state.directory.company_of(user))
         + ", and the next of user " + state.directory.name(user) + " asks for "
         + numbers(state.queues.next(user)->request);
}

} // namespace

std::string why_full(const TenantState& state) {
  if (!is_full(state))
    return {};
  auto x = filling(state);
  const auto& total = state.rules.total();
  if (x.cores < total.cores && x.memory_mb < total.memory_mb)
    return format_count(static_cast<std::int64_t>(state.admitted.waiting()),
                        "admitted application")
           + (state.admitted.waiting() == 1 ? " still waits" : " still wait")
           + " for executors";
  return "what is admitted fills the cluster: " + numbers_beside(x, total)
         + " of " + numbers_beside(total, x);
}

std::string why_blocked(const TenantState& state, UserNumber user) {
  const auto& next = state.queues.next(user);
  if (!next || is_ready(state, user))
    return {};
  const auto& name = state.directory.name(user);
  const auto& figures = state.occupancy.of(user);
  auto most = state.rules.max_applications(user);
  if (figures.admitted >= most)
    return "user " + name + " has "
           + format_count(figures.admitted, "application")
           + " admitted, and may have " + std::to_string(most);
  return part_of_limit(state, user) + ", and the next asks for "
         + numbers(next->request);
}

std::string why_blocked(const TenantState& state, CompanyNumber company) {
  if (is_held(state, company)) {
    auto user = state.order.held_for(company)->user;
    if (next_fits(state, user))
      return {};
    return why_above_cap(state, user) + ", for which the company is held";
  }
  if (state.occupancy.of(company).queued == 0)
    return {};
  const auto& ready = state.order.ready(company);
  if (ready.empty())
    return "each user of company " + state.directory.name(company)
           + " is at a limit";
  if (std::any_of(ready.begin(), ready.end(),
                  [&](auto& x) { return next_fits(state, x.number); }))
    return {};
  return why_above_cap(state, ready.begin()->number);
}

QueuedReason why_queued(const TenantState& state, Member member) {
  auto [company, user] = member;
  if (auto reason = why_blocked(state, user); !reason.empty()) {
    auto of_user = "of user " + state.directory.name(user);
    auto has_most = state.occupancy.of(user).admitted
                    >= state.rules.max_applications(user);
    return {std::move(reason),
            has_most ? "another application " + of_user + " ends"
                     : "other applications " + of_user + " end or want less",
            true};
  }
  if (auto reason = why_blocked(state, company); !reason.empty())
    return {std::move(reason),
            "other applications of company " + state.directory.name(company)
                + " end or want less",
            true};
  if (auto reason = why_full(state); !reason.empty())
    return {std::move(reason),
            "its turn comes, and what is admitted no longer fills the cluster",
            false};
  return {"its turn comes when others before it were admitted",
          "its turn comes", false};
}

std::string why_limited(const TenantState& state, const AdmittedApp& app) {
  if (app.request == app.wanted)
    return {};
  auto [company, user] = app.member;
  if (is_held(state, company))
    return why_above_cap(state, state.order.held_for(company)->user)
           + ", for which the company is held";
  auto more = next_growth(app);
  auto grows_by = ", and it grows by " + numbers(more);
  if (!fits_in(state.occupancy.of(user).requested + more,
               state.rules.limit(user)))
    return part_of_limit(state, user) + grows_by;
  if (!state.occupancy.fits(company, more))
    return part_of_cap(state, company) + grows_by;
  return {};
}

// -- refusal ------------------------------------------------------------------

namespace {

/// Whether a request is within what somebody may ever have.
Status check_most(const Resources& request, const std::string& who,
                  const Resources& most) {
  auto text = [&](std::int64_t asked, const char* unit, std::int64_t limit) {
    return invalid("the application asks for " + std::to_string(asked) + unit
                   + ", and " + who + " may have at most "
                   + std::to_string(limit));
  };
  if (request.cores > most.cores)
    return text(request.cores, " cores", most.cores);
  if (request.memory_mb > most.memory_mb)
    return text(request.memory_mb, " MB", most.memory_mb);
  return {};
}

/// The cap of a company, whatever size the cluster may grow to.
Resources largest_cap(const TenantsConfig& config, const CompanyConfig& x) {
  auto cap = [&](const auto& own, const auto& purchased) {
    if (own)
      return *own;
    return config.cap_at_purchased ? purchased.value_or(unlimited) : unlimited;
  };
  return {cap(x.max_cores, x.cores), cap(x.max_memory_mb, x.memory_mb)};
}

} // namespace

Status may_join(const TenantState& state, const std::string& user,
                const Resources& request) {
  const auto& config = state.rules.config();
  auto number = state.directory.find_user(user);
  auto is_listed = number && state.rules.is_listed(*number);
  if (!is_listed && !config.default_company && user.empty())
    return invalid("no user is named, and the tenants file has no "
                   "default_company: name one of its users");
  if (!is_listed && !config.default_company)
    return invalid("user " + user
                   + " is not in the tenants file: it needs a table [users.\""
                   + user + "\"] with a company, or a default_company");
  auto company = is_listed
                     ? state.directory.company_of(*number)
                     : *state.directory.find_company(*config.default_company);
  assert(state.rules.is_listed(company));
  const auto& x = config.companies[static_cast<std::size_t>(company)];
  auto allowed
      = check_most(request, "company " + x.name, largest_cap(config, x));
  if (!allowed || !is_listed)
    return allowed;
  return check_most(request, "user " + user, state.rules.limit(*number));
}

} // namespace stoker
