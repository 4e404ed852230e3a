// Who is admitted next: scheduling/tenants/tenant_tree.hpp.

#include "tests/scheduling/tenants/tenant_case.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

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
        == "what is admitted fills the cluster: 10 cores and 10 GB of 1 "
           "core and 1 GB");
  CHECK(!c.tree->place(AppKey{99}, c.now).known);
}
