#include "tests/scheduling/tenants/naive_tenants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace stoker::test {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

template <class List>
const typename List::value_type* named(const List& list,
                                       const std::string& name) {
  for (const auto& x : list)
    if (x.name == name)
      return &x;
  return nullptr;
}

double part(double x, std::int64_t of) {
  if (x == 0)
    return 0;
  return of > 0 ? x / static_cast<double>(of) : infinite;
}

} // namespace

// -- what there is ------------------------------------------------------------

std::vector<std::string> NaiveTenants::companies() const {
  std::vector<std::string> result;
  for (const auto& x : config_.companies)
    result.push_back(x.name);
  result.insert(result.end(), retired_.begin(), retired_.end());
  return result;
}

Resources NaiveTenants::sum(const std::function<bool(const App&)>& which,
                            bool running) const {
  Resources result;
  for (const auto& x : apps_)
    if (x.admitted && which(x))
      result += running ? x.running : x.request;
  return result;
}

Resources NaiveTenants::requested_by(const std::string& company) const {
  return sum([&](auto& x) { return x.company == company; }, false);
}

Resources NaiveTenants::purchased(const std::string& company) const {
  const auto* rules = named(config_.companies, company);
  if (rules == nullptr)
    return {};
  auto n = static_cast<std::int64_t>(config_.companies.size());
  return {rules->cores.value_or((total_.cores + n - 1) / n),
          rules->memory_mb.value_or((total_.memory_mb + n - 1) / n)};
}

Resources NaiveTenants::cap(const std::string& company) const {
  Resources result{unlimited, unlimited};
  const auto* rules = named(config_.companies, company);
  if (rules == nullptr)
    return result;
  if (config_.cap_at_purchased)
    result = purchased(company);
  return {rules->max_cores.value_or(result.cores),
          rules->max_memory_mb.value_or(result.memory_mb)};
}

double NaiveTenants::share(const Resources& x,
                           const std::string& company) const {
  return share(static_cast<double>(x.cores), static_cast<double>(x.memory_mb),
               company);
}

double NaiveTenants::share(double cores, double memory_mb,
                           const std::string& company) const {
  if (named(config_.companies, company) == nullptr)
    return infinite;
  auto all = purchased(company);
  return std::max(part(cores, all.cores), part(memory_mb, all.memory_mb));
}

Resources NaiveTenants::occupied_by(const std::string& company) const {
  return sum([&](auto& x) { return x.company == company; },
             config_.accounting == Accounting::running);
}

double NaiveTenants::share_of(const std::string& company) const {
  auto now = occupied_by(company);
  if (config_.company_order == CompanyOrder::dominant_share)
    return share(now, company);
  // Each moment counts half as much as one that is a half-life later.
  auto age = [&](Instant then) {
    return std::exp2(-std::chrono::duration<double>(now_ - then)
                     / std::chrono::duration<double>(config_.usage_half_life));
  };
  auto cores = static_cast<double>(now.cores);
  auto memory_mb = static_cast<double>(now.memory_mb);
  if (auto i = past_.find(company); i != past_.end())
    for (const auto& x : i->second) {
      auto weight = age(x.to) - age(x.from);
      cores += weight * static_cast<double>(x.what.cores);
      memory_mb += weight * static_cast<double>(x.what.memory_mb);
    }
  return share(cores, memory_mb, company);
}

bool NaiveTenants::full() const {
  auto running = config_.accounting == Accounting::running;
  if (running && std::any_of(apps_.begin(), apps_.end(), [](auto& x) {
        return x.waiting;
      }))
    return true;
  auto all = sum([](auto&) { return true; }, running);
  return all.cores >= total_.cores || all.memory_mb >= total_.memory_mb;
}

bool NaiveTenants::fits_company(const App& app, const Resources& more) const {
  return fits_in(requested_by(app.company) + more, cap(app.company));
}

bool NaiveTenants::could_fit(const App& app) const {
  return fits_in(app.request, cap(app.company));
}

bool NaiveTenants::fits_user(const App& app, const Resources& more) const {
  const auto* rules = named(config_.users, app.user);
  if (rules == nullptr)
    return true;
  auto mine = sum([&](auto& x) { return x.user == app.user; }, false);
  return fits_in(mine + more, {rules->max_cores.value_or(unlimited),
                               rules->max_memory_mb.value_or(unlimited)});
}

