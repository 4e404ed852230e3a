// What differs between two configurations: scheduling/tenants/tenants_change.hpp.

#include "scheduling/tenants/tenants_change.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

TenantsConfig example() {
  TenantsConfig result;
  result.companies = {{"first", 4, 4096, {}, {}}, {"second", {}, {}, {}, {}}};
  result.users = {{"ann", "first", {}, {}, {}}, {"ben", "second", 2, {}, {}}};
  return result;
}

} // namespace

TEST_CASE("a change of tenants is empty when nothing differs", "[tenants]") {
  CHECK(describe_change(example(), example()).empty());
  auto reordered = example();
  std::swap(reordered.users[0], reordered.users[1]);
  CHECK(describe_change(example(), reordered).empty());
}

TEST_CASE("a change of tenants names what is new, removed and different",
          "[tenants]") {
  auto now = example();
  now.accounting = Accounting::running;
  now.application_order = ApplicationOrder::sql_first;
  now.admit_in_part = true;
  now.min_executor_memory_mb = 512;
  now.companies[0].cores = 8;
  now.companies[0].max_memory_mb = 8192;
  now.companies[1] = {"third", {}, {}, {}, {}};
  now.users[0].company = "third";
  now.users[1].name = "cyd";
  CHECK(describe_change(example(), now)
        == "policy: accounting requested to running, application_order fifo to "
           "sql-first, admit_in_part false to true; executor: min_memory 2048 "
           "MB to 512 MB; company first: "
           "cores 4 to 8, max_memory unset to 8192 MB; company third: new; "
           "company second: removed; user ann: company first to third; user "
           "cyd: new; user ben: removed");
}

TEST_CASE("a change of tenants is short when there are many", "[tenants]") {
  auto now = example();
  for (int i = 0; i < 1000; ++i)
    now.users.push_back({"u" + std::to_string(i), "first", {}, {}, {}});
  auto text = describe_change(example(), now);
  CHECK(text.starts_with("user u0: new; user u1: new; "));
  CHECK(text.ends_with("; and 990 more"));
}
