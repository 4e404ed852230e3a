// TenantTree::invariant_violation finds whatever is wrong: each of its sentences
// is made to come true.

#include <functional>

#include "tests/scheduling/tenants/tenant_case.hpp"

using namespace stoker;
using stoker::test::Case;

namespace stoker {

/// What is private to a tree.
struct TenantTreeAccess {
  TenantTree& tree;

  TenantUser& user(const std::string& name) const {
    return tree.at(tree.user_numbers_.at(name));
  }
  [[nodiscard]] UserNumber number(const std::string& name) const {
    return tree.user_numbers_.at(name);
  }
  TenantCompany& company(const std::string& name) const {
    return tree.at(tree.company_numbers_.at(name));
  }
  auto& admitted() const {
    return tree.admitted_;
  }
  auto& open() const {
    return tree.open_;
  }
  auto& whole() const {
    return tree.whole_;
  }
  auto& waiting() const {
    return tree.waiting_;
  }
};

} // namespace stoker

namespace {

using Access = TenantTreeAccess;

/// Company "a" has one application admitted (1) and one that waits and may go
/// (2); "b" has none.
Case ordinary() {
  Case x{{{"a", 10}, {"b", 10}}};
  x.start(20);
  x.add("a", 4);
  CHECK(x.select() == "a");
  x.add("a", 4);
  return x;
}

struct Damage {
  std::string sentence;
  std::function<void(const Access&)> apply;
};

const std::vector<Damage> damages{
    {"application 1 is admitted in one place only",
     [](auto& x) { x.admitted().clear(); }},
    {"application 1 is forgotten, and wants more",
     [](auto& x) { ++x.admitted().begin()->second.wanted.cores; }},
    {"application 2 is not in its user's queue",
     [](auto& x) { x.user("a").queue.clear(); }},
    {"the figures of user a are wrong",
     [](auto& x) { ++x.user("a").figures.requested.cores; }},
    {"the figures of user b are wrong",
     [](auto& x) { --x.user("b").figures.admitted; }},
    {"the figures of company a are wrong",
     [](auto& x) { ++x.company("a").figures.queued; }},
    {"the figures of the whole are wrong",
     [](auto& x) { ++x.whole().running.memory_mb; }},
    {"the figures of the whole are wrong", [](auto& x) { ++x.waiting(); }},
    {"the figures of the whole are wrong",
     [](auto& x) {
       x.company("a").growing.insert({1, AppKey{1}});
     }},
    {"the queue of user a is wrong",
     [](auto& x) {
       x.user("a").queue.insert({0, false, AppKey{9}});
     }},
    {"the next application of user a is wrong",
     [](auto& x) { ++x.user("a").next->request.cores; }},
    {"the next application of user a is wrong",
     [](auto& x) { x.user("a").next.reset(); }},
    {"the next application of user b is wrong",
     [](auto& x) { x.user("b").next.emplace(); }},
    {"user b should be forgotten",
     [](auto& x) {
       x.user("b").listed = false;
       x.user("b").rank.emplace();
     }},
    {"user a is ready in one place only",
     [](auto& x) { x.user("a").rank.reset(); }},
    {"user a has a wrong place", [](auto& x) { ++x.user("a").rank->selected; }},
    {"user a has a wrong place", [](auto& x) { x.company("a").ready.clear(); }},
    {"user a could go, and company a is passed by",
     [](auto& x) { x.company("a").stuck = true; }},
    {"company a has too many ready users",
     [](auto& x) {
       x.company("a").ready.insert({9, 9, 9, x.number("b")});
     }},
    {"company a is above its cap", [](auto& x) { x.company("a").cap = {}; }},
    {"company a is held for nobody",
     [](auto& x) { x.company("a").held_for = x.number("b"); }},
    {"company a is held, and there is room",
     [](auto& x) {
       x.company("a").held_for = x.number("a");
       x.company("a").stuck = true;
     }},
    {"company a is open in one place only",
     [](auto& x) { x.company("a").rank.reset(); }},
    {"company a has a wrong place",
     [](auto& x) { ++x.company("a").rank->selected; }},
    {"company a has a wrong place", [](auto& x) { x.open().clear(); }},
    {"too many companies are open",
     [](auto& x) {
       x.open().insert({9, 9, CompanyNumber{1}});
     }},
};

} // namespace

TEST_CASE("an ordinary tree violates no invariant", "[tenants]") {
  CHECK(ordinary().tree->invariant_violation().value_or("") == "");
}

TEST_CASE("whatever is wrong in a tree is found", "[tenants]") {
  for (const auto& [sentence, apply] : damages) {
    auto x = ordinary();
    apply(Access{*x.tree});
    CHECK(x.tree->invariant_violation().value_or("") == sentence);
  }
}