// -- choices ------------------------------------------------------------------

NaiveTenants::App* NaiveTenants::head(const std::string& user) {
  auto rank = [&](const App& x) {
    auto sql_first = config_.application_order == ApplicationOrder::sql_first;
    return std::tuple{config_.priorities ? -x.priority : 0, sql_first && !x.sql,
                      x.key};
  };
  App* result = nullptr;
  for (auto& x : apps_)
    if (!x.admitted && x.user == user
        && (result == nullptr || rank(x) < rank(*result)))
      result = &x;
  return result;
}

std::vector<NaiveTenants::App*>
NaiveTenants::ready(const std::string& company) {
  std::set<std::string> users;
  for (const auto& x : apps_)
    if (x.company == company && !x.admitted)
      users.insert(x.user);
  std::vector<
      std::pair<std::tuple<double, Selection, double, std::size_t>, App*>>
      order;
  for (const auto& user : users) {
    auto* app = head(user);
    const auto* rules = named(config_.users, user);
    auto admitted = std::count_if(apps_.begin(), apps_.end(), [&](auto& x) {
      return x.admitted && x.user == user;
    });
    if (!fits_user(*app, app->request)
        || (rules != nullptr
            && admitted >= rules->max_applications.value_or(unlimited)))
      continue;
    auto place = rules == nullptr
                     ? config_.users.size()
                     : static_cast<std::size_t>(rules - config_.users.data());
    auto taken = sum([&](auto& x) { return x.user == user; },
                     config_.accounting == Accounting::running);
    auto by_share = config_.user_order == UserOrder::occupancy;
    order.push_back({{by_share ? share(taken, company) : 0, users_[user],
                      by_share ? share(app->request, company) : 0, place},
                     app});
  }
  std::sort(order.begin(), order.end());
  std::vector<App*> result;
  for (auto& x : order)
    result.push_back(x.second);
  return result;
}

void NaiveTenants::drop_holds() {
  for (const auto& company : companies()) {
    auto i = held_.find(company);
    if (i == held_.end())
      continue;
    auto candidates = ready(company);
    if (std::none_of(candidates.begin(), candidates.end(),
                     [&](auto* x) { return x->key == i->second; }))
      held_.erase(i);
  }
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
  if (fits_company(app, app.request) || !could_fit(app))
    return;
  app.passed_over = std::min(app.passed_over + 1, config_.hold_after);
  if (app.passed_over >= config_.hold_after && held(app.company) == nullptr)
    held_[app.company] = app.key;
}

NaiveTenants::App* NaiveTenants::choose(const std::string& company) {
  if (auto* app = held(company))
    return fits_company(*app, app->request) ? app : nullptr;
  std::vector<App*> passed;
  for (auto* x : ready(company)) {
    if (fits_company(*x, x->request)) {
      for (auto* y : passed)
        pass_over(*y);
      return x;
    }
    if (could_fit(*x) && x->passed_over >= config_.hold_after) {
      held_[company] = x->key;
      return nullptr;
    }
    passed.push_back(x);
  }
  return nullptr;
}

std::optional<AppKey> NaiveTenants::select(const Share& share_of) {
  if (full())
    return std::nullopt;
  std::vector<std::tuple<double, Selection, std::size_t>> order;
  auto names = companies();
  for (std::size_t i = 0; i < names.size(); ++i)
    order.push_back({share_of(names[i]), companies_[names[i]], i});
  std::sort(order.begin(), order.end());
  for (const auto& x : order) {
    const auto& company = names[std::get<2>(x)];
    if (auto* app = choose(company)) {
      admit(*app);
      users_[app->user] = turn_;
      companies_[company] = turn_;
      drop_holds();
      return app->key;
    }
  }
  return std::nullopt;
}

// -- events -------------------------------------------------------------------

void NaiveTenants::advance(Instant now) {
  for (const auto& company : companies())
    past_[company].push_back({now_, now, occupied_by(company)});
  now_ = now;
}

void NaiveTenants::set_cluster(Resources total) {
  total_ = total;
}

