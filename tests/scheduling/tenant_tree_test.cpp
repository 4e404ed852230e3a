// Who is admitted next: scheduling/tenant_tree.hpp.

#include "scheduling/tenant_tree.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t g = 1024;

/// A tree with short words for what happens. Applications ask for cores, and
/// 1 GB for each.
struct Case {
  TenantsConfig config;
  std::optional<TenantTree> tree;
  Instant now{1000h};
  std::uint32_t next = 1;

  /// Companies with these purchases in cores, and a user of the same name each;
  /// 0: nothing said.
  explicit Case(std::vector<std::pair<std::string, int>> companies) {
    for (const auto& [name, cores] : companies) {
      auto& x = config.companies.emplace_back();
      x.name = name;
      if (cores > 0) {
        x.cores = cores;
        x.memory_mb = cores * g;
      }
      config.users.push_back({name, name});
    }
  }

  void start(std::int64_t cores) {
    tree.emplace(config);
    tree->set_cluster(now, {cores, cores * g});
  }

  static Resources cores(std::int64_t n) {
    return {n, n * g};
  }

  AppKey add(const std::string& user, int n, int priority = 0,
             bool sql = false) {
    tree->add(now, AppKey{next}, {user, cores(n), priority, sql});
    return AppKey{next++};
  }

  AppKey adopt(const std::string& user, int n) {
    tree->adopt(now, AppKey{next}, {user, cores(n)});
    return AppKey{next++};
  }

  /// The users of all that is admitted now, in order.
  std::string select() {
    std::string result;
    while (auto app = tree->select(now)) {
      result += (result.empty() ? "" : " ") + tree->place(*app, now).user;
      CHECK(!tree->invariant_violation());
    }
    return result;
  }
};

} // namespace

TEST_CASE("the document's example goes on until the cluster is full",
          "[tenants]") {
  Case c{{{"1", 512}, {"2", 128}, {"3", 1024}}};
  c.start(1664);
  c.adopt("1", 128);
  c.adopt("2", 64);
  c.adopt("3", 128);
  auto view = c.tree->view(c.now);
  CHECK(view.companies[0].share == 0.25);
  CHECK(view.companies[1].share == 0.5);
  CHECK(view.companies[2].share == 0.125);
  for (int i = 0; i < 20; ++i)
    for (const auto* user : {"1", "2", "3"})
      c.add(user, 64);
  // Of equal shares the one that was selected longer ago.
  CHECK(c.select() == "3 3 1 3 3 1 3 3 2 1 3 3 1 3 3 1 3 3 1 3 3");
  CHECK(c.tree->figures().requested.cores == 1664);
  for (const auto& x : c.tree->view(c.now).companies)
    CHECK(x.share == 1);
}

TEST_CASE("without applications of the third company the first goes",
          "[tenants]") {
  Case c{{{"1", 512}, {"2", 128}, {"3", 1024}}};
  c.start(400);
  c.adopt("1", 128);
  c.adopt("2", 64);
  c.adopt("3", 128);
  c.add("2", 64);
  c.add("1", 16);
  CHECK(c.select() == "1 2");
}

TEST_CASE("a purchase that is not said is an equal part of the cluster",
          "[tenants]") {
  Case c{{{"a", 0}, {"b", 0}, {"c", 40}}};
  c.start(100);
  CHECK(c.tree->view(c.now).companies[1].purchased == Resources{34, 34134});
  c.tree->set_cluster(c.now, {30, 300});
  CHECK(c.tree->view(c.now).companies[1].purchased == Resources{10, 100});
  CHECK(c.tree->view(c.now).companies[2].purchased == c.cores(40));
}

TEST_CASE("memory counts where its share is larger", "[tenants]") {
  Case c{{{"a", 100}, {"b", 100}}};
  c.start(200);
  c.tree->adopt(c.now, AppKey{100}, {"a", {1, 90 * g}});
  c.adopt("b", 50);
  c.add("a", 1);
  c.add("b", 1);
  CHECK(c.select() == "b a");
}

TEST_CASE("users take turns, and new ones wait behind those who wait",
          "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.users.push_back({"x", "a"});
  c.config.default_company = "a";
  c.start(8);
  for (int i = 0; i < 3; ++i) {
    c.add("a", 1);
    c.add("x", 1);
  }
  c.tree->set_cluster(c.now, c.cores(3));
  CHECK(c.select() == "a x a");
  c.add("guest", 1);
  c.tree->set_cluster(c.now, c.cores(8));
  CHECK(c.select() == "x a guest x");
}

TEST_CASE("users by occupancy: less first, then longer waiting, then smaller",
          "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.users.push_back({"b", "a"});
  c.config.users.push_back({"c", "a"});
  c.config.user_order = UserOrder::occupancy;
  c.start(100);
  c.adopt("a", 10);
  c.add("a", 1);
  c.add("b", 4);
  c.add("c", 3);
  c.add("c", 1);
  c.add("b", 1);
  CHECK(c.select() == "c b c b a");
}

