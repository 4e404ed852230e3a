// Who could be served, alone: scheduling/tenants/serving_order.hpp; and what
// follows from the rules alone: scheduling/tenants/tenant_rules.hpp.

#include <cmath>
#include <set>
#include <string>

#include "tests/scheduling/tenants/tenant_test_access.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace stoker::test::numbers;
using Access = TenantTestAccess;

namespace {

CompanyRank share(CompanyNumber company, double share) {
  return {share, 0, company};
}

UserRank served(UserNumber user, Selection selected) {
  return {0, selected, 0, user};
}

ServingOrder::UserPlaces ready(UserRank rank) {
  return {rank, std::nullopt};
}

/// Users x and y of company a are ready, y before x.
ServingOrder two_users() {
  ServingOrder order;
  order.set_user({a, x}, ready(served(x, 2)));
  order.set_user({a, y}, ready(served(y, 1)));
  order.refresh(a, share(a, 0.5));
  return order;
}

} // namespace

// -- order --------------------------------------------------------------------

TEST_CASE("a company is open while a user is ready and it is not stuck",
          "[tenants]") {
  auto order = two_users();
  CHECK(order.ready(a).begin()->number == y);
  CHECK(order.open() == std::set{share(a, 0.5)});
  CHECK(violation(order).empty());
  order.set_stuck(a, true);
  order.refresh(a, share(a, 0.5));
  CHECK(order.open().empty());
  CHECK(order.is_stuck(a));
  CHECK(violation(order).empty());
  order.set_stuck(a, false);
  order.refresh(a, share(a, 0.75));
  CHECK(order.rank(a) == share(a, 0.75));
  order.set_user({a, x}, {});
  order.refresh(a, share(a, 0.75));
  CHECK(!order.places(x).ready);
  CHECK(order.open().size() == 1);
  order.set_user({a, y}, {});
  order.refresh(a, share(a, 0.75));
  CHECK(order.open().empty());
  CHECK(violation(order).empty());
}

TEST_CASE("a company is open while a user grows", "[tenants]") {
  ServingOrder order;
  order.set_user({a, x}, {std::nullopt, served(x, 1)});
  order.refresh(a, share(a, 0.5));
  CHECK(order.growing(a).begin()->number == x);
  CHECK(order.ready(a).empty());
  CHECK(order.open() == std::set{share(a, 0.5)});
  CHECK(violation(order).empty());
  order.rerank_users(a, [](UserNumber user) { return served(user, 3); });
  CHECK(order.places(x).growing == served(x, 3));
  CHECK(violation(order).empty());
  order.set_user({a, x}, {});
  order.refresh(a, share(a, 0.5));
  CHECK(order.open().empty());
  CHECK(violation(order).empty());
}

TEST_CASE("places change with the ranks", "[tenants]") {
  auto order = two_users();
  order.set_user({b, UserNumber{2}}, ready(served(UserNumber{2}, 0)));
  order.refresh(b, share(b, 1));
  CHECK(order.open().begin()->number == a);
  order.rerank_companies(
      [](CompanyNumber number) { return share(number, number == a ? 3 : 2); });
  CHECK(order.open().begin()->number == b);
  order.rerank_users(
      a, [](UserNumber user) { return served(user, user == x ? 4 : 5); });
  CHECK(order.ready(a).begin()->number == x);
  CHECK(order.places(UserNumber{2}).ready == served(UserNumber{2}, 0));
  order.set_user({a, x}, ready(served(x, 6)));
  CHECK(order.ready(a).begin()->number == y);
  CHECK(order.ready(a).size() == 2);
  CHECK(violation(order).empty());
}

TEST_CASE("a company is held until it is released", "[tenants]") {
  auto order = two_users();
  order.hold(a, {x, AppKey{1}});
  CHECK(order.held_for(a) == HeldFor{x, AppKey{1}});
  CHECK(violation(order).empty());
  order.release(a);
  CHECK(!order.held_for(a));
}

TEST_CASE("an order notices who has a wrong place or none", "[tenants]") {
  auto order = two_users();
  REQUIRE(violation(order).empty());
  SECTION("a company that was not brought up to date") {
    order.set_stuck(a, true);
    CHECK(violation(order)
          == "company 0 is open, and should not be, or the other way round");
  }
  SECTION("an open company") {
    Access::open(order).clear();
    CHECK(violation(order) == "company 0 is open, and has no place");
  }
  SECTION("a company that is not open") {
    Access::open(order).insert(share(b, 0));
    CHECK(violation(order) == "a company has a place, and is not open");
  }
  SECTION("a user with another rank") {
    Access::places(order, x).ready = served(x, 9);
    CHECK(violation(order) == "user 0 has a place that is not the user's rank");
  }
  SECTION("a user") {
    Access::places(order, UserNumber{2}).ready = served(UserNumber{2}, 0);
    CHECK(violation(order)
          == "a user is ready, grows or is driven, and has no place");
  }
  SECTION("a hold for nobody") {
    order.hold(a, {UserNumber{2}, AppKey{1}});
    CHECK(violation(order) == "company 0 is held for a user who is not ready");
  }
}

// -- rules --------------------------------------------------------------------

TEST_CASE("who is not in the configuration has no purchase and no limits",
          "[tenants]") {
  TenantsConfig config;
  config.companies = {{"a", 10, 100, {}, 50}, {"b"}};
  config.users = {{"x", "a", 5, {}, 2}};
  config.cap_at_purchased = true;
  TenantRules rules{config};
  rules.set_total({7, 70});
  CHECK(rules.purchased(a) == Resources{10, 100});
  CHECK(rules.purchased(b) == Resources{4, 35});
  CHECK(rules.cap(a) == Resources{10, 50});
  CHECK(rules.cap(b) == Resources{4, 35});
  CHECK(rules.limit(x) == Resources{5, unlimited});
  CHECK(rules.max_applications(x) == 2);
  CHECK(!rules.is_listed(CompanyNumber{2}));
  CHECK(rules.purchased(CompanyNumber{2}) == Resources{});
  CHECK(rules.cap(CompanyNumber{2}) == Resources{unlimited, unlimited});
  CHECK(!rules.is_listed(y));
  CHECK(rules.limit(y) == Resources{unlimited, unlimited});
  CHECK(rules.max_applications(y) == unlimited);
}

TEST_CASE("a share is the larger of two parts, and infinite of nothing",
          "[tenants]") {
  TenantsConfig config;
  config.companies = {{"a", 10, 100}, {"b"}};
  TenantRules rules{config};
  CHECK(rules.share(Resources{5, 20}, a) == 0.5);
  CHECK(rules.share(Resources{1, 20}, a) == 0.2);
  CHECK(std::isinf(rules.share(Resources{1, 0}, b)));
  CHECK(rules.share(Resources{}, b) == 0);
  CHECK(std::isinf(rules.share(Resources{}, CompanyNumber{2})));
}
