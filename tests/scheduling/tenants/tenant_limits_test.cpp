// Who may not go, who grows, and what new rules change:
// scheduling/tenants/tenant_tree.hpp.

#include "tests/scheduling/tenants/tenant_case.hpp"
#include "tests/support/problem.hpp"

using namespace stoker;
using namespace stoker::test;

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
        == "company a has 20 cores and 20 GB of at most 20 cores and memory "
           "without limit, and the next of user a asks for 10 cores and 10 GB");
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
  CHECK(place.reason == "user b has 1 program admitted, and may have 1");
  CHECK(c.tree->place(AppKey{9}, c.now).reason
        == "user c has 20 cores and 20 GB of at most 25 cores and memory "
           "without limit, and the next asks for 10 cores and 10 GB");
}

TEST_CASE("who was passed by often enough holds the company", "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.users.push_back({"big", "a"});
  c.config.companies[0].max_cores = 20;
  c.config.hold_after = 3;
  c.start(100);
  std::vector<ProgramKey> small{c.add("a", 10)};
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

TEST_CASE("a company is held for one that comes while nothing of it fits",
          "[tenants]") {
  Case c{{{"a", 0}, {"b", 0}}};
  c.config.users.push_back({"big", "a"});
  c.config.users.push_back({"late", "a"});
  c.config.cap_at_purchased = true;
  c.config.hold_after = 0;
  c.start(8);
  auto admitted = c.adopt("a", 4);
  c.add("big", 6);
  CHECK(c.select().empty());
  c.add("late", 1);
  CHECK(c.select().empty());
  // What becomes free is not for the one that gave it back.
  c.tree->set_request(c.now, admitted, c.cores(2), c.cores(1));
  c.tree->set_request(c.now, admitted, c.cores(4), c.cores(1));
  CHECK(c.tree->admitted_request(admitted) == c.cores(2));
  CHECK(c.select() == "late a");
}

TEST_CASE("a held company admits the application of a driver that runs",
          "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.users.push_back({"big", "a"});
  c.config.companies[0].max_cores = 4;
  c.config.hold_after = 0;
  c.start(100);
  auto driver = DriverKey{100};
  c.tree->add(c.now, driver, {"a", c.cores(1)});
  CHECK(c.select() == "a");
  c.add("big", 4);
  CHECK(c.select().empty());
  REQUIRE(c.tree->view(c.now).companies[0].blocked.ends_with(
      "for which the company is held"));
  TenantTree::Entry entry{"a", c.cores(2)};
  entry.with_driver = true;
  ProgramKey application = AppKey{50};
  SECTION("with all that it cannot do without") {
    c.tree->add(c.now, application, entry);
    CHECK(c.select() == "a");
    CHECK(c.tree->admitted_request(application) == c.cores(2));
  }
  SECTION("with its first executor alone if it can do with that") {
    entry.least = c.cores(1);
    c.tree->add(c.now, application, entry);
    CHECK(c.select() == "a");
    CHECK(c.tree->admitted_request(application) == c.cores(1));
  }
  SECTION("with its first executor alone if it is elastic") {
    entry.elastic = true;
    c.tree->add(c.now, application, entry);
    REQUIRE(c.tree->select(c.now) == application);
    c.tree->set_request(c.now, application, c.cores(2), c.cores(1));
    CHECK(c.select() == "a");
    CHECK(c.tree->admitted_request(application) == c.cores(1));
  }
  c.tree->remove(c.now, application);
  c.tree->remove(c.now, driver);
  CHECK(c.select() == "big");
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

TEST_CASE("an admitted application grows by whole executors, as caps allow",
          "[tenants]") {
  Case c{{{"a", 0}, {"b", 0}}};
  c.config.companies[0].max_cores = 30;
  c.start(100);
  auto app = c.adopt("a", 8);
  auto other = c.adopt("a", 8);
  c.tree->set_request(c.now, app, c.cores(40), c.cores(4));
  CHECK(c.select() == "a a a");
  CHECK(c.tree->admitted_request(app) == c.cores(20));
  CHECK(c.tree->place(app, c.now).reason
        == "company a has 28 cores and 28 GB of at most 30 cores and memory "
           "without limit, and it grows by 4 cores and 4 GB");
  c.tree->set_request(c.now, other, c.cores(4), c.cores(4));
  CHECK(c.tree->admitted_request(other) == c.cores(4));
  CHECK(c.select() == "a");
  CHECK(c.tree->admitted_request(app) == c.cores(24));
  c.tree->remove(c.now, other);
  c.tree->set_request(c.now, app, c.cores(26), c.cores(4));
  CHECK(c.select() == "a");
  CHECK(c.tree->admitted_request(app) == c.cores(26));
  CHECK(!c.tree->invariant_violation());
}

TEST_CASE("an application grows to whole executors when they became larger",
          "[tenants]") {
  Case c{{{"a", 0}}};
  c.config.companies[0].max_cores = 5;
  c.start(100);
  auto app = c.adopt("a", 2);
  // Two cores were one executor, and are half of one.
  c.tree->set_request(c.now, app, c.cores(7), c.cores(4));
  CHECK(c.select() == "a");
  CHECK(c.tree->admitted_request(app) == c.cores(4));
  CHECK(!c.tree->invariant_violation());
}

TEST_CASE("applications that grow share what there is as companies purchased",
          "[tenants]") {
  Case c{{{"a", 60}, {"b", 30}}};
  c.start(90);
  auto first = c.adopt("a", 0);
  auto second = c.adopt("b", 0);
  c.tree->set_request(c.now, first, c.cores(200), c.cores(2));
  c.tree->set_request(c.now, second, c.cores(200), c.cores(2));
  c.select();
  CHECK(c.tree->admitted_request(first) == c.cores(60));
  CHECK(c.tree->admitted_request(second) == c.cores(30));

  // What one of them wants no more is the other's.
  c.tree->set_request(c.now, first, c.cores(20), c.cores(2));
  c.select();
  CHECK(c.tree->admitted_request(first) == c.cores(20));
  CHECK(c.tree->admitted_request(second) == c.cores(70));

  // Nothing is taken away. What is given back goes to who has less of its own.
  c.tree->set_request(c.now, first, c.cores(200), c.cores(2));
  CHECK(c.select().empty());
  c.tree->set_request(c.now, second, c.cores(40), c.cores(2));
  c.tree->set_request(c.now, second, c.cores(200), c.cores(2));
  c.select();
  CHECK(c.tree->admitted_request(first) == c.cores(50));
  CHECK(c.tree->admitted_request(second) == c.cores(40));
}

TEST_CASE("users of a company grow by turns, and before what waits of theirs",
          "[tenants]") {
  Case c{{{"a", 100}}};
  c.config.users.push_back({"x", "a"});
  c.start(12);
  auto of_a = c.adopt("a", 0);
  auto of_x = c.adopt("x", 0);
  c.tree->set_request(c.now, of_a, c.cores(100), c.cores(2));
  c.tree->set_request(c.now, of_x, c.cores(4), c.cores(2));
  c.add("x", 2);
  CHECK(c.select() == "a x a x a x");
  CHECK(c.tree->admitted_request(of_a) == c.cores(6));
  CHECK(c.tree->admitted_request(of_x) == c.cores(4));
  CHECK(c.tree->place(of_a, c.now).reason.empty());
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
        == "1 admitted application still waits for executors");
  c.tree->set_running(c.now, first, c.cores(4));
  c.tree->set_waiting(first, Waits::no);
  CHECK(c.select() == "a");
  c.tree->set_running(c.now, second, c.cores(6));
  c.tree->set_waiting(second, Waits::no);
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
    return problem_in(c.tree->may_join(user, x));
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
  CHECK(refusal("", {1, 1})
        == "no user is named, and the tenants file has no default_company: "
           "name one of its users");
}

TEST_CASE("new rules keep queues, and start nothing for a user who is gone",
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
  CHECK(!c.tree->may_join("c", {1, 1}));
  auto view = c.tree->view(c.now);
  REQUIRE(view.companies.size() == 3);
  CHECK(view.companies[0].figures.queued == 4);
  CHECK(view.companies[2].place == 2);
  CHECK(!view.companies[2].share);
  c.tree->set_cluster(c.now, c.cores(100));
  CHECK(c.select() == "a b a b");
  // The user waits in the same place until the rules know the user again.
  c.tree->reconfigure(c.now, c.config);
  CHECK(c.select() == "c c");
}
