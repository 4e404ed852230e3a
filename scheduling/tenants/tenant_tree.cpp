#include "scheduling/tenants/tenant_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "scheduling/tenants/growth.hpp"
#include "scheduling/tenants/selection.hpp"
#include "scheduling/tenants/tenant_invariants.hpp"
#include "scheduling/tenants/tenant_ranks.hpp"
#include "scheduling/tenants/tenant_reasons.hpp"
#include "scheduling/tenants/tenant_reconfigure.hpp"
#include "scheduling/tenants/tenant_steps.hpp"
#include "scheduling/tenants/tenant_view.hpp"

namespace stoker {

TenantTree::TenantTree(TenantsConfig config) : state_(std::move(config)) {
}

// -- events -------------------------------------------------------------------

void TenantTree::set_cluster(Instant now, Resources total) {
  advance(state_, now);
  if (total == state_.rules.total())
    return;
  state_.rules.set_total(total);
  auto by_share = config().user_order == UserOrder::occupancy;
  for (std::uint32_t i = 0; i < state_.directory.companies(); ++i) {
    CompanyNumber company{i};
    // The shares of users may have changed with the company's purchase.
    if (by_share)
      state_.order.rerank_users(company,
                                [&](UserNumber x) { return rank(state_, x); });
    apply_cap(state_, company);
  }
}

void TenantTree::add(Instant now, ProgramKey program, const Entry& entry) {
  advance(state_, now);
  auto user = number_of_user(state_, entry.user);
  auto is_first = state_.queues.add(
      program, {countable(entry.request), user, entry.priority, 0, entry.sql,
                entry.elastic, entry.submitted, entry.least, entry.with_driver,
                entry.driver, countable(entry.room)});
  count(state_, state_.directory.member(user), {{}, {}, 1, 0});
  if (is_first)
    refresh(state_, user);
}

void TenantTree::adopt(Instant now, ProgramKey program, const Entry& entry) {
  add(now, program, entry);
  admit_with(state_, program, countable(entry.request));
  auto [company, user] = state_.admitted.find(program)->member;
  refresh(state_, user);
  apply_cap(state_, company);
}

void TenantTree::admit_from(Instant now, ProgramKey driver, ProgramKey program,
                            Resources part) {
  advance(state_, now);
  admit_with(state_, program, {});
  const auto& from = *state_.admitted.find(driver);
  auto member = from.member;
  // Nothing changes for their user: a company may be above its cap.
  state_.admitted.set_request(driver, from.request - part);
  state_.admitted.set_request(program, part);
  refresh(state_, member.user);
  reopen(state_, member.company);
}

void TenantTree::hand_over(Instant now, ProgramKey from, ProgramKey to) {
  advance(state_, now);
  auto successor = state_.admitted.take(from);
  count(state_, successor.member,
        {{}, Resources{} - successor.running, 0, 0, 0});
  successor.running = {};
  state_.admitted.add(to, successor);
  refresh(state_, successor.member.user);
  reopen(state_, successor.member.company);
}

std::optional<ProgramKey> TenantTree::select(Instant now) {
  advance(state_, now);
  return select_next(state_);
}

void TenantTree::set_request(Instant now, ProgramKey program, Resources wanted,
                             Resources unit) {
  advance(state_, now);
  wanted = countable(wanted);
  Member member;
  if (const auto* queued = state_.queues.find(program)) {
    if (queued->request == wanted)
      return;
    member = state_.directory.member(queued->user);
    state_.queues.set_request(program, wanted);
  } else if (const auto* admitted = state_.admitted.find(program)) {
    member = admitted->member;
    auto request = admitted->request;
    state_.admitted.set_wanted(program, wanted, countable(unit));
    change_request(state_, program,
                   {std::min(request.cores, wanted.cores),
                    std::min(request.memory_mb, wanted.memory_mb)});
  } else {
    return;
  }
  refresh(state_, member.user);
  reopen(state_, member.company);
}

void TenantTree::widen(Instant now, ProgramKey program, Resources to) {
  advance(state_, now);
  change_request(state_, program, to);
  auto [company, user] = state_.admitted.find(program)->member;
  refresh(state_, user);
  reopen(state_, company);
}

void TenantTree::set_least(Instant now, ProgramKey program,
                           std::optional<Resources> least, bool elastic) {
  advance(state_, now);
  const auto* queued = state_.queues.find(program);
  if (queued == nullptr
      || (queued->least == least && queued->elastic == elastic))
    return;
  state_.queues.set_least(program, least, elastic);
  refresh(state_, queued->user);
  reopen(state_, state_.directory.member(queued->user).company);
}

void TenantTree::set_running(Instant now, ProgramKey program,
                             Resources running) {
  advance(state_, now);
  const auto* admitted = state_.admitted.find(program);
  if (admitted == nullptr)
    return;
  auto member = admitted->member;
  count(state_, member, {{}, running - admitted->running, 0, 0});
  state_.admitted.set_running(program, running);
  if (config().accounting == Accounting::running)
    refresh(state_, member.user);
}

void TenantTree::set_waiting(ProgramKey program, Waits waits) {
  const auto* admitted = state_.admitted.find(program);
  if (admitted == nullptr || admitted->waits == waits)
    return;
  state_.admitted.set_waiting(program, waits);
  refresh(state_, admitted->member.user);
  reopen(state_, admitted->member.company);
}

void TenantTree::remove(Instant now, ProgramKey program) {
  advance(state_, now);
  if (const auto* queued = state_.queues.find(program)) {
    auto user = queued->user;
    auto was_first = state_.queues.next(user)->key == program;
    state_.queues.take(program);
    count(state_, state_.directory.member(user), {{}, {}, -1, 0});
    if (was_first)
      refresh(state_, user);
    forget_if_idle(state_, user);
  } else if (is_admitted(program)) {
    auto gone = state_.admitted.take(program);
    uncount(state_, gone);
    refresh(state_, gone.member.user);
    reopen(state_, gone.member.company);
    forget_if_idle(state_, gone.member.user);
  }
}

void TenantTree::reconfigure(Instant now, TenantsConfig config) {
  advance(state_, now);
  state_ = reconfigured(std::move(state_), std::move(config));
}

// -- what is stored -----------------------------------------------------------

namespace {

/// Makes the record of a company or user, as it is now.
struct Record {
  const TenantState& state;