TEST_CASE("applications: first come, by SQL, by priority", "[tenants]") {
  Case c{{{"a", 0}}};
  auto order = [&] {
    c.start(100);
    auto first = c.add("a", 1);
    auto sql = c.add("a", 1, 0, true);
    auto urgent = c.add("a", 1, 5);
    std::string result;
    while (auto app = c.tree->select(c.now))
      result += app == first ? 'f' : app == sql ? 's' : 'u';
    CHECK(!c.tree->place(urgent, c.now).position_in_queue);
    return result;
  };
  CHECK(order() == "fsu");
  c.config.application_order = ApplicationOrder::sql_first;
  CHECK(order() == "sfu");
  c.config.priorities = true;
  CHECK(order() == "usf");
}

TEST_CASE("nothing is admitted while the waiting list fills the cluster",
          "[tenants]") {
  Case c{{{"a", 0}}};
  c.start(0);
  auto first = c.add("a", 10);
  c.add("a", 10);
  c.add("a", 10);
  CHECK(c.select().empty());
  c.tree->set_cluster(c.now, c.cores(15));
  // What is admitted last may be more than there is.
  CHECK(c.select() == "a a");
  c.tree->remove(c.now, first);
  CHECK(c.select() == "a");
  c.tree->remove(c.now, first);
  CHECK(c.tree->figures().requested == c.cores(20));
}

TEST_CASE("a company at its cap lets others go", "[tenants]") {
  Case c{{{"a", 100}, {"b", 10}}};
  c.config.companies[0].max_cores = 20;
  c.start(110);
  for (int i = 0; i < 4; ++i) {
    c.add("a", 10);
    c.add("b", 10);
  }
  CHECK(c.select() == "a b a b b b");
  CHECK(c.tree->view(c.now).companies[0].blocked
        == "company a has 20 cores and 20480 MB of at most 20 cores and any "
           "MB, and the next of user a asks for 10 cores and 10240 MB");
}

TEST_CASE("a user at a limit lets others of the company go", "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.users.push_back({"b", "a", {}, {}, 1});
  c.config.users.push_back({"c", "a", 25});
  c.start(1000);
  for (int i = 0; i < 3; ++i)
    for (const auto* user : {"a", "b", "c"})
      c.add(user, 10);
  CHECK(c.select() == "a b c a c a");
  auto place = c.tree->place(AppKey{8}, c.now);
  CHECK(place.position_in_queue == 2);
  CHECK(place.reason == "user b has 1 applications admitted, and may have 1");
  CHECK(c.tree->place(AppKey{9}, c.now).reason
        == "user c has 20 cores and 20480 MB of at most 25 cores and any MB, "
           "and the next asks for 10 cores and 10240 MB");
}

TEST_CASE("who was passed by often enough holds the company", "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.users.push_back({"big", "a"});
  c.config.companies[0].max_cores = 20;
  c.config.hold_after = 3;
  c.start(100);
  std::vector<AppKey> small{c.add("a", 10)};
  CHECK(c.select() == "a");
  auto big = c.add("big", 20);
  for (int i = 0; i < 10; ++i)
    small.push_back(c.add("a", 10));
  CHECK(c.select() == "a");
  c.tree->remove(c.now, small[0]);
  CHECK(c.select() == "a");
  c.tree->remove(c.now, small[1]);
  CHECK(c.select() == "a");
  c.tree->remove(c.now, small[2]);
  CHECK(c.select().empty());
  CHECK(c.tree->view(c.now).companies[0].blocked.ends_with(
      "for which the company is held"));
  c.tree->remove(c.now, small[3]);
  CHECK(c.select() == "big");
  c.tree->remove(c.now, big);
  CHECK(c.select() == "a a");
}

TEST_CASE("what is above the whole cap does not hold the company",
          "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.users.push_back({"big", "a"});
  c.config.cap_at_purchased = true;
  c.config.hold_after = 0;
  c.start(20);
  c.add("big", 30);
  c.add("a", 10);
  c.add("a", 10);
  CHECK(c.select() == "a a");
}

TEST_CASE("pay as you go: past use counts, and is forgotten", "[tenants]") {
  Case c{{{"a", 100}, {"b", 100}}};
  c.config.company_order = CompanyOrder::usage;
  c.config.usage_half_life = 1h;
  c.start(200);
  auto app = c.adopt("a", 100);
  c.now += 1h;
  c.tree->remove(c.now, app);
  auto usage = [&](int i) { return c.tree->view(c.now).companies[i]; };
  CHECK(usage(0).usage_cores == Approx(50));
  CHECK(usage(0).share == Approx(0.5));
  CHECK(usage(1).usage_cores == 0);
  c.add("a", 10);
  c.add("b", 10);
  c.add("b", 10);
  CHECK(c.select() == "b b a");
  c.now += 2h;
  CHECK(usage(0).usage_cores == Approx(50 / 4.0 + 10 * 0.75));
}

