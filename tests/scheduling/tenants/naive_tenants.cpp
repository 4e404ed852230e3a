#include "tests/scheduling/tenants/naive_tenants.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "scheduling/tenants/usage_decay.hpp"

namespace stoker::test {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

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

bool NaiveTenants::could_count(const App& app, const Resources& to) const {
  auto more = to - app.request;
  return fits_user(app, more) && fits_company(app, more);
}

void NaiveTenants::widen(Instant now, App& app, Resources to) {
  advance(now);
  app.request = to;
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
