// Each small owner of tenants' state alone: the directory, the figures, what
// is remembered of the past, and what is stored.

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "scheduling/tenants/usage_decay.hpp"
#include "tests/scheduling/tenants/tenant_test_access.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace stoker::test::numbers;
using namespace std::chrono_literals;
using Access = TenantTestAccess;

namespace {

TenantFigures requests(std::int64_t cores) {
  return {{cores, 0}, {}, 0, 1};
}

} // namespace

// -- directory ----------------------------------------------------------------

TEST_CASE("a name finds its company and user, until the user is forgotten",
          "[tenants]") {
  TenantDirectory all;
  auto company = all.add_company("a");
  CHECK(all.add_company("a") == company);
  auto user = all.add_user("x", company);
  CHECK(all.find_company("a") == company);
  CHECK(!all.find_company("b"));
  CHECK(all.find_user("x") == user);
  CHECK(all.member(user) == Member{company, user});
  all.forget(user);
  CHECK(!all.find_user("x"));
  CHECK(!all.is_present(user));
  CHECK(violation(all).empty());
  // The number is given again.
  CHECK(all.add_user("y", company) == user);
  CHECK(all.name(user) == "y");
  CHECK(all.users() == 1);
  CHECK(violation(all).empty());
}

TEST_CASE("a directory notices names that find nothing", "[tenants]") {
  TenantDirectory all;
  all.add_user("x", all.add_company("a"));
  REQUIRE(violation(all).empty());
  SECTION("of a company") {
    Access::company_numbers(all).erase("a");
    CHECK(violation(all) == "company a is not found by its name");
  }
  SECTION("of a company that is not there") {
    Access::company_numbers(all).emplace("b", b);
    CHECK(violation(all)
          == "the directory names a company that does not exist");
  }
  SECTION("of a user") {
    Access::users(all)[0].name = "y";
    CHECK(violation(all) == "user x is not found by this name");
  }
  SECTION("of a user without a company") {
    all.add_user("y", CompanyNumber{7});
    CHECK(violation(all) == "user y belongs to a company that does not exist");
  }
  SECTION("of a free number") {
    Access::free_users(all).push_back(x);
    CHECK(violation(all) == "a user's number is free and in use");
  }
  SECTION("of a lost number") {
    Access::users(all).emplace_back();
    CHECK(violation(all) == "a user's number is neither free nor in use");
  }
}

// -- occupancy ----------------------------------------------------------------

TEST_CASE("figures are counted up to the company and the whole", "[tenants]") {
  Occupancy all;
  all.count({a, x}, requests(3));
  all.count({a, y}, requests(4));
  all.count({b, UserNumber{2}}, requests(5));
  CHECK(all.of(x) == requests(3));
  CHECK(all.of(a).requested.cores == 7);
  CHECK(all.of(b).admitted == 1);
  CHECK(all.whole() == TenantFigures{{12, 0}, {}, 0, 3});
  CHECK(violation(all).empty());
  all.count({a, x}, {{-3, 0}, {}, 0, -1});
  CHECK(all.of(x) == TenantFigures{});
  CHECK(all.whole().requested.cores == 9);
  CHECK(violation(all).empty());
}

TEST_CASE("what is above a cap that came down may go, and not come back",
          "[tenants]") {
  Occupancy all;
  all.count({a, x}, requests(10));
  CHECK(all.fits(a, {unlimited / 2, 0}));
  all.set_cap(a, {6, 0});
  CHECK(!all.fits(a, {}));
  CHECK(violation(all).empty());
  all.count({a, x}, {{-2, 0}, {}, 0, 0});
  CHECK(violation(all).empty());
  all.count({a, x}, {{1, 0}, {}, 0, 0});
  CHECK(violation(all) == "a company is above its cap");
  all.set_cap(a, {6, 0});
  CHECK(violation(all).empty());
  all.count({a, x}, {{-5, 0}, {}, 0, 0});
  CHECK(all.fits(a, {2, 0}));
  CHECK(!all.fits(a, {3, 0}));
  CHECK(!all.fits(a, {2, 1}));
}