TEST_CASE("usage does not depend on how often it is looked at", "[tenants]") {
  Case often{{{"a", 100}}};
  often.start(200);
  often.adopt("a", 80);
  auto once = often;
  for (int i = 0; i < 36'000; ++i)
    (void)often.tree->select(often.now += 1s);
  once.now = often.now;
  CHECK(often.tree->view(often.now).companies[0].usage_cores
        == Approx(once.tree->view(once.now).companies[0].usage_cores)
               .epsilon(1e-9));
}

TEST_CASE("an admitted application grows by whole executors, as caps allow",
          "[tenants]") {
  Case c{{{"a", 0}, {"b", 0}}};
  c.config.companies[0].max_cores = 30;
  c.start(100);
  auto app = c.adopt("a", 8);
  auto other = c.adopt("a", 8);
  c.tree->set_request(c.now, app, c.cores(40), c.cores(4));
  CHECK(c.tree->admitted_request(app) == c.cores(20));
  CHECK(c.tree->top_up(c.now).empty());
  c.tree->set_request(c.now, other, c.cores(4), c.cores(4));
  CHECK(c.tree->admitted_request(other) == c.cores(4));
  CHECK(c.tree->top_up(c.now) == std::vector{app});
  CHECK(c.tree->admitted_request(app) == c.cores(24));
  c.tree->remove(c.now, other);
  c.tree->set_request(c.now, app, c.cores(26), c.cores(4));
  CHECK(c.tree->admitted_request(app) == c.cores(26));
  CHECK(!c.tree->invariant_violation());
}

TEST_CASE("with running figures, one is admitted when the last has its share",
          "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.accounting = Accounting::running;
  c.start(10);
  auto first = c.add("a", 10);
  auto second = c.add("a", 10);
  c.add("a", 10);
  CHECK(c.select() == "a");
  CHECK(c.tree->place(second, c.now).reason
        == "1 admitted applications still wait for executors");
  c.tree->set_running(c.now, first, c.cores(4));
  c.tree->set_hungry(first, false);
  CHECK(c.select() == "a");
  c.tree->set_running(c.now, second, c.cores(6));
  c.tree->set_hungry(second, false);
  CHECK(c.select().empty());
  CHECK(!c.tree->invariant_violation());
}

TEST_CASE("what could never be admitted is refused with the reason",
          "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.companies[0].max_cores = 30;
  c.config.users.push_back({"b", "a", {}, 4096});
  c.start(10);
  auto refusal = [&](const std::string& user, Resources x) {
    return c.tree->refusal(user, x).value_or("");
  };
  CHECK(refusal("a", {30, 1 << 20}).empty());
  CHECK(refusal("a", {31, 1})
        == "the application asks for 31 cores, and company a may have at most "
           "30");
  CHECK(refusal("b", {1, 4097})
        == "the application asks for 4097 MB, and user b may have at most "
           "4096");
  CHECK(refusal("eve", {1, 1})
        == "user eve is not in the tenants file: it needs a table "
           "[users.\"eve\"] with a company, or a default_company");
}

TEST_CASE("new rules keep queues, and who is gone is served last",
          "[tenants]") {
  Case c{{{"a", 10}, {"b", 10}, {"c", 10}}};
  c.start(10);
  c.adopt("a", 10);
  for (const auto* user : {"c", "b", "a"}) {
    c.add(user, 5);
    c.add(user, 5);
  }
  auto config = c.config;
  // Company c is gone, and its user; user b is of company a now.
  config.companies.pop_back();
  config.users = {{"a", "a"}, {"b", "a"}};
  c.tree->reconfigure(c.now, config);
  CHECK(!c.tree->invariant_violation());
  CHECK(c.tree->refusal("c", {1, 1}));
  auto view = c.tree->view(c.now);
  REQUIRE(view.companies.size() == 3);
  CHECK(view.companies[0].figures.queued == 4);
  CHECK(view.companies[2].place == 2);
  CHECK(!view.companies[2].share);
  c.tree->set_cluster(c.now, c.cores(100));
  CHECK(c.select() == "a b a b c c");
}

TEST_CASE("an application's place is told", "[tenants]") {
  Case c{{{"a", 10}, {"b", 20}}};
  c.start(1);
  c.adopt("a", 5);
  c.adopt("b", 5);
  c.add("a", 1);
  auto app = c.add("a", 1);
  c.add("b", 1);
  auto place = c.tree->place(app, c.now);
  CHECK(place.known);
  CHECK(!place.admitted);
  CHECK(place.company == "a");
  CHECK(place.position_in_queue == 2);
  CHECK(place.user_place == 1);
  CHECK(place.company_place == 2);
  CHECK(place.reason
        == "what is admitted fills the cluster: 10 cores and 10240 MB of 1 "
           "cores and 1024 MB");
  CHECK(!c.tree->place(AppKey{99}, c.now).known);
}
