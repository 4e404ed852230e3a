// Who there is, what joins and leaves, and what counts for whom.

#include "scheduling/tenants/tenant_tree.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace stoker {

namespace {

std::int32_t negated(std::int32_t priority) {
  constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
  return -std::max(priority, lowest + 1);
}

} // namespace

TenantTree::TenantTree(TenantsConfig config) : config_(std::move(config)) {
  assert(!validate(config_));
  for (const auto& x : config_.companies)
    at(company_number(x.name)).retired = false;
  for (const auto& x : config_.users) {
    auto& user = at(new_user(x.name, company_number(x.company)));
    user.listed = true;
    user.limit = {x.max_cores.value_or(unlimited),
                  x.max_memory_mb.value_or(unlimited)};
    user.max_applications = x.max_applications.value_or(unlimited);
  }
  apply_cluster();
}

CompanyNumber TenantTree::company_number(const std::string& name) {
  auto next = static_cast<CompanyNumber>(companies_.size());
  auto [i, is_new] = company_numbers_.emplace(name, next);
  if (is_new) {
    auto& company = companies_.emplace_back();
    company.name = name;
    company.retired = true;
  }
  return i->second;
}

UserNumber TenantTree::new_user(const std::string& name,
                                CompanyNumber company) {
  auto number = static_cast<UserNumber>(users_.size());
  if (free_users_.empty()) {
    users_.emplace_back();
  } else {
    number = free_users_.back();
    free_users_.pop_back();
  }
  auto& user = at(number);
  user.name = name;
  user.company = company;
  // Waits from now on: a new name does not go before those who wait already.
  user.selected = selection_;
  user_numbers_.emplace(name, number);
  return number;
}

UserNumber TenantTree::user_number(const std::string& name) {
  auto i = user_numbers_.find(name);
  if (i != user_numbers_.end())
    return i->second;
  auto result
      = new_user(name, company_number(config_.default_company.value_or("")));
  touched_users_.insert(result);
  return result;
}

void TenantTree::forget(UserNumber number) {
  auto& user = at(number);
  if (user.listed || user.figures.queued > 0 || user.figures.admitted > 0)
    return;
  user_numbers_.erase(user.name);
  touched_users_.erase(number);
  gone_users_.push_back(user.name);
  user = {};
  free_users_.push_back(number);
}

QueueRank TenantTree::queue_rank(AppKey key, const TenantApp& app) const {
  auto sql_first = config_.application_order == ApplicationOrder::sql_first;
  return {config_.priorities ? negated(app.priority) : 0, sql_first && !app.sql,
          key};
}

// -- joining and leaving ------------------------------------------------------

void TenantTree::add(Instant now, AppKey app, const Entry& entry) {
  advance(now);
  auto number = user_number(entry.user);
  auto [i, is_new]
      = apps_.emplace(app, TenantApp{countable(entry.request), number,
                                     entry.priority, 0, entry.sql, false});
  assert(is_new);
  (void)is_new;
  auto& queue = at(number).queue;
  auto place = queue.insert(queue_rank(app, i->second)).first;
  auto is_first = place == queue.begin();
  count(number, [](auto& x) { ++x.queued; });
  if (is_first)
    refresh(number);
}

void TenantTree::adopt(Instant now, AppKey app, const Entry& entry) {
  add(now, app, entry);
  auto& record = apps_.at(app);
  admit(app, record);
  refresh(record.user);
  apply_cluster(at(record.user).company);
}

void TenantTree::admit(AppKey key, TenantApp& app) {
  at(app.user).queue.erase(queue_rank(key, app));
  auto request = app.request;
  app.request = {};
  app.admitted = true;
  count(app.user, [](auto& x) {
    --x.queued;
    ++x.admitted;
  });
  count_request(app, request);
  auto& more = admitted_[key];
  more.turn = ++selection_;
  more.wanted = request;
  set_waiting(more, config_.accounting == Accounting::running);
}

void TenantTree::remove(Instant now, AppKey app) {
  advance(now);
  auto i = apps_.find(app);
  if (i == apps_.end())
    return;
  auto number = i->second.user;
  auto company = at(number).company;
  if (i->second.admitted) {
    auto& more = admitted_.at(app);
    set_waiting(more, false);
    at(company).growing.erase({more.turn, app});
    auto running = more.running;
    count_request(i->second, {});
    count(number, [&](auto& x) {
      x.running -= running;
      --x.admitted;
    });
    admitted_.erase(app);
    apps_.erase(i);
    refresh(number);
    reopen(company);
  } else {
    auto& queue = at(number).queue;
    auto place = queue.find(queue_rank(app, i->second));
    auto was_first = place == queue.begin();
    queue.erase(place);
    count(number, [](auto& x) { --x.queued; });
    apps_.erase(i);
    if (was_first)
      refresh(number);
  }
  forget(number);
}

// -- figures ------------------------------------------------------------------

void TenantTree::count_request(TenantApp& app, const Resources& to) {
  auto from = app.request;
  count(app.user, [&](auto& x) {
    x.requested -= from;
    x.requested += to;
  });
  app.request = to;
  // What is above the cap may go, and does not come back.
  auto& company = at(at(app.user).company);
  auto above = company.figures.requested - company.cap;
  company.excess = {
      std::clamp(above.cores, std::int64_t{0}, company.excess.cores),
      std::clamp(above.memory_mb, std::int64_t{0}, company.excess.memory_mb)};
}

void TenantTree::set_running(Instant now, AppKey app, Resources running) {
  advance(now);
  auto i = admitted_.find(app);
  if (i == admitted_.end())
    return;
  auto from = i->second.running;
  auto number = apps_.at(app).user;
  count(number, [&](auto& x) {
    x.running -= from;
    x.running += running;
  });
  i->second.running = running;
  if (config_.accounting == Accounting::running)
    refresh(number);
}

void TenantTree::set_waiting(AppKey app, bool waiting) {
  auto i = admitted_.find(app);
  if (i != admitted_.end())
    set_waiting(i->second, waiting);
}

void TenantTree::set_waiting(AdmittedApp& app, bool waiting) {
  waiting_ += int{waiting} - int{app.waiting};
  app.waiting = waiting;
}

Resources TenantTree::admitted_request(AppKey app) const {
  auto i = apps_.find(app);
  return i != apps_.end() && i->second.admitted ? i->second.request
                                                : Resources{};
}

} // namespace stoker
