// What must hold after every call, recomputed from the applications.

#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker {

namespace {

using Problem = std::optional<std::string>;

bool is_negative(const TenantFigures& x) {
  return x.requested.cores < 0 || x.requested.memory_mb < 0
         || x.running.cores < 0 || x.running.memory_mb < 0 || x.queued < 0
         || x.admitted < 0;
}

bool is_within(std::int64_t x, std::int64_t cap, std::int64_t excess) {
  return x <= cap || x - cap <= excess;
}

} // namespace

Problem TenantTree::invariant_violation() const {
  if (auto problem = wrong_figures())
    return problem;
  if (auto problem = wrong_users())
    return problem;
  return wrong_companies();
}

Problem TenantTree::wrong_figures() const {
  TenantFigures whole;
  std::vector<TenantFigures> users(users_.size());
  std::vector<TenantFigures> companies(companies_.size());
  std::int64_t waiting = 0;
  std::size_t growing = 0;
  for (const auto& [key, app] : apps_) {
    auto name = std::to_string(static_cast<std::uint32_t>(key));
    TenantFigures own{{}, {}, app.admitted ? 0 : 1, app.admitted ? 1 : 0};
    if (app.admitted != admitted_.contains(key))
      return "application " + name + " is admitted in one place only";
    if (app.admitted) {
      const auto& more = admitted_.at(key);
      own.requested = app.request;
      own.running = more.running;
      waiting += more.waiting ? 1 : 0;
      if (app.request != more.wanted) {
        ++growing;
        if (!at(at(app.user).company).growing.contains({more.turn, key}))
          return "application " + name + " is forgotten, and wants more";
      }
    } else if (!at(app.user).queue.contains(queue_rank(key, app))) {
      return "application " + name + " is not in its user's queue";
    }
    auto company = static_cast<std::size_t>(at(app.user).company);
    for (auto* x : {&users[static_cast<std::size_t>(app.user)],
                    &companies[company], &whole}) {
      x->requested += own.requested;
      x->running += own.running;
      x->queued += own.queued;
      x->admitted += own.admitted;
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i)
    if (users[i] != users_[i].figures || is_negative(users[i]))
      return "the figures of user " + users_[i].name + " are wrong";
  for (std::size_t i = 0; i < companies.size(); ++i) {
    if (companies[i] != companies_[i].figures || is_negative(companies[i]))
      return "the figures of company " + companies_[i].name + " are wrong";
    growing -= companies_[i].growing.size();
  }
  if (whole != whole_ || waiting != waiting_ || growing != 0)
    return "the figures of the whole are wrong";
  return std::nullopt;
}

Problem TenantTree::wrong_users() const {
  std::vector<std::size_t> ready(companies_.size());
  for (std::uint32_t i = 0; i < users_.size(); ++i) {
    const auto& user = users_[i];
    const auto& company = at(user.company);
    if (static_cast<std::int64_t>(user.queue.size()) != user.figures.queued)
      return "the queue of user " + user.name + " is wrong";
    if (user.next.has_value() == user.queue.empty()
        || (user.next
            && (user.next->app != user.queue.begin()->app
                || user.next->request != apps_.at(user.next->app).request)))
      return "the next application of user " + user.name + " is wrong";
    if (!user.listed && user.figures.queued + user.figures.admitted == 0
        && user.rank)
      return "user " + user.name + " should be forgotten";
    if (is_ready(user) != user.rank.has_value())
      return "user " + user.name + " is ready in one place only";
    if (!user.rank)
      continue;
    ++ready[static_cast<std::size_t>(user.company)];
    if (*user.rank != rank(UserNumber{i})
        || !company.ready.contains(*user.rank))
      return "user " + user.name + " has a wrong place";
    if (company.stuck && !is_held(company)
        && fits_company(user.next->request, company))
      return "user " + user.name + " could go, and company " + company.name
             + " is passed by";
  }
  for (std::size_t i = 0; i < ready.size(); ++i)
    if (ready[i] != companies_[i].ready.size())
      return "company " + companies_[i].name + " has too many ready users";
  return std::nullopt;
}

Problem TenantTree::wrong_companies() const {
  std::size_t open = 0;
  for (std::uint32_t i = 0; i < companies_.size(); ++i) {
    const auto& company = companies_[i];
    const auto& taken = company.figures.requested;
    if (!is_within(taken.cores, company.cap.cores, company.excess.cores)
        || !is_within(taken.memory_mb, company.cap.memory_mb,
                      company.excess.memory_mb))
      return "company " + company.name + " is above its cap";
    if (company.held_for && !at(*company.held_for).rank)
      return "company " + company.name + " is held for nobody";
    if (company.stuck && is_held(company)
        && fits_company(at(*company.held_for).next->request, company))
      return "company " + company.name + " is held, and there is room";
    if (company.rank.has_value() != (!company.ready.empty() && !company.stuck))
      return "company " + company.name + " is open in one place only";
    if (!company.rank)
      continue;
    ++open;
    if (*company.rank != rank(CompanyNumber{i}, 0)
        || !open_.contains(*company.rank))
      return "company " + company.name + " has a wrong place";
  }
  if (open != open_.size())
    return "too many companies are open";
  return std::nullopt;
}

} // namespace stoker