void NaiveTenants::add(AppKey key, const TenantTree::Entry& entry) {
  const auto* rules = named(config_.users, entry.user);
  App app;
  app.key = key;
  app.user = entry.user;
  app.company = rules == nullptr ? *config_.default_company : rules->company;
  for (const auto& x : apps_)
    if (x.user == entry.user)
      app.company = x.company;
  app.request = app.wanted = entry.request;
  app.priority = entry.priority;
  app.sql = entry.sql;
  // One who is not listed waits from now on.
  if (rules == nullptr)
    users_.emplace(entry.user, turn_);
  apps_.push_back(app);
  drop_holds();
}

void NaiveTenants::adopt(AppKey key, const TenantTree::Entry& entry) {
  add(key, entry);
  admit(apps_.back());
  drop_holds();
}

void NaiveTenants::admit(App& app) {
  app.admitted = true;
  app.wanted = app.request;
  app.turn = ++turn_;
  app.waiting = config_.accounting == Accounting::running;
}

void NaiveTenants::remove(AppKey key) {
  auto i = std::find_if(apps_.begin(), apps_.end(),
                        [&](auto& x) { return x.key == key; });
  auto user = i->user;
  apps_.erase(i);
  if (named(config_.users, user) == nullptr
      && std::none_of(apps_.begin(), apps_.end(),
                      [&](auto& x) { return x.user == user; }))
    users_.erase(user);
  drop_holds();
}

void NaiveTenants::set_request(AppKey key, Resources wanted, Resources unit) {
  auto& app = *std::find_if(apps_.begin(), apps_.end(),
                            [&](auto& x) { return x.key == key; });
  app.wanted = wanted;
  app.unit = unit;
  if (app.admitted) {
    app.request = {std::min(app.request.cores, wanted.cores),
                   std::min(app.request.memory_mb, wanted.memory_mb)};
    (void)grow(app);
  } else {
    app.request = wanted;
  }
  drop_holds();
}

bool NaiveTenants::grow(App& app) {
  if (held(app.company) != nullptr)
    return false;
  auto before = app.request;
  while (app.request != app.wanted) {
    auto missing = app.wanted - app.request;
    Resources step{std::min(missing.cores, app.unit.cores),
                   std::min(missing.memory_mb, app.unit.memory_mb)};
    if (!fits_user(app, step) || !fits_company(app, step))
      break;
    app.request += step;
  }
  if (app.request == before)
    return false;
  drop_holds();
  if (auto waiting = ready(app.company); !waiting.empty())
    pass_over(*waiting.front());
  return true;
}

std::vector<AppKey> NaiveTenants::top_up() {
  std::vector<AppKey> result;
  for (const auto& company : companies()) {
    std::vector<App*> wanting;
    for (auto& x : apps_)
      if (x.admitted && x.company == company && x.request != x.wanted)
        wanting.push_back(&x);
    std::sort(wanting.begin(), wanting.end(),
              [](auto* a, auto* b) { return a->turn < b->turn; });
    for (auto* x : wanting)
      if (grow(*x))
        result.push_back(x->key);
  }
  return result;
}

void NaiveTenants::reconfigure(TenantsConfig config) {
  auto before = std::exchange(config_, std::move(config));
  auto old_retired = std::exchange(retired_, {});
  held_.clear();
  for (auto& x : apps_) {
    if (const auto* rules = named(config_.users, x.user))
      x.company = rules->company;
    else if (config_.default_company)
      x.company = *config_.default_company;
    if (named(config_.companies, x.company) == nullptr
        && std::find(retired_.begin(), retired_.end(), x.company)
               == retired_.end())
      retired_.push_back(x.company);
  }
  auto is_needed = [&](const std::string& user) {
    return std::any_of(apps_.begin(), apps_.end(),
                       [&](auto& x) { return x.user == user; });
  };
  std::erase_if(users_, [&](auto& x) {
    return named(config_.users, x.first) == nullptr && !is_needed(x.first);
  });
  auto all = companies();
  auto is_gone = [&](auto& x) {
    return std::find(all.begin(), all.end(), x.first) == all.end();
  };
  std::erase_if(companies_, is_gone);
  std::erase_if(past_, is_gone);
}

} // namespace stoker::test
