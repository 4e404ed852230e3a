// The choice of a company, of a user, and of an application.

#include <algorithm>

#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker {

bool TenantTree::fits_company(const Resources& more,
                              const TenantCompany& company) {
  return fits_in(company.figures.requested + more, company.cap);
}

bool TenantTree::fits_user(const Resources& more, const TenantUser& user) {
  return fits_in(user.figures.requested + more, user.limit);
}

bool TenantTree::full() const {
  if (config_.accounting == Accounting::running && waiting_ > 0)
    return true;
  const auto& x = occupied(whole_);
  return x.cores >= total_.cores || x.memory_mb >= total_.memory_mb;
}

std::optional<AppKey> TenantTree::select(Instant now) {
  advance(now);
  if (full())
    return std::nullopt;
  while (!open_.empty()) {
    auto company = open_.begin()->number;
    auto chosen = choose_user(company);
    if (!chosen) {
      at(company).stuck = true;
      refresh(company);
      continue;
    }
    auto& user = at(*chosen);
    auto app = user.next->app;
    admit(app, apps_.at(app));
    user.selected = selection_;
    at(company).selected = selection_;
    touched_users_.insert(*chosen);
    refresh(*chosen);
    return app;
  }
  return std::nullopt;
}

bool TenantTree::is_held(const TenantCompany& company) const {
  return company.held_for
         && fits_in(at(*company.held_for).next->request, company.cap);
}

void TenantTree::pass_over(UserNumber number) {
  auto& company = at(at(number).company);
  auto& next = *at(number).next;
  if (fits_company(next.request, company)
      || !fits_in(next.request, company.cap))
    return;
  next.passed_over = std::min(next.passed_over + 1, config_.hold_after);
  if (next.passed_over >= config_.hold_after && !is_held(company))
    company.held_for = number;
}

std::optional<UserNumber> TenantTree::choose_user(CompanyNumber number) {
  auto& company = at(number);
  if (is_held(company))
    return fits_company(at(*company.held_for).next->request, company)
               ? company.held_for
               : std::nullopt;
  std::vector<UserNumber> passed;
  for (const auto& x : company.ready) {
    const auto& next = *at(x.number).next;
    if (fits_company(next.request, company)) {
      for (auto y : passed)
        pass_over(y);
      return x.number;
    }
    // What is above the whole cap holds nobody up: it might wait for ever.
    if (next.passed_over >= config_.hold_after
        && fits_in(next.request, company.cap)) {
      company.held_for = x.number;
      return std::nullopt;
    }
    passed.push_back(x.number);
  }
  return std::nullopt;
}

} // namespace stoker
