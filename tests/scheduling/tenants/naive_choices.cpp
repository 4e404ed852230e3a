// Which program comes next, as `NaiveTenants` chooses it.

#include <algorithm>
#include <set>
#include <tuple>

#include "tests/scheduling/tenants/naive_tenants.hpp"

namespace stoker::test {

Resources NaiveTenants::needed(const App& app) {
  return smaller(app.least.value_or(app.request), app.request);
}

NaiveTenants::App* NaiveTenants::head(const std::string& user) {
  auto rank = [&](const App& x) {
    auto sql_first = config_.application_order == ApplicationOrder::sql_first;
    return std::tuple{!x.with_driver, config_.priorities ? -x.priority : 0,
                      sql_first && !x.sql, x.submitted, x.key};
  };
  App* result = nullptr;
  for (auto& x : apps_)
    if (!x.admitted && x.user == user
        && (result == nullptr || rank(x) < rank(*result)))
      result = &x;
  return result;
}

Resources NaiveTenants::next_growth(const App& app) {
  auto missing = app.wanted - app.request;
  // Before the size of its executors is known it grows by all that it wants.
  if ((missing.cores > 0 && app.unit.cores <= 0)
      || (missing.memory_mb > 0 && app.unit.memory_mb <= 0))
    return missing;
  // One executor more than those for which it has all that is missing.
  for (Resources whole = app.unit;; whole += app.unit)
    if ((missing.cores > 0 && whole.cores > app.request.cores)
        || (missing.memory_mb > 0 && whole.memory_mb > app.request.memory_mb)) {
      auto more = whole - app.request;
      return {std::clamp(more.cores, std::int64_t{0}, missing.cores),
              std::clamp(more.memory_mb, std::int64_t{0}, missing.memory_mb)};
    }
}

std::vector<NaiveTenants::Candidate>
NaiveTenants::candidates(const std::string& company) {
  std::set<std::string> users;
  for (const auto& x : apps_)
    if (x.company == company)
      users.insert(x.user);
  std::vector<
      std::pair<std::tuple<double, Selection, double, std::size_t>, Candidate>>
      order;
  for (const auto& user : users) {
    Candidate candidate;
    auto* next = head(user);
    const auto* rules = named(config_.users, user);
    auto admitted = std::count_if(apps_.begin(), apps_.end(), [&](auto& x) {
      return x.admitted && !x.with_driver && x.user == user;
    });
    if (next != nullptr && fits_user(*next, needed(*next))
        && (rules == nullptr || next->with_driver
            || admitted < rules->max_applications.value_or(unlimited)))
      candidate.next = next;
    for (auto& x : apps_)
      if (x.admitted && x.user == user && x.request != x.wanted
          && x.waits != Waits::at_once && fits_user(x, next_growth(x)))
        candidate.growing.push_back(&x);
    if (candidate.next == nullptr && candidate.growing.empty())
      continue;
    std::sort(candidate.growing.begin(), candidate.growing.end(),
              [](auto* x, auto* y) { return x->turn < y->turn; });
    auto place = rules == nullptr
                     ? config_.users.size()
                     : static_cast<std::size_t>(rules - config_.users.data());
    auto taken = sum([&](auto& x) { return x.user == user; }, occupied());
    auto by_share = config_.user_order == UserOrder::occupancy;
    order.push_back(
        {{by_share ? share(taken, company) : 0, users_[user],
          by_share && next != nullptr ? share(next->request, company) : 0,
          place},
         candidate});
  }
  std::sort(order.begin(), order.end(),
            [](auto& x, auto& y) { return x.first < y.first; });
  std::vector<Candidate> result;
  for (auto& x : order)
    result.push_back(x.second);
  return result;
}

bool NaiveTenants::is_ready(const std::string& company, ProgramKey app) {
  auto all = candidates(company);
  return std::any_of(all.begin(), all.end(), [&](auto& x) {
    return x.next != nullptr && x.next->key == app;
  });
}

void NaiveTenants::drop_holds() {
  for (const auto& company : companies())
    if (auto i = held_.find(company);
        i != held_.end() && !is_ready(company, i->second))
      held_.erase(i);
}

NaiveTenants::App* NaiveTenants::held(const std::string& company) {
  auto i = held_.find(company);
  if (i == held_.end())
    return nullptr;
  auto app = std::find_if(apps_.begin(), apps_.end(),
                          [&](auto& x) { return x.key == i->second; });
  return could_fit(*app) ? &*app : nullptr;
}

void NaiveTenants::pass_over(App& app) {
  if (fits_company(app, needed(app)) || !could_fit(app))
    return;
  app.passed_over = std::min(app.passed_over + 1, config_.hold_after);
  if (app.passed_over >= config_.hold_after && held(app.company) == nullptr)
    held_[app.company] = app.key;
}

NaiveTenants::App* NaiveTenants::driven(const std::string& company) {
  for (const auto& x : candidates(company)) {
    for (auto* y : x.growing)
      if (y->with_driver && y->request == Resources{}
          && fits_company(*y, next_growth(*y)))
        return y;
    if (x.next != nullptr && x.next->with_driver
        && fits_company(*x.next, needed(*x.next)))
      return x.next;
  }
  return nullptr;
}

NaiveTenants::App* NaiveTenants::choose(const std::string& company) {
  if (auto* app = held(company)) {
    if (auto* first = driven(company)) {
      with_least_ = true;
      return first;
    }
    return fits_company(*app, needed(*app)) ? app : nullptr;
  }
  std::vector<App*> passed;
  for (const auto& x : candidates(company)) {
    auto grows = std::find_if(x.growing.begin(), x.growing.end(), [&](auto* y) {
      return fits_company(*y, next_growth(*y));
    });
    auto* app = grows != x.growing.end() ? *grows : x.next;
    if (app == nullptr)
      continue;
    if (app->admitted || fits_company(*app, needed(*app))) {
      for (auto* y : passed)
        pass_over(*y);
      return app;
    }
    if (could_fit(*app) && app->passed_over >= config_.hold_after) {
      held_[company] = app->key;
      with_least_ = true;
      return driven(company);
    }
    passed.push_back(app);
  }
  return nullptr;
}

std::optional<ProgramKey> NaiveTenants::select(Instant now) {
  advance(now);
  if (full())
    return std::nullopt;
  std::vector<std::tuple<double, Selection, std::size_t>> order;
  auto names = companies();
  for (std::size_t i = 0; i < names.size(); ++i)
    order.push_back({share(names[i]), companies_[names[i]], i});
  std::sort(order.begin(), order.end());
  for (const auto& x : order) {
    const auto& company = names[std::get<2>(x)];
    with_least_ = false;
    if (auto* app = choose(company)) {
      app->admitted ? grow(*app) : admit(*app);
      users_[app->user] = turn_;
      companies_[company] = turn_;
      drop_holds();
      return app->key;
    }
  }
  return std::nullopt;
}

} // namespace stoker::test
