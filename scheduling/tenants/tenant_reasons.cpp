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

/// " asks for 4 cores and 4 GB"
std::string next_asks_for(const NextProgram& next) {
  return (next.needed == next.request ? " asks for " : " needs at least ")
         + numbers(next.needed);
}

/// Why nothing of a user is started; empty: the rules know the user.
std::string why_not_served(const TenantState& state, UserNumber user) {
  return state.rules.is_served(user)
             ? std::string{}
             : "user " + state.directory.name(user)
                   + " is not in the tenants file any more";
}

/// Why the next driver of a user has to leave room, of which `owner` may have `most`.
std::string why_no_room_is_left(const std::string& owner,
                                const Resources& drivers, const Resources& most,
                                const NextProgram& next, const Rooms& rooms) {
  auto room = larger(next.room, rooms.largest_below(most));
  return "drivers of " + owner + " hold " + part_of_limits(drivers, most)
         + ", and the next (" + numbers(next.needed)
         + ") would leave less than " + numbers(room)
         + " for an executor (stoker submit --with-executors says what a "
           "driver needs)";
}

/// The same under the company's cap.
std::string why_no_room_is_left(const TenantState& state, UserNumber user) {
  auto company = state.directory.company_of(user);
  return why_no_room_is_left(
      "company " + state.directory.name(company),
      state.occupancy.of(company).drivers, state.occupancy.cap(company),
      *state.queues.next(user), state.occupancy.rooms(company));
}

/// Why the next application of a user does not fit under the company's cap.
std::string why_above_cap(const TenantState& state, UserNumber user) {
  if (!leaves_room_to_company(state, user))
    return why_no_room_is_left(state, user);
  return part_of_cap(state, state.directory.company_of(user))
         + ", and the next of user " + state.directory.name(user)
         + next_asks_for(*state.queues.next(user));
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
  if (auto reason = why_not_served(state, user); !reason.empty())
    return reason;
  const auto& name = state.directory.name(user);
  const auto& figures = state.occupancy.of(user);
  if (has_most(state, user) && !next->with_driver)
    return "user " + name + " has "
           + format_count(figures.admitted - figures.with_driver, "program")
           + " admitted, and may have "
           + std::to_string(state.rules.max_applications(user));
  if (!leaves_room_to_user(state, user))
    return why_no_room_is_left("user " + name, figures.drivers,
                               state.rules.limit(user), *next,
                               state.occupancy.rooms(user));
  return part_of_limit(state, user) + ", and the next" + next_asks_for(*next);
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
    if (!state.rules.is_served(user))
      return {std::move(reason), "the tenants file has the user again", true};
    return {std::move(reason),
            has_most(state, user) ? "another program " + of_user + " ends"
            : !leaves_room_to_user(state, user)
                ? "other drivers " + of_user + " end"
                : "other programs " + of_user + " end or want less",
            true};
  }
  // A held company still admits the application of a driver.
  auto is_held_here
      = is_held(state, company) && !state.queues.next(user)->with_driver;
  auto reason = is_held_here             ? why_blocked(state, company)
                : next_fits(state, user) ? std::string{}
                                         : why_above_cap(state, user);
  if (!reason.empty()) {
    auto of_company = "of company " + state.directory.name(company);
    return {std::move(reason),
            is_held_here || leaves_room_to_company(state, user)
                ? "other programs " + of_company + " end or want less"
                : "other drivers " + of_company + " end",
            true};
  }
  if (reason = why_full(state); !reason.empty())
    return {std::move(reason),
            "its turn comes, and what is admitted no longer fills the cluster",
            false};
  return {"its turn comes when others before it were admitted",
          "its turn comes", false};
}

std::string why_limited(const TenantState& state,
                        const AdmittedProgram& program) {
  if (program.request == program.wanted)
    return {};
  auto [company, user] = program.member;
  if (auto reason = why_not_served(state, user); !reason.empty())
    return reason;
  if (is_held(state, company))
    return why_above_cap(state, state.order.held_for(company)->user)
           + ", for which the company is held";
  auto more = next_growth(program);
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

/// Whether what is needed is within what somebody may ever have.
Status check_most(const Resources& least, const RefusalText& text,
                  const std::string& owner, const Resources& most) {
  auto refuse = [&](const std::string& needed, std::int64_t limit,
                    const std::string& of) {
    auto advice = text.advice.empty()
                      ? std::string{}
                      : ": request at most " + of + ' ' + text.advice;
    return invalid(text.who + " " + needed + ", and " + owner
                   + " may have at most " + std::to_string(limit) + advice);
  };
  if (least.cores > most.cores)
    return refuse(format_cores(least.cores), most.cores,
                  format_cores(most.cores));
  if (least.memory_mb > most.memory_mb)
    return refuse(std::to_string(least.memory_mb) + " MB", most.memory_mb,
                  std::to_string(most.memory_mb) + " MB");
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

/// The company whose rules hold for a user; nothing: the user is not known.
const CompanyConfig* company_of(const TenantState& state,
                                const std::string& user) {
  const auto& config = state.rules.config();
  auto number = state.directory.find_user(user);
  auto company = number && state.rules.is_listed(*number)
                     ? std::optional{state.directory.company_of(*number)}
                 : config.default_company
                     ? state.directory.find_company(*config.default_company)
                     : std::nullopt;
  if (!company)
    return nullptr;
  assert(state.rules.is_listed(*company));
  return &config.companies[static_cast<std::size_t>(*company)];
}

Resources limit_of(const TenantState& state, const std::string& user) {
  auto number = state.directory.find_user(user);
  return number ? state.rules.limit(*number) : Resources{unlimited, unlimited};
}

} // namespace

Status may_join(const TenantState& state, const std::string& user,
                const Resources& least, const RefusalText& text) {
  const auto* company = company_of(state, user);
  if (company == nullptr && user.empty())
    return invalid("no user is named, and the tenants file has no "
                   "default_company: name one of its users");
  if (company == nullptr)
    return invalid("user " + user
                   + " is not in the tenants file: it needs a table [users.\""
                   + user + "\"] with a company, or a default_company");
  auto allowed = check_most(least, text, "company " + company->name,
                            largest_cap(state.rules.config(), *company));
  return allowed
             ? check_most(least, text, "user " + user, limit_of(state, user))
             : allowed;
}

Resources most_of(const TenantState& state, const std::string& user) {
  const auto* company = company_of(state, user);
  if (company == nullptr)
    return {unlimited, unlimited};
  return smaller(largest_cap(state.rules.config(), *company),
                 limit_of(state, user));
}

} // namespace stoker
