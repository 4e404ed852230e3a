// Why things are as they are, for people.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "scheduling/tenants/tenant_tree.hpp"
#include "scheduling/tenants/usage_decay.hpp"

namespace stoker {

namespace {

std::string numbers(const Resources& x) {
  return std::to_string(x.cores) + " cores and " + std::to_string(x.memory_mb)
         + " MB";
}

std::string limits(const Resources& x) {
  auto text = [](std::int64_t limit, const char* unit) {
    return limit == unlimited ? std::string{"any "} + unit
                              : std::to_string(limit) + ' ' + unit;
  };
  return text(x.cores, "cores") + " and " + text(x.memory_mb, "MB");
}

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

} // namespace

std::string TenantTree::why_full() const {
  if (!full())
    return {};
  const auto& x = occupied(whole_);
  if (x.cores < total_.cores && x.memory_mb < total_.memory_mb)
    return std::to_string(waiting_)
           + " admitted applications still wait for executors";
  return "what is admitted fills the cluster: " + numbers(x) + " of "
         + numbers(total_);
}

std::string TenantTree::why_blocked(const TenantUser& user) {
  if (!user.next || is_ready(user))
    return {};
  if (user.figures.admitted >= user.max_applications)
    return "user " + user.name + " has " + std::to_string(user.figures.admitted)
           + " applications admitted, and may have "
           + std::to_string(user.max_applications);
  return "user " + user.name + " has " + numbers(user.figures.requested)
         + " of at most " + limits(user.limit) + ", and the next asks for "
         + numbers(user.next->request);
}

std::string TenantTree::why_blocked(const TenantCompany& company) const {
  auto text = [&](const TenantUser& user) {
    return "company " + company.name + " has "
           + numbers(company.figures.requested) + " of at most "
           + limits(company.cap) + ", and the next of user " + user.name
           + " asks for " + numbers(user.next->request);
  };
  if (is_held(company)) {
    const auto& user = at(*company.held_for);
    if (fits_company(user.next->request, company))
      return {};
    return text(user) + ", for which the company is held";
  }
  if (company.figures.queued == 0)
    return {};
  if (company.ready.empty())
    return "each user of company " + company.name + " is at a limit";
  for (const auto& x : company.ready)
    if (fits_company(at(x.number).next->request, company))
      return {};
  return text(at(company.ready.begin()->number));
}

UserView TenantTree::view_of(const TenantUser& user) const {
  UserView result;
  result.name = user.name;
  result.figures = user.figures;
  result.share = finite(share(occupied(user.figures), at(user.company)));
  result.blocked = why_blocked(user);
  return result;
}

CompanyView TenantTree::view_of(CompanyNumber number, double newer) const {
  const auto& company = at(number);
  CompanyView result;
  result.name = company.name;
  result.purchased = company.purchased;
  result.max_cores = finite(company.cap.cores);
  result.max_memory_mb = finite(company.cap.memory_mb);
  result.figures = company.figures;
  result.share = finite(rank(number, newer).share);
  std::tie(result.usage_cores, result.usage_memory_mb) = usage(company, newer);
  result.blocked = why_blocked(company);
  return result;
}

TenantsView TenantTree::view(Instant now) const {
  auto newer = newer_weight(now - advanced_, config_.usage_half_life);
  TenantsView result;
  result.total = total_;
  result.figures = whole_;
  result.accounting = config_.accounting;
  result.company_order = config_.company_order;
  result.user_order = config_.user_order;
  result.application_order = config_.application_order;
  result.full = why_full();
  std::vector<std::vector<UserNumber>> members(companies_.size());
  for (std::uint32_t i = 0; i < users_.size(); ++i) {
    const auto& x = users_[i];
    // Others are forgotten, and their numbers are free.
    if (x.listed || x.figures.queued > 0 || x.figures.admitted > 0)
      members[static_cast<std::size_t>(x.company)].push_back(UserNumber{i});
  }
  std::vector<CompanyRank> ranks;
  for (std::uint32_t i = 0; i < companies_.size(); ++i) {
    if (companies_[i].retired && members[i].empty())
      continue;
    ranks.push_back(rank(CompanyNumber{i}, newer));
    auto& company
        = result.companies.emplace_back(view_of(CompanyNumber{i}, newer));
    std::vector<UserRank> user_ranks;
    for (auto user : members[i]) {
      user_ranks.push_back(rank(user));
      company.users.push_back(view_of(at(user)));
    }
    number_places(company.users, user_ranks);
  }
  number_places(result.companies, ranks);
  return result;
}

QueuePlace TenantTree::place(AppKey app, Instant now) const {
  QueuePlace result;
  auto i = apps_.find(app);
  if (i == apps_.end())
    return result;
  const auto& user = at(i->second.user);
  const auto& company = at(user.company);
  result.known = true;
  result.admitted = i->second.admitted;
  result.company = company.name;
  result.user = user.name;
  result.request = i->second.request;
  if (result.admitted)
    return result;
  auto first = user.queue.begin();
  result.position_in_queue
      = 1 + std::distance(first, user.queue.find(queue_rank(app, i->second)));
  auto mine = rank(i->second.user);
  for (std::uint32_t j = 0; j < users_.size(); ++j)
    result.user_place += users_[j].company == user.company
                         && !users_[j].queue.empty()
                         && rank(UserNumber{j}) <= mine;
  auto newer = newer_weight(now - advanced_, config_.usage_half_life);
  auto ours = rank(user.company, newer);
  for (std::uint32_t j = 0; j < companies_.size(); ++j)
    result.company_place += companies_[j].figures.queued > 0
                            && rank(CompanyNumber{j}, newer) <= ours;
  result.reason = why_blocked(user);
  if (result.reason.empty())
    result.reason = why_blocked(company);
  if (result.reason.empty())
    result.reason = why_full();
  if (result.reason.empty())
    result.reason = "its turn comes when others before it were admitted";
  return result;
}

} // namespace stoker
