// The owners of applications alone: those that wait, those that were admitted,
// and how much more the latter are given.

#include <iterator>
#include <limits>
#include <vector>

#include "scheduling/tenants/growth.hpp"
#include "tests/scheduling/tenants/tenant_test_access.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace stoker::test::numbers;
using Access = TenantTestAccess;

namespace {

QueuedProgram queued(UserNumber user, int priority = 0, bool sql = false) {
  return {{4, 40}, user, priority, 0, sql};
}

AdmittedProgram admitted(Selection selection) {
  AdmittedProgram result;
  result.member = {a, x};
  result.selection = selection;
  result.request = result.wanted = {4, 40};
  result.waits = Waits::for_room;
  return result;
}

/// The keys of a user's applications, in the order in which they come.
std::vector<std::uint32_t> drain(UserQueues& all, UserNumber user) {
  std::vector<std::uint32_t> result;
  while (all.next(user)) {
    auto key = all.next(user)->key;
    CHECK(all.position(key) == 1);
    all.take(key);
    CHECK(violation(all).empty());
    result.push_back(static_cast<std::uint32_t>(std::get<AppKey>(key)));
  }
  return result;
}

using Keys = std::vector<std::uint32_t>;

} // namespace

// -- queues -------------------------------------------------------------------

TEST_CASE("each user has a queue, in the order that the rules give",
          "[tenants]") {
  auto order = [](QueueRules rules) {
    UserQueues all{rules};
    CHECK(all.add(AppKey{1}, queued(x)));
    (void)all.add(AppKey{2}, queued(x, 0, true));
    (void)all.add(AppKey{3}, queued(x, 5));
    CHECK(all.add(AppKey{4}, queued(y)));
    CHECK(violation(all).empty());
    auto result = drain(all, x);
    CHECK(drain(all, y) == Keys{4});
    return result;
  };
  CHECK(order({}) == Keys{1, 2, 3});
  CHECK(order({false, true}) == Keys{2, 1, 3});
  CHECK(order({true, false}) == Keys{3, 1, 2});
  CHECK(order({true, true}) == Keys{3, 2, 1});
}

TEST_CASE("the lowest priority can be negated", "[tenants]") {
  UserQueues all{{true, false}};
  (void)all.add(AppKey{1}, queued(x, std::numeric_limits<int>::min()));
  (void)all.add(AppKey{2}, queued(x, std::numeric_limits<int>::max()));
  CHECK(drain(all, x) == Keys{2, 1});
}

TEST_CASE("the first of a queue keeps its count when another comes before it",
          "[tenants]") {
  UserQueues all{{true, false}};
  CHECK(all.add(AppKey{1}, queued(x)));
  CHECK(all.pass_over(x, 3) == 1);
  CHECK(all.pass_over(x, 3) == 2);
  CHECK(!all.add(AppKey{2}, queued(x)));
  CHECK(all.add(AppKey{3}, queued(x, 1)));
  CHECK(all.next(x)->key == ProgramKey{AppKey{3}});
  CHECK(all.next(x)->passed_over == 0);
  all.take(AppKey{3});
  CHECK(all.next(x) == NextProgram{AppKey{1}, {4, 40}, 2, {4, 40}});
  CHECK(all.pass_over(x, 3) == 3);
  CHECK(all.pass_over(x, 3) == 3);
  auto apps = all.take_all();
  CHECK(apps.size() == 2);
  CHECK(apps.at(AppKey{1}).passed_over == 3);
  CHECK(!all.next(x));
  CHECK(violation(all).empty());
}

TEST_CASE("what is queued may ask for something else", "[tenants]") {
  UserQueues all{{}};
  (void)all.add(AppKey{1}, queued(x));
  (void)all.add(AppKey{2}, queued(x));
  all.set_request(AppKey{1}, {7, 70});
  all.set_request(AppKey{2}, {8, 80});
  CHECK(all.next(x)->request == Resources{7, 70});
  CHECK(all.position(AppKey{2}) == 2);
  CHECK(violation(all).empty());
  all.take(AppKey{1});
  CHECK(all.next(x)->request == Resources{8, 80});
  CHECK(all.find(AppKey{1}) == nullptr);
}

