// Who comes first: shares, usage, and the sets that are ordered by them.

#include <algorithm>
#include <limits>
#include <tuple>

#include "scheduling/tenants/tenant_tree.hpp"
#include "scheduling/tenants/usage_decay.hpp"

namespace stoker {

namespace {

double part_of(double x, std::int64_t purchased) {
  if (x <= 0)
    return 0;
  return purchased > 0 ? x / static_cast<double>(purchased)
                       : std::numeric_limits<double>::infinity();
}

/// `average` moved towards `value`. One operation a statement, so that no
/// compiler makes one operation of two, and all round alike.
double moved(double average, std::int64_t value, double weight) {
  auto difference = static_cast<double>(value) - average;
  auto change = weight * difference;
  return average + change;
}

std::int64_t equal_part(std::int64_t x, std::size_t parts) {
  auto n = static_cast<std::int64_t>(parts);
  return (x + n - 1) / n;
}

} // namespace

double TenantTree::share(double cores, double memory_mb,
                         const TenantCompany& company) {
  if (company.retired)
    return std::numeric_limits<double>::infinity();
  return std::max(part_of(cores, company.purchased.cores),
                  part_of(memory_mb, company.purchased.memory_mb));
}

double TenantTree::share(const Resources& x, const TenantCompany& company) {
  return share(static_cast<double>(x.cores), static_cast<double>(x.memory_mb),
               company);
}

std::pair<double, double> TenantTree::usage(const TenantCompany& company,
                                            double newer) const {
  const auto& now = occupied(company.figures);
  return {moved(company.usage_cores, now.cores, newer),
          moved(company.usage_memory_mb, now.memory_mb, newer)};
}

CompanyRank TenantTree::rank(CompanyNumber number, double newer) const {
  const auto& company = at(number);
  const auto& now = occupied(company.figures);
  if (config_.company_order == CompanyOrder::dominant_share)
    return {share(now, company), company.selected, number};
  auto [cores, memory_mb] = usage(company, newer);
  return {share(cores + static_cast<double>(now.cores),
                memory_mb + static_cast<double>(now.memory_mb), company),
          company.selected, number};
}

UserRank TenantTree::rank(UserNumber number) const {
  const auto& user = at(number);
  if (config_.user_order == UserOrder::longest_waiting)
    return {0, user.selected, 0, number};
  const auto& company = at(user.company);
  return {share(occupied(user.figures), company), user.selected,
          user.next ? share(user.next->request, company) : 0, number};
}

bool TenantTree::is_ready(const TenantUser& user) {
  return user.next && user.figures.admitted < user.max_applications
         && fits_user(user.next->request, user);
}

void TenantTree::advance(Instant now) {
  if (now <= advanced_)
    return;
  auto newer = newer_weight(now - advanced_, config_.usage_half_life);
  advanced_ = now;
  for (auto& x : companies_)
    std::tie(x.usage_cores, x.usage_memory_mb) = usage(x, newer);
  if (config_.company_order != CompanyOrder::usage)
    return;
  // All shares have changed at once.
  auto before = std::exchange(open_, {});
  for (const auto& x : before) {
    auto& place = at(x.number).rank;
    place = rank(x.number, 0);
    open_.insert(*place);
  }
}

void TenantTree::refresh_next(TenantUser& user) {
  if (user.queue.empty()) {
    user.next.reset();
    return;
  }
  auto first = user.queue.begin()->app;
  if (user.next && user.next->app == first)
    return;
  if (user.next) {
    // Another came before it: it keeps its count.
    auto previous = apps_.find(user.next->app);
    if (previous != apps_.end())
      previous->second.passed_over = user.next->passed_over;
  }
  const auto& app = apps_.at(first);
  user.next = {first, app.request, app.passed_over};
}

void TenantTree::refresh(UserNumber number) {
  auto& user = at(number);
  auto& company = at(user.company);
  auto before = user.next ? std::optional{user.next->app} : std::nullopt;
  refresh_next(user);
  if (user.rank)
    company.ready.erase(*user.rank);
  user.rank.reset();
  if (is_ready(user)) {
    user.rank = rank(number);
    company.ready.insert(*user.rank);
    if (fits_company(user.next->request, company))
      company.stuck = false;
  }
  // The company was held for one application, not for its user.
  auto is_over
      = company.held_for == number && (!user.rank || user.next->app != before);
  if (is_over) {
    company.held_for.reset();
    reopen(user.company);
  } else {
    refresh(user.company);
  }
}

void TenantTree::refresh(CompanyNumber number) {
  auto& company = at(number);
  std::optional<CompanyRank> now;
  if (!company.ready.empty() && !company.stuck)
    now = rank(number, 0);
  if (now == company.rank)
    return;
  if (company.rank)
    open_.erase(*company.rank);
  if (now)
    open_.insert(*now);
  company.rank = now;
}

void TenantTree::reopen(CompanyNumber number) {
  auto& company = at(number);
  company.stuck = false;
  if (!company.growing.empty())
    may_grow_.insert(number);
  refresh(number);
}

void TenantTree::set_cluster(Instant now, Resources total) {
  advance(now);
  if (total == total_)
    return;
  total_ = total;
  apply_cluster();
}

void TenantTree::apply_cluster() {
  for (std::uint32_t i = 0; i < companies_.size(); ++i)
    apply_cluster(CompanyNumber{i});
}

void TenantTree::apply_cluster(CompanyNumber number) {
  auto& company = at(number);
  auto parts = config_.companies.size();
  auto before = company.purchased;
  if (!company.retired) {
    const auto& rules = config_.companies[static_cast<std::size_t>(number)];
    company.purchased
        = {rules.cores.value_or(equal_part(total_.cores, parts)),
           rules.memory_mb.value_or(equal_part(total_.memory_mb, parts))};
    auto rest = config_.cap_at_purchased ? company.purchased
                                         : Resources{unlimited, unlimited};
    company.cap = {rules.max_cores.value_or(rest.cores),
                   rules.max_memory_mb.value_or(rest.memory_mb)};
  }
  auto above = company.figures.requested - company.cap;
  company.excess = {std::max(above.cores, std::int64_t{0}),
                    std::max(above.memory_mb, std::int64_t{0})};
  if (company.purchased != before
      && config_.user_order == UserOrder::occupancy) {
    auto ready = std::exchange(company.ready, {});
    for (const auto& x : ready) {
      auto& place = at(x.number).rank;
      place = rank(x.number);
      company.ready.insert(*place);
    }
  }
  reopen(number);
}

} // namespace stoker
