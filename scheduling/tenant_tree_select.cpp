// The choice of a company, of a user, and of an application.

#include "scheduling/tenant_tree.hpp"

namespace stoker {

bool TenantTree::fits_company(const Resources& more,
                              const TenantCompany& company) {
  return fits_in(company.figures.requested + more, company.cap);
}

bool TenantTree::fits_user(const Resources& more, const TenantUser& user) {
  return fits_in(user.figures.requested + more, user.limit);
}

bool TenantTree::full() const {
  if (config_.accounting == Accounting::running && hungry_ > 0)
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
    auto app = user.queue.begin()->app;
    admit(app, apps_.at(app));
    user.selected = turn_;
    at(company).selected = turn_;
    refresh(*chosen);
    return app;
  }
  return std::nullopt;
}

bool TenantTree::is_held(const TenantCompany& company) const {
  return company.held_for
         && fits_in(head(at(*company.held_for)).request, company.cap);
}

std::optional<UserNumber> TenantTree::choose_user(CompanyNumber number) {
  auto& company = at(number);
  if (is_held(company)) {
    const auto& app = head(at(*company.held_for));
    return fits_company(app.request, company) ? company.held_for : std::nullopt;
  }
  std::vector<AppKey> passed;
  for (const auto& x : company.ready) {
    const auto& user = at(x.number);
    const auto& app = head(user);
    if (fits_company(app.request, company)) {
      for (auto y : passed)
        ++apps_.at(y).passed_over;
      return x.number;
    }
    // What is above the whole cap holds nobody up: it might wait for ever.
    if (!fits_in(app.request, company.cap))
      continue;
    if (app.passed_over >= config_.hold_after) {
      company.held_for = x.number;
      return std::nullopt;
    }
    passed.push_back(user.queue.begin()->app);
  }
  return std::nullopt;
}

} // namespace stoker
