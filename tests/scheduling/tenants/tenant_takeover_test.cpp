// What a new leader knows of tenants from what the last one stored: queues,
// usage and turns are the same, so it goes on as the last one would have.

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "tests/scheduling/tenants/tenant_case.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

struct App {
  TenantTree::Entry entry;
  bool admitted = false;
  Resources running;
};

/// A tree, with what a cluster knows besides and what is stored of it.
struct Leader {
  TenantTree tree;
  std::map<ProgramKey, App> apps;
  std::vector<ProgramKey> admitted_in_order;
  std::map<std::string, StoredCompany> companies;
  std::map<std::string, StoredUser> users;

  void store() {
    for (const auto& change : tree.take_changes())
      if (const auto* company = std::get_if<StoredCompany>(&change))
        companies[company->name] = *company;
      else if (const auto* user = std::get_if<StoredUser>(&change))
        users[user->name] = *user;
      else
        users.erase(std::get<EraseUser>(change).name);
  }

  std::vector<ProgramKey> select(Instant now) {
    std::vector<ProgramKey> result;
    while (auto key = tree.select(now)) {
      apps.at(*key).admitted = true;
      admitted_in_order.push_back(*key);
      tree.set_waiting(*key, Waits::no);
      result.push_back(*key);
    }
    return result;
  }

  void remove(Instant now, ProgramKey key) {
    tree.remove(now, key);
    std::erase(admitted_in_order, key);
    apps.erase(key);
  }
};

/// As a cluster restores it: applications first, then what was stored of their
/// companies and users.
Leader take_over(const Leader& last, const TenantsConfig& config,
                 Resources total, Instant now) {
  Leader result{TenantTree{config}, last.apps, last.admitted_in_order,
                last.companies, last.users};
  auto& tree = result.tree;
  tree.set_cluster(now, total);
  for (auto key : last.admitted_in_order) {
    const auto& app = last.apps.at(key);
    tree.adopt(now, key, app.entry);
    tree.set_running(now, key, app.running);
    tree.set_waiting(key, Waits::no);
  }
  for (const auto& [key, app] : last.apps)
    if (!app.admitted)
      tree.add(now, key, app.entry);
  std::vector<StoredCompany> companies;
  for (const auto& [name, x] : last.companies)
    companies.push_back(x);
  std::vector<StoredUser> users;
  for (const auto& [name, x] : last.users)
    users.push_back(x);
  tree.restore(now, companies, users);
  return result;
}

/// All that people see of it. Averages differ in their last bits.
void check_same(const TenantsView& actual, const TenantsView& expected) {
  auto near = [](double a, double b) {
    return a == b || std::abs(a - b) <= 1e-9 * (1 + std::abs(b));
  };
  CHECK(actual.figures == expected.figures);
  REQUIRE(actual.companies.size() == expected.companies.size());
  for (std::size_t i = 0; i < actual.companies.size(); ++i) {
    const auto& x = actual.companies[i];
    const auto& y = expected.companies[i];
    INFO(y.name);
    CHECK(x.name == y.name);
    CHECK(x.place == y.place);
    CHECK(x.figures == y.figures);
    CHECK(near(x.share.value_or(-1), y.share.value_or(-1)));
    CHECK(near(x.usage_cores, y.usage_cores));
    CHECK(near(x.usage_memory_mb, y.usage_memory_mb));
    REQUIRE(x.users.size() == y.users.size());
    for (std::size_t j = 0; j < x.users.size(); ++j) {
      CHECK(x.users[j].name == y.users[j].name);
      CHECK(x.users[j].place == y.users[j].place);
      CHECK(x.users[j].figures == y.users[j].figures);
    }
  }
}

TenantsConfig random_config(std::uint32_t seed) {
  TenantsConfig result;
  result.accounting
      = seed % 2 == 0 ? Accounting::requested : Accounting::running;
  result.company_order
      = seed % 4 < 2 ? CompanyOrder::usage : CompanyOrder::dominant_share;
  result.user_order
      = seed % 8 < 4 ? UserOrder::longest_waiting : UserOrder::occupancy;
  result.priorities = seed % 3 == 0;
  // Counts of who was passed over are not stored: see below.
  result.hold_after = 1'000'000;
  result.usage_half_life = 10s;
  result.default_company = "a";
  result.companies = {{"a", 16, 64, 24}, {"b", 8, 32}, {"c", 8}};
  result.users = {{"a1", "a"}, {"a2", "a"}, {"b1", "b"}, {"c1", "c"}};
  return result;
}

} // namespace