TEST_CASE("queues notice what is not where it should be", "[tenants]") {
  UserQueues all{{}};
  (void)all.add(AppKey{1}, queued(x));
  (void)all.add(AppKey{2}, queued(x));
  REQUIRE(violation(all).empty());
  auto& queue = Access::queue(all, x);
  const auto* wrong_next = "the next application of user 0 is wrong";
  SECTION("the request of the next") {
    queue.next->request = {};
    CHECK(violation(all) == wrong_next);
  }
  SECTION("the next is not the first") {
    queue.next->key = AppKey{2};
    CHECK(violation(all) == wrong_next);
  }
  SECTION("no next") {
    queue.next.reset();
    CHECK(violation(all) == wrong_next);
  }
  SECTION("no place") {
    queue.order.erase(std::prev(queue.order.end()));
    CHECK(violation(all) == "application 2 is not in its user's queue");
  }
  SECTION("a place of nobody") {
    auto place = *queue.order.begin();
    place.key = AppKey{3};
    queue.order.insert(place);
    CHECK(violation(all) == "a queue has a program that does not wait");
  }
}

// -- admitted -----------------------------------------------------------------

TEST_CASE("those that want more grow in order of admission", "[tenants]") {
  AdmittedPrograms all;
  all.add(AppKey{1}, admitted(2));
  all.add(AppKey{2}, admitted(1));
  CHECK(all.growing(x).empty());
  all.set_wanted(AppKey{1}, {8, 80}, {2, 20});
  all.set_wanted(AppKey{2}, {8, 80}, {2, 20});
  CHECK(all.growing(x)
        == AdmittedPrograms::Growing{{1, AppKey{2}}, {2, AppKey{1}}});
  all.set_request(AppKey{2}, {8, 80});
  CHECK(all.growing(x) == AdmittedPrograms::Growing{{2, AppKey{1}}});
  CHECK(violation(all).empty());
  CHECK(all.take(AppKey{1}).wanted == Resources{8, 80});
  CHECK(all.growing(x).empty());
  CHECK(all.find(AppKey{1}) == nullptr);
  CHECK(violation(all).empty());
}

TEST_CASE("those that wait for room are counted once", "[tenants]") {
  AdmittedPrograms all;
  all.add(AppKey{1}, admitted(1));
  all.add(AppKey{2}, admitted(2));
  CHECK(all.waiting() == 2);
  all.set_waiting(AppKey{1}, Waits::no);
  all.set_waiting(AppKey{1}, Waits::no);
  CHECK(all.waiting() == 1);
  all.take(AppKey{2});
  CHECK(all.waiting() == 0);
  CHECK(violation(all).empty());
}

TEST_CASE("admitted applications that are counted wrongly are noticed",
          "[tenants]") {
  AdmittedPrograms all;
  all.add(AppKey{1}, admitted(1));
  REQUIRE(violation(all).empty());
  SECTION("it wants more") {
    all.set_wanted(AppKey{1}, {8, 80}, {});
    Access::growing(all, x).clear();
    CHECK(violation(all)
          == "application 1 wants more, and is not among those that grow");
  }
  SECTION("it wants no more") {
    Access::growing(all, x).insert({1, AppKey{1}});
    CHECK(violation(all) == "an application grows that wants no more");
  }
  SECTION("it waits") {
    Access::waiting(all) = 0;
    CHECK(violation(all)
          == "the number of applications that wait for room is wrong");
  }
}

// -- growth -------------------------------------------------------------------

TEST_CASE("an application grows to the next whole unit, or to what it wants",
          "[tenants]") {
  struct Row {
    const char* what;
    Resources has, missing, unit, growth;
  };
  const Row rows[] = {
      {"a unit", {4, 40}, {12, 120}, {4, 40}, {4, 40}},
      {"the last is cut off", {4, 40}, {2, 20}, {4, 40}, {2, 20}},
      {"only cores are missing", {4, 40}, {8, 0}, {4, 40}, {4, 0}},
      {"only memory is missing", {4, 40}, {0, 80}, {4, 40}, {0, 40}},
      {"no unit: all", {4, 40}, {8, 0}, {0, 40}, {8, 0}},
      {"nothing is missing", {4, 40}, {}, {4, 40}, {}},
      {"units became larger", {2, 20}, {12, 120}, {4, 40}, {2, 20}},
      {"in one dimension", {2, 40}, {12, 120}, {4, 40}, {2, 0}},
      {"what is not missing", {2, 40}, {0, 120}, {4, 40}, {0, 40}},
  };
  for (const auto& row : rows) {
    INFO(row.what);
    AdmittedProgram app;
    app.request = row.has;
    app.wanted = app.request + row.missing;
    app.unit = row.unit;
    CHECK(next_growth(app) == row.growth);
  }
}
