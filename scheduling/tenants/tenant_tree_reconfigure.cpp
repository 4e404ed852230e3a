// New rules for those who are there.

#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker {

void TenantTree::reconfigure(Instant now, TenantsConfig config) {
  advance(now);
  TenantTree next{std::move(config)};
  next.take_over(*this);
  *this = std::move(next);
}

void TenantTree::take_over(TenantTree& old) {
  total_ = old.total_;
  selection_ = old.selection_;
  advanced_ = old.advanced_;
  waiting_ = old.waiting_;
  for (const auto& user : old.users_)
    if (user.next)
      old.apps_.at(user.next->app).passed_over = user.next->passed_over;
  auto now_at = take_over_users(old);
  apps_ = std::move(old.apps_);
  admitted_ = std::move(old.admitted_);
  for (auto& [key, app] : apps_) {
    app.user = now_at[static_cast<std::size_t>(app.user)];
    if (!app.admitted) {
      at(app.user).queue.insert(queue_rank(key, app));
      count(app.user, [](auto& x) { ++x.queued; });
      continue;
    }
    const auto& more = admitted_.at(key);
    count(app.user, [&app = app, &more](auto& x) {
      ++x.admitted;
      x.requested += app.request;
      x.running += more.running;
    });
    if (app.request != more.wanted)
      at(at(app.user).company).growing.insert({more.turn, key});
  }
  apply_cluster();
  for (std::uint32_t i = 0; i < users_.size(); ++i)
    refresh(UserNumber{i});
}

std::vector<UserNumber> TenantTree::take_over_users(const TenantTree& old) {
  // A company that is gone comes back only with users who still need it.
  auto company_of = [&](const TenantUser& user) {
    const auto& before = old.at(user.company);
    return company_number(config_.default_company.value_or(before.name));
  };
  std::vector<UserNumber> result(old.users_.size());
  for (std::size_t i = 0; i < old.users_.size(); ++i) {
    const auto& user = old.users_[i];
    auto is_needed = user.figures.queued > 0 || user.figures.admitted > 0;
    if (!is_needed && !user.listed)
      continue;
    auto found = user_numbers_.find(user.name);
    if (found != user_numbers_.end())
      result[i] = found->second;
    else if (is_needed)
      result[i] = new_user(user.name, company_of(user));
    else {
      gone_users_.push_back(user.name);
      continue;
    }
    at(result[i]).selected = user.selected;
  }
  for (const auto& before : old.companies_) {
    auto found = company_numbers_.find(before.name);
    if (found == company_numbers_.end())
      continue;
    auto& company = at(found->second);
    company.selected = before.selected;
    company.usage_cores = before.usage_cores;
    company.usage_memory_mb = before.usage_memory_mb;
  }
  return result;
}

} // namespace stoker