TEST_CASE("a new leader of tenants goes on as the last one would have",
          "[tenants]") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random{seed};
    auto below = [&](std::uint32_t n) {
      return static_cast<int>(static_cast<std::uint32_t>(random()) % n);
    };
    auto config = random_config(seed);
    Resources total{24, 96};
    Instant now{1000h};
    std::uint32_t next = 1;
    Leader leader{TenantTree{config}, {}, {}, {}, {}};
    leader.tree.set_cluster(now, total);
    // The same for all who are there.
    auto step = [&](const std::vector<Leader*>& leaders) {
      now += std::chrono::milliseconds{below(3000)};
      auto what = below(8);
      auto& apps = leaders.front()->apps;
      if (what < 4) {
        const char* names[] = {"a1", "a2", "b1", "c1", "guest"};
        ProgramKey key{AppKey{next++}};
        App app;
        app.entry = {names[below(5)], {1 + below(6), 1 + below(20)}, below(3)};
        for (auto* x : leaders) {
          x->tree.add(now, key, app.entry);
          x->apps[key] = app;
        }
      } else if (what < 6 && !apps.empty()) {
        auto size = static_cast<std::uint32_t>(apps.size());
        auto key = std::next(apps.begin(), below(size))->first;
        for (auto* x : leaders)
          x->remove(now, key);
      } else if (what < 7) {
        for (auto& [key, app] : apps) {
          if (!app.admitted || below(2) == 0)
            continue;
          Resources running{app.entry.request.cores / 2,
                            app.entry.request.memory_mb / 2};
          for (auto* x : leaders) {
            x->apps.at(key).running = running;
            x->tree.set_running(now, key, running);
          }
        }
      } else {
        auto expected = leaders.front()->select(now);
        for (std::size_t i = 1; i < leaders.size(); ++i)
          REQUIRE(leaders[i]->select(now) == expected);
      }
      for (auto* x : leaders) {
        x->store();
        REQUIRE(x->tree.invariant_violation().value_or("") == "");
      }
    };
    for (int i = 0; i < 60; ++i)
      step({&leader});
    now += 5s;
    auto second = take_over(leader, config, total, now);
    check_same(second.tree.view(now), leader.tree.view(now));
    for (int i = 0; i < 60; ++i)
      step({&leader, &second});
    check_same(second.tree.view(now), leader.tree.view(now));
  }
}

TEST_CASE("a new leader counts anew who was passed over", "[tenants]") {
  // Small ones go before a large one, which has no room under the cap, twice;
  // then the company is held for it.
  test::Case x{{{"a", 8}}};
  x.config.companies.front().max_cores = 8;
  x.config.users = {{"large", "a"}, {"small", "a"}};
  x.config.hold_after = 2;
  x.start(100);
  auto small_goes = [&](TenantTree& tree, std::uint32_t number) {
    tree.add(x.now, AppKey{number}, {"small", test::Case::cores(2)});
    return tree.select(x.now).has_value();
  };
  auto& last = *x.tree;
  REQUIRE(small_goes(last, 1));
  last.add(x.now, AppKey{2}, {"large", test::Case::cores(8)});
  REQUIRE(small_goes(last, 3));

  TenantTree next{x.config};
  next.set_cluster(x.now, {100, 100 * test::g});
  for (auto key : {AppKey{1}, AppKey{3}})
    next.adopt(x.now, key, {"small", test::Case::cores(2)});
  next.add(x.now, AppKey{2}, {"large", test::Case::cores(8)});

  CHECK(small_goes(last, 4));
  CHECK_FALSE(small_goes(last, 5));
  CHECK(small_goes(next, 4));
  CHECK(small_goes(next, 5));
  next.remove(x.now, AppKey{1});
  CHECK_FALSE(small_goes(next, 6));
}
