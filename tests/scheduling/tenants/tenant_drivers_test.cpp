// Drivers and their applications: scheduling/tenants/tenant_tree.hpp.

#include "tests/scheduling/tenants/tenant_case.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// A case in which drivers do not say which executors their applications need.
struct DriverCase : Case {
  using Case::Case;

  ProgramKey driver(const std::string& user, Resources request,
                    Resources room = {1, 512}) {
    TenantTree::Entry entry{user, request};
    entry.driver = request;
    entry.room = room;
    tree->add(now, DriverKey{next}, entry);
    return DriverKey{next++};
  }

  ProgramKey application(const std::string& user, int n) {
    TenantTree::Entry entry{user, cores(n)};
    entry.least = cores(1);
    entry.with_driver = true;
    tree->add(now, AppKey{next}, entry);
    return AppKey{next++};
  }

  [[nodiscard]] std::string reason(ProgramKey program) const {
    return tree->place(program, now).reason;
  }
};

} // namespace

TEST_CASE("drivers leave room for an executor under the company's cap",
          "[tenants]") {
  DriverCase c{{{"a", 0}}};
  c.config.companies[0].max_cores = 2;
  c.start(100);
  auto first = c.driver("a", c.cores(1));
  auto second = c.driver("a", c.cores(1));
  CHECK(c.select() == "a");
  CHECK(c.reason(second)
        == "drivers of company a hold 1 core and 1 GB of at most 2 cores and "
           "memory without limit, and the next (1 core and 1 GB) would leave "
           "less than 1 core and 512 MB for an executor (stoker submit "
           "--with-executors says what a driver needs)");
  CHECK(c.tree->why_queued(second).remedy == "other drivers of company a end");
  auto application = c.application("a", 2);
  CHECK(c.select() == "a");
  CHECK(c.tree->admitted_request(application) == c.cores(1));
  c.tree->remove(c.now, application);
  CHECK(c.select().empty());
  c.tree->remove(c.now, first);
  CHECK(c.select() == "a");
}

TEST_CASE("drivers leave room for an executor under the user's limits",
          "[tenants]") {
  DriverCase c{{{"a", 0}}};
  c.config.users.push_back({"b", "a", {}, 2000});
  c.start(100);
  c.driver("b", {1, 1000});
  auto second = c.driver("b", {1, 600});
  c.driver("b", {1, 400});
  CHECK(c.select() == "b");
  CHECK(c.reason(second)
        == "drivers of user b hold 1 core and 1000 MB of at most any number of "
           "cores and 2000 MB, and the next (1 core and 600 MB) would leave "
           "less than 1 core and 512 MB for an executor (stoker submit "
           "--with-executors says what a driver needs)");
  CHECK(c.tree->why_queued(second).remedy == "other drivers of user b end");
  c.driver("a", c.cores(1));
  CHECK(c.select() == "a");
}

TEST_CASE("drivers leave room also when others have used their executors",
          "[tenants]") {
  DriverCase c{{{"a", 0}}};
  c.config.companies[0].max_cores = 4;
  c.start(100);
  // It says two executors, which have ended.
  TenantTree::Entry entry{"a", c.cores(3)};
  entry.driver = c.cores(1);
  auto whole = DriverKey{99};
  c.tree->add(c.now, whole, entry);
  CHECK(c.select() == "a");
  c.tree->set_request(c.now, whole, c.cores(1), c.cores(1));
  c.driver("a", c.cores(1));
  c.driver("a", c.cores(1));
  c.driver("a", c.cores(1));
  CHECK(c.select() == "a a");
}

TEST_CASE("a driver that leaves no room even alone is admitted alone",
          "[tenants]") {
  DriverCase c{{{"a", 0}}};
  c.config.companies[0].max_memory_mb = 1024;
  c.start(100);
  auto first = c.driver("a", {1, 600});
  auto second = c.driver("a", {1, 400});
  CHECK(c.select() == "a");
  c.tree->remove(c.now, first);
  CHECK(c.select() == "a");
  c.driver("a", {1, 600});
  CHECK(c.select().empty());
  c.tree->remove(c.now, second);
  CHECK(c.select() == "a");
}

TEST_CASE("a driver that would leave no room does not hold its company",
          "[tenants]") {
  DriverCase c{{{"a", 0}}};
  c.config.users.push_back({"b", "a"});
  c.config.companies[0].max_cores = 4;
  c.config.hold_after = 0;
  c.start(100);
  c.driver("a", c.cores(2));
  auto second = c.driver("a", c.cores(2));
  CHECK(c.select() == "a");
  auto other = c.add("b", 1);
  CHECK(c.reason(second).find("would leave less than 1 core")
        != std::string::npos);
  CHECK(c.tree->why_queued(other).remedy == "its turn comes");
  c.add("b", 1);
  CHECK(c.select() == "b b");
}

TEST_CASE("drivers leave room for the largest of their executors",
          "[tenants]") {
  DriverCase c{{{"a", 0}}};
  c.config.users.push_back({"b", "a"});
  c.config.companies[0].max_cores = 6;
  c.start(100);
  auto large = c.driver("a", c.cores(1), c.cores(3));
  CHECK(c.select() == "a");
  c.driver("b", c.cores(1));
  CHECK(c.select() == "b");
  auto third = c.driver("b", c.cores(1));
  CHECK(c.select() == "b");
  auto fourth = c.driver("b", c.cores(1));
  CHECK(c.select().empty());
  CHECK(c.reason(fourth).find("less than 3 cores and 3 GB for an executor")
        != std::string::npos);
  c.tree->remove(c.now, large);
  CHECK(c.select() == "b");
  // The next leaves room for its own.
  c.driver("a", c.cores(1), c.cores(3));
  CHECK(c.select().empty());
  c.tree->remove(c.now, third);
  CHECK(c.select() == "a");
}

TEST_CASE("room that can never be had keeps no driver waiting", "[tenants]") {
  DriverCase c{{{"a", 0}}};
  c.config.companies[0].max_cores = 6;
  c.start(100);
  c.driver("a", c.cores(1), c.cores(4));
  CHECK(c.select() == "a");
  c.driver("a", c.cores(1));
  CHECK(c.select() == "a");
  c.driver("a", c.cores(1));
  CHECK(c.select().empty());
  c.config.companies[0].max_cores = 4;
  c.tree->reconfigure(c.now, c.config);
  CHECK(c.select() == "a");
  CHECK(c.tree->invariant_violation().value_or("") == "");
}
