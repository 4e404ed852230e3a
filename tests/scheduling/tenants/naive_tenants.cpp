#include "tests/scheduling/tenants/naive_tenants.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "scheduling/tenants/usage_decay.hpp"

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
                            Resources App::*part) const {
  Resources result;
  for (const auto& x : apps_)
    if (x.admitted && which(x))
      result += x.*part;
  return result;
}

Resources NaiveTenants::requested_by(const std::string& company) const {
  return sum([&](auto& x) { return x.company == company; }, &App::request);
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

double NaiveTenants::share(double cores, double memory_mb,
                           const std::string& company) const {
  if (named(config_.companies, company) == nullptr)
    return infinite;
  auto all = purchased(company);
  return std::max(part(cores, all.cores), part(memory_mb, all.memory_mb));
}

double NaiveTenants::share(const Resources& x,
                           const std::string& company) const {
  return share(static_cast<double>(x.cores), static_cast<double>(x.memory_mb),
               company);
}

Resources NaiveTenants::occupied_by(const std::string& company) const {
  return sum([&](auto& x) { return x.company == company; }, occupied());
}

double NaiveTenants::share(const std::string& company) const {
  auto now = occupied_by(company);
  auto used = used_.find(company);
  if (config_.company_order == CompanyOrder::dominant_share
      || used == used_.end())
    return share(now, company);
  return share(used->second.cores + static_cast<double>(now.cores),
               used->second.memory_mb + static_cast<double>(now.memory_mb),
               company);
}

void NaiveTenants::advance(Instant now) {
  if (now <= now_)
    return;
  auto weight = newer_weight(now - now_, config_.usage_half_life);
  now_ = now;
  auto follow = [&](double& average, std::int64_t value) {
    auto change = weight * (static_cast<double>(value) - average);
    average += change;
  };
  for (const auto& company : companies()) {
    auto now_occupied = occupied_by(company);
    follow(used_[company].cores, now_occupied.cores);
    follow(used_[company].memory_mb, now_occupied.memory_mb);
  }
}

bool NaiveTenants::full() const {
  auto running = config_.accounting == Accounting::running;
  if (running && std::any_of(apps_.begin(), apps_.end(), [](auto& x) {
        return x.waits == Waits::for_room;
      }))
    return true;
  auto all = sum([](auto&) { return true; }, occupied());
  // What waits for all that it needs at once does not fill anything.
  for (const auto& x : apps_)
    if (x.admitted && !running && x.waits == Waits::at_once)
      all = all - x.request + x.running;
  return all.cores >= total_.cores || all.memory_mb >= total_.memory_mb;
}

bool NaiveTenants::fits_company(const App& app, const Resources& more) const {
  return fits_in(requested_by(app.company) + more, cap(app.company))
         && leaves_room_to_company(app);
}

bool NaiveTenants::could_fit(const App& app) const {
  return fits_in(needed(app), cap(app.company)) && leaves_room_to_company(app);
}

bool NaiveTenants::leaves_room(const App& app,
                               const std::function<bool(const App&)>& which,
                               const Resources& most) const {
  auto drivers = sum(which, &App::driver);
  auto largest = app.room;
  for (const auto& x : apps_)
    if (x.admitted && which(x))
      largest = larger(
          largest, {x.room.cores < most.cores ? x.room.cores : 0,
                    x.room.memory_mb < most.memory_mb ? x.room.memory_mb : 0});
  auto alone = needed(app) + app.room;
  auto all = drivers + needed(app) + largest;
  auto fits = [&](std::int64_t Resources::*x) {
    return all.*x <= most.*x || (drivers == Resources{} && alone.*x > most.*x);
  };
  return app.admitted || app.room == Resources{}
         || (fits(&Resources::cores) && fits(&Resources::memory_mb));
}

bool NaiveTenants::leaves_room_to_company(const App& app) const {
  auto is_ours = [&](auto& x) { return x.company == app.company; };
  return leaves_room(app, is_ours, cap(app.company));
}

bool NaiveTenants::fits_user(const App& app, const Resources& more) const {
  const auto* rules = named(config_.users, app.user);
  if (rules == nullptr)
    return config_.default_company.has_value();
  auto is_mine = [&](auto& x) { return x.user == app.user; };
  Resources most{rules->max_cores.value_or(unlimited),
                 rules->max_memory_mb.value_or(unlimited)};
  return fits_in(sum(is_mine, &App::request) + more, most)
         && leaves_room(app, is_mine, most);
}

// -- choices ------------------------------------------------------------------

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

// -- events -------------------------------------------------------------------

void NaiveTenants::set_cluster(Instant now, Resources total) {
  advance(now);
  total_ = total;
}

void NaiveTenants::add(Instant now, ProgramKey key,
                       const TenantTree::Entry& entry) {
  advance(now);
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
  app.elastic = entry.elastic;
  app.submitted = entry.submitted;
  app.least = entry.least;
  app.with_driver = entry.with_driver;
  app.room = entry.room;
  app.driver = entry.driver;
  // One who is not listed waits from now on.
  if (rules == nullptr)
    users_.emplace(entry.user, turn_);
  apps_.push_back(app);
  drop_holds();
}

void NaiveTenants::adopt(Instant now, ProgramKey key,
                         const TenantTree::Entry& entry) {
  add(now, key, entry);
  with_least_ = false;
  admit(apps_.back());
  apps_.back().request = entry.request;
  drop_holds();
}

void NaiveTenants::admit(App& app) {
  app.wanted = app.request;
  if (app.elastic)
    app.request = {};
  else if (with_least_ || !fits_company(app, app.request)
           || !fits_user(app, app.request))
    app.request = needed(app);
  app.admitted = true;
  app.turn = ++turn_;
  if (config_.accounting == Accounting::running)
    app.waits = Waits::for_room;
}

void NaiveTenants::remove(Instant now, ProgramKey key) {
  advance(now);
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

void NaiveTenants::set_request(Instant now, ProgramKey key, Resources wanted,
                               Resources unit) {
  advance(now);
  auto& app = *std::find_if(apps_.begin(), apps_.end(),
                            [&](auto& x) { return x.key == key; });
  app.wanted = wanted;
  if (app.admitted) {
    app.unit = unit;
    app.request = {std::min(app.request.cores, wanted.cores),
                   std::min(app.request.memory_mb, wanted.memory_mb)};
  } else {
    app.request = wanted;
  }
  drop_holds();
}

void NaiveTenants::set_least(Instant now, App& app,
                             std::optional<Resources> least, bool elastic) {
  advance(now);
  if (app.admitted)
    return;
  app.least = least;
  app.elastic = elastic;
  drop_holds();
}

void NaiveTenants::grow(App& app) {
  app.request += next_growth(app);
  ++turn_;
  if (config_.accounting == Accounting::running)
    app.waits = Waits::for_room;
}

void NaiveTenants::set_running(Instant now, App& app, Resources running,
                               Waits waits) {
  advance(now);
  app.running = running;
  app.waits = waits;
  drop_holds();
}

void NaiveTenants::reconfigure(Instant now, TenantsConfig config) {
  advance(now);
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
  std::erase_if(used_, is_gone);
}

} // namespace stoker::test
