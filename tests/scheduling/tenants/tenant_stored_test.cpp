// What of a tree is stored, and that a new leader's tree goes on where the last
// one ended.

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "tests/scheduling/tenants/tenant_case.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// Keeps the last record of each company and user.
struct Store {
  std::map<std::string, StoredCompany> companies;
  std::map<std::string, StoredUser> users;

  void operator()(const StoredCompany& x) {
    companies[x.name] = x;
  }
  void operator()(const StoredUser& x) {
    users[x.name] = x;
  }
  void operator()(const EraseUser& x) {
    users.erase(x.name);
  }

  void take(TenantTree& tree) {
    for (const auto& x : tree.take_changes())
      std::visit(*this, x);
  }

  void restore(Case& c) const {
    std::vector<StoredCompany> all;
    std::vector<StoredUser> people;
    for (const auto& [name, x] : companies)
      all.push_back(x);
    for (const auto& [name, x] : users)
      people.push_back(x);
    c.tree->restore(c.now, all, people);
  }
};

Case pay_as_you_go() {
  Case c{{{"a", 100}, {"b", 100}}};
  c.config.company_order = CompanyOrder::usage;
  c.config.usage_half_life = 1h;
  c.config.users.push_back({"x", "a"});
  c.config.default_company = "b";
  return c;
}

} // namespace

TEST_CASE("a new leader's tree admits in the order of the old one",
          "[tenants]") {
  auto old_tree = pay_as_you_go();
  Store store;
  old_tree.start(60);
  for (const auto* user : {"a", "x", "b"})
    old_tree.add(user, 10);
  CHECK(old_tree.select() == "a b x");
  store.take(*old_tree.tree);
  old_tree.now += 90min;
  old_tree.tree->remove(old_tree.now, AppKey{3});
  store.take(*old_tree.tree);
  old_tree.now += 30min;

  auto new_tree = pay_as_you_go();
  new_tree.now = old_tree.now;
  new_tree.start(60);
  new_tree.adopt("a", 10);
  new_tree.adopt("x", 10);
  store.restore(new_tree);
  CHECK(!new_tree.tree->invariant_violation());
  auto usage = [](const Case& c, std::size_t i) {
    return c.tree->view(c.now).companies[i].usage_cores;
  };
  CHECK(usage(new_tree, 0) == Approx(usage(old_tree, 0)).epsilon(1e-12));
  CHECK(usage(new_tree, 1) == Approx(usage(old_tree, 1)).epsilon(1e-12));
  for (auto* c : {&old_tree, &new_tree}) {
    c->next = 10;
    for (const auto* user : {"a", "x", "b", "a", "x", "b"})
      c->add(user, 10);
  }
  CHECK(old_tree.select() == "b b a x");
  CHECK(new_tree.select() == "b b a x");
}

TEST_CASE("only what has changed is stored", "[tenants]") {
  auto c = pay_as_you_go();
  c.start(60);
  CHECK(c.tree->take_changes().empty());
  auto app = c.add("guest", 10);
  auto at = to_ms(c.now);
  CHECK(c.tree->take_changes()
        == TenantChanges{StoredCompany{"b", 0, 0, 0, at},
                         StoredUser{"guest", 0}});
  CHECK(c.select() == "guest");
  CHECK(c.tree->take_changes()
        == TenantChanges{StoredCompany{"b", 1, 0, 0, at},
                         StoredUser{"guest", 1}});
  c.tree->remove(c.now, app);
  CHECK(c.tree->take_changes()
        == TenantChanges{EraseUser{"guest"}, StoredCompany{"b", 1, 0, 0, at}});
}

TEST_CASE("names that nobody knows are passed over", "[tenants]") {
  auto c = pay_as_you_go();
  c.start(60);
  c.tree->restore(c.now, {{"gone", 5}}, {{"nobody", 9}});
  CHECK(!c.tree->invariant_violation());
  c.add("a", 10);
  CHECK(c.select() == "a");
  // The numbers of admissions go on after the largest.
  Store store;
  store.take(*c.tree);
  CHECK(store.users.at("a").selected == 10);
}
