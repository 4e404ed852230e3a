// Which rules for tenants are refused, and that they travel as JSON.

#include "scheduling/tenants/tenants_config.hpp"

#include "messages/json.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

TenantsConfig two_companies() {
  TenantsConfig result;
  result.companies = {{"a", 10}, {"b", {}, 1024}};
  result.users = {{"ann", "a", {}, {}, 3}, {"ben", "b", 5}};
  return result;
}

} // namespace

TEST_CASE("the defaults are the document's", "[tenants]") {
  auto config = two_companies();
  CHECK(validate(config));
  CHECK(config.min_executor_cores == 4);
  CHECK(config.min_executor_memory_mb == 2048);
  CHECK(config.default_request_cores == 8);
  CHECK(config.accounting == Accounting::requested);
  CHECK(config.company_order == CompanyOrder::dominant_share);
  CHECK(config.user_order == UserOrder::longest_waiting);
  CHECK(config.application_order == ApplicationOrder::fifo);
}

TEST_CASE("a problem names the company or the user", "[tenants]") {
  auto config = two_companies();
  config.users[1].company = "c";
  auto problem = find_problem(config);
  REQUIRE(problem);
  CHECK(problem->text == "user ben is of company c, which is no company");
  CHECK(problem->user == 1u);
  CHECK(!problem->company);
  config.companies.push_back({"a"});
  problem = find_problem(config);
  REQUIRE(problem);
  CHECK(problem->text == "company a is there twice");
  CHECK(problem->company == 2u);
}

TEST_CASE("rules come back from JSON, with names for choices", "[tenants]") {
  auto config = two_companies();
  config.company_order = CompanyOrder::usage;
  config.application_order = ApplicationOrder::sql_first;
  config.default_company = "b";
  auto json = to_json(config);
  CHECK(json.at("company_order") == "usage");
  CHECK(json.at("application_order") == "sql_first");

  CHECK(from_json<TenantsConfig>(json) == config);
}
