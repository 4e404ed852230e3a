#include "actors/rights.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("an executor may say nothing to a master", "[rights]") {
  Identity executor{"app-20261121074600-0001", Role::executor};
  CHECK(check_rights(executor, RegisterWorker{}).code() == Errc::not_allowed);
  CHECK(check_rights(executor, RegisterApplication{}).code()
        == Errc::not_allowed);
  CHECK(check_rights(executor, ReportJobs{}).code() == Errc::not_allowed);
  CHECK(check_rights(executor, DecommissionWorkers{}).code()
        == Errc::not_allowed);
  CHECK(check_rights(executor, RequestMasterState{}).code()
        == Errc::not_allowed);
}