TEST_CASE("figures notice what was never there, and sums that are wrong",
          "[tenants]") {
  Occupancy all;
  SECTION("a company") {
    all.count({b, x}, requests(1));
    all.count({a, x}, {{-1, 0}, {}, 0, -1});
    CHECK(violation(all) == "a figure of a company is negative");
  }
  SECTION("a user") {
    all.count({a, x}, requests(1));
    all.count({a, y}, {{-1, 0}, {}, 0, -1});
    CHECK(violation(all) == "a figure of a user is negative");
  }
  SECTION("the whole") {
    ++Access::whole(all).queued;
    CHECK(violation(all) == "the figures do not sum up to those of the whole");
  }
}

// -- the past -----------------------------------------------------------------

TEST_CASE("who was served is known by the number of the admission",
          "[tenants]") {
  SelectionHistory all;
  CHECK(all.count() == 1);
  all.set_served({a, x});
  CHECK(all.count() == 2);
  all.set_new(y);
  CHECK(all.of(a) == 1);
  CHECK(all.of(x) == 1);
  CHECK(all.of(y) == 2);
  CHECK(all.of(b) == 0);
  // Whoever takes over counts on from there.
  all.restore(b, 7);
  CHECK(all.last() == 7);
  all.restore_last(3);
  CHECK(all.last() == 7);
  CHECK(violation(all).empty());
}

TEST_CASE("a history notices who was served in the future", "[tenants]") {
  SelectionHistory all;
  all.count();
  SECTION("a company") {
    all.set_served({a, x});
    Access::last(all) = 0;
    CHECK(violation(all)
          == "a company was served later than the last admission");
  }
  SECTION("a user") {
    all.set_new(x);
    Access::last(all) = 0;
    CHECK(violation(all) == "a user was served later than the last admission");
  }
}

TEST_CASE("usage moves to what is occupied, by one half in a half-life",
          "[tenants]") {
  UsageHistory all{1h};
  const Resources much{80, 800};
  auto occupied = [&](CompanyNumber x) { return x == a ? much : Resources{}; };
  Instant now{1h};
  all.advance(now, 2, [](auto) { return Resources{}; });
  all.advance(now += 1h, 2, occupied);
  CHECK(all.of(a) == Usage{40, 400});
  CHECK(all.of(b) == Usage{});
  CHECK(all.until() == now);
  // To ask does not change it.
  auto later = all.with(a, much, all.weight(now + 1h));
  CHECK(later == Usage{60, 600});
  CHECK(all.with(a, {}, all.weight(now + 2h)) == Usage{10, 100});
  CHECK(all.of(a) == Usage{40, 400});
  CHECK(all.weight(now - 1h) == 0);
  CHECK(violation(all).empty());
}

TEST_CASE("usage notices what is no amount", "[tenants]") {
  UsageHistory all{1h};
  auto infinite = std::numeric_limits<double>::infinity();
  for (auto bad : {-1.0, infinite, std::nan("")}) {
    all.set(a, {bad, 0});
    CHECK(violation(all) == "what a company has used is no amount");
    all.set(a, {0, bad});
    CHECK(violation(all) == "what a company has used is no amount");
    all.set(a, {});
    CHECK(violation(all).empty());
  }
}

TEST_CASE("the weight of newer time is 1 - 2^(-time / half-life)",
          "[tenants]") {
  for (Duration half_life : {1ms, 7ms, 1000ms, Duration{24h}})
    for (Duration time = 1ms; time < 100 * half_life; time = time * 3 / 2 + 1ms)
      CHECK(newer_weight(time, half_life)
            == Approx(-std::expm1(-std::log(2.0)
                                  * static_cast<double>(time.count())
                                  / static_cast<double>(half_life.count())))
                   .epsilon(0)
                   .margin(1e-12));
  CHECK(newer_weight(0ms, 1h) == 0);
  CHECK(newer_weight(-1h, 1h) == 0);
  CHECK(newer_weight(1h, 1h) == 0.5);
}

// -- what is stored -----------------------------------------------------------

TEST_CASE("what has changed is stored once, and who is gone before the others",
          "[tenants]") {
  auto record = [](auto number) {
    auto name = std::to_string(static_cast<std::uint32_t>(number));
    if constexpr (std::is_same_v<decltype(number), CompanyNumber>)
      return StoredCompany{"company " + name};
    else
      return StoredUser{"user " + name};
  };
  ChangedTenants all;
  all.touch(y);
  all.touch(x);
  all.touch(b);
  all.touch(b);
  all.erase(x, "gone");
  CHECK(all.take(record)
        == TenantChanges{EraseUser{"gone"}, StoredCompany{"company 1"},
                         StoredUser{"user 1"}});
  CHECK(all.take(record).empty());
}
