// What must hold between the owners: scheduling/tenants/tenant_invariants.hpp.
// Each test changes one owner and not the others, so that they disagree.

#include <string>

#include "scheduling/tenants/tenant_invariants.hpp"
#include "scheduling/tenants/tenant_ranks.hpp"
#include "tests/scheduling/tenants/tenant_case.hpp"
#include "tests/scheduling/tenants/tenant_test_access.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace stoker::test::numbers;

namespace {

constexpr UserNumber user_a{0};
constexpr UserNumber user_b{1};

/// User a has application 1 admitted and application 2 queued, a guest of
/// company a has application 3 queued; user b has nothing.
struct InvariantsFixture {
  Case c{{{"a", 40}, {"b", 40}}};
  TenantState& state;

  InvariantsFixture() : state(start()) {
    REQUIRE(violation().empty());
  }

  TenantState& start() {
    c.config.default_company = "a";
    c.start(100);
    c.adopt("a", 10);
    c.add("a", 10);
    c.add("guest", 10);
    return TenantTestAccess::state(*c.tree);
  }

  [[nodiscard]] std::string violation() const {
    return c.tree->invariant_violation().value_or("");
  }

  /// Gives a company the place that it should have.
  void refresh(CompanyNumber company) {
    state.order.refresh(company, rank(state, company, 0));
  }
};

} // namespace

TEST_CASE_METHOD(InvariantsFixture,
                 "an application is queued or admitted, not both",
                 "[tenants]") {
  (void)state.queues.add(AppKey{1}, {{}, user_a});
  CHECK(violation() == "application 1 is queued, and admitted");
}

TEST_CASE_METHOD(InvariantsFixture, "an application's user is there",
                 "[tenants]") {
  SECTION("while it is queued") {
    state.directory.forget(*state.directory.find_user("guest"));
    CHECK(violation() == "application 3 is of a user who is gone");
  }
  SECTION("while it is admitted") {
    AdmittedProgram app;
    app.member = {b, user_a};
    state.admitted.add(AppKey{9}, app);
    CHECK(violation() == "application 9 is of a user who is gone or elsewhere");
  }
}

TEST_CASE_METHOD(InvariantsFixture, "figures are those of the applications",
                 "[tenants]") {
  SECTION("of users") {
    state.occupancy.count({a, user_a}, {{}, {}, 1, 0});
    CHECK(violation() == "the figures of user a are wrong");
  }
  SECTION("of companies") {
    state.occupancy.count({b, user_a}, {{}, {}, 1, 0});
    state.occupancy.count({a, user_a}, {{}, {}, -1, 0});
    CHECK(violation() == "the figures of company a are wrong");
  }
}

TEST_CASE_METHOD(InvariantsFixture,
                 "who has nothing and is not listed is forgotten",
                 "[tenants]") {
  state.directory.add_user("other", a);
  CHECK(violation() == "user other should be forgotten");
}

TEST_CASE_METHOD(InvariantsFixture, "who could be served has a place",
                 "[tenants]") {
  SECTION("a user") {
    state.order.set_user({a, user_a}, {});
    CHECK(violation()
          == "user a is ready, and has no place, or the other way round");
  }
  SECTION("and nobody else") {
    state.order.set_user({b, user_b}, {rank(state, user_b), {}});
    refresh(b);
    CHECK(violation()
          == "user b is ready, and has no place, or the other way round");
  }
  SECTION("in the own company") {
    state.order.set_user({a, user_a}, {});
    state.order.set_user({b, user_a}, {rank(state, user_a), {}});
    refresh(b);
    CHECK(violation() == "user a has a wrong place");
  }
  SECTION("at the user's rank") {
    state.order.set_user({a, user_a}, {UserRank{0.5, 0, 0, user_a}, {}});
    CHECK(violation() == "user a has a wrong place");
  }
  SECTION("at the company's rank") {
    state.order.refresh(a, CompanyRank{0.9, 0, a});
    CHECK(violation() == "company a has a wrong place");
  }
  SECTION("even if the company was stuck") {
    state.order.set_stuck(a, true);
    refresh(a);
    CHECK(violation()
          == "user a could go, or hold, and company a is passed over");
  }
}

TEST_CASE_METHOD(InvariantsFixture, "caps are those of the rules",
                 "[tenants]") {
  state.occupancy.set_cap(a, {20, 20});
  CHECK(violation() == "company a has another cap than the rules say");
}

TEST_CASE_METHOD(InvariantsFixture,
                 "a company is held for who comes next, and for room",
                 "[tenants]") {
  SECTION("not for another application") {
    state.order.hold(a, {user_a, AppKey{3}});
    CHECK(violation()
          == "company a is held for an application that is not next");
  }
  SECTION("not when there is room") {
    state.order.hold(a, {user_a, AppKey{2}});
    CHECK(violation().empty());
    state.order.set_stuck(a, true);
    refresh(a);
    CHECK(violation() == "company a is held, and there is room");
  }
}

TEST_CASE_METHOD(InvariantsFixture, "who could get more has a place, too",
                 "[tenants]") {
  state.admitted.set_wanted(AppKey{1}, Case::cores(20), Case::cores(1));
  CHECK(violation()
        == "user a grows, and has no place, or the other way round");
  auto place = rank(state, user_a);
  state.order.set_user({a, user_a}, {place, place});
  CHECK(violation().empty());
  SECTION("at the user's rank") {
    state.order.set_user({a, user_a}, {place, UserRank{0.5, 0, 0, user_a}});
    CHECK(violation() == "user a has a wrong place among those who grow");
  }
  SECTION("even if the company was stuck") {
    state.order.set_stuck(a, true);
    refresh(a);
    CHECK(violation() == "user a could grow, and company a is passed over");
  }
}

TEST_CASE_METHOD(InvariantsFixture, "what an owner notices is told",
                 "[tenants]") {
  SECTION("the directory") {
    TenantTestAccess::free_users(state.directory).push_back(user_a);
  }
  SECTION("the queues") {
    TenantTestAccess::queue(state.queues, user_a).next.reset();
  }
  SECTION("the admitted applications") {
    ++TenantTestAccess::waiting(state.admitted);
  }
  SECTION("the figures") {
    ++TenantTestAccess::whole(state.occupancy).queued;
  }
  SECTION("the order of admissions") {
    state.selections.set_served({a, user_a});
    TenantTestAccess::last(state.selections) = 0;
  }
  SECTION("usage") {
    state.usage.set(a, {-1, 0});
  }
  SECTION("the order of serving") {
    TenantTestAccess::open(state.order).clear();
  }
  CHECK(!violation().empty());
}