  StoredCompany operator()(CompanyNumber company) const {
    const auto& usage = state.usage.of(company);
    return {state.directory.name(company), state.selections.of(company),
            usage.cores, usage.memory_mb, to_ms(state.usage.until())};
  }
  StoredUser operator()(UserNumber user) const {
    return {state.directory.name(user), state.selections.of(user)};
  }
};

} // namespace

TenantChanges TenantTree::take_changes() {
  return state_.changed.take(Record{state_});
}

void TenantTree::restore(Instant now,
                         const std::vector<StoredCompany>& companies,
                         const std::vector<StoredUser>& users) {
  advance(state_, now);
  for (const auto& x : companies) {
    state_.selections.restore_last(x.selected);
    auto company = state_.directory.find_company(x.name);
    if (!company)
      continue;
    state_.selections.restore(*company, x.selected);
    auto& usage = state_.usage;
    usage.set(*company, {x.usage_cores, x.usage_memory_mb});
    // A record is made whenever what the company occupies changes, so it has
    // occupied the same since then.
    Instant then{Duration{x.usage_at_ms}};
    usage.set(*company, usage.with(*company, occupied(state_, *company),
                                   usage.weight(then, now)));
  }
  for (const auto& x : users) {
    state_.selections.restore_last(x.selected);
    if (auto user = state_.directory.find_user(x.name))
      state_.selections.restore(*user, x.selected);
  }
  for (std::uint32_t i = 0; i < state_.directory.users(); ++i)
    if (UserNumber user{i}; state_.directory.is_present(user))
      refresh(state_, user);
  for (std::uint32_t i = 0; i < state_.directory.companies(); ++i)
    refresh(state_, CompanyNumber{i});
}

// -- queries ------------------------------------------------------------------

Status TenantTree::may_join(const std::string& user, const Resources& least,
                            const RefusalText& text) const {
  return stoker::may_join(state_, user, least, text);
}

Resources TenantTree::most_of(const std::string& user) const {
  return stoker::most_of(state_, user);
}

bool TenantTree::is_served(const std::string& user) const {
  auto number = state_.directory.find_user(user);
  return config().default_company
         || (number && state_.rules.is_listed(*number));
}

bool TenantTree::could_count(ProgramKey program, const Resources& to) const {
  const auto& admitted = *state_.admitted.find(program);
  auto [company, user] = admitted.member;
  auto more = to - admitted.request;
  return state_.rules.is_served(user) && state_.occupancy.fits(company, more)
         && fits_in(state_.occupancy.of(user).requested + more,
                    state_.rules.limit(user));
}

Resources TenantTree::admitted_request(ProgramKey program) const {
  const auto* admitted = state_.admitted.find(program);
  return admitted == nullptr ? Resources{} : admitted->request;
}

bool TenantTree::has_to_yield(ProgramKey program, const Resources& part) const {
  const auto* admitted = state_.admitted.find(program);
  return admitted != nullptr && admitted->request != admitted->wanted
         && stoker::has_to_yield(state_, admitted->member, part);
}

bool TenantTree::full() const {
  return is_full(state_);
}

TenantsView TenantTree::view(Instant now) const {
  return view_of(state_, now);
}

std::string TenantTree::why_full() const {
  return stoker::why_full(state_);
}

QueuedReason TenantTree::why_queued(ProgramKey program) const {
  auto user = state_.queues.find(program)->user;
  return stoker::why_queued(state_, state_.directory.member(user));
}

QueuePlace TenantTree::place(ProgramKey program, Instant now) const {
  return place_of(state_, program, now);
}

std::optional<std::string> TenantTree::invariant_violation() const {
  return stoker::invariant_violation(state_);
}

} // namespace stoker
