// Which page a path and a query mean.

#include "web/page_address.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

template <class Page>
Page parsed(const std::string& target) {
  INFO(target);
  auto result = parse_page_address(target);
  REQUIRE(result);
  REQUIRE(std::holds_alternative<Page>(*result));
  return std::get<Page>(*result);
}

} // namespace

TEST_CASE("each page has its path", "[web]") {
  parsed<ClusterPage>("/");
  parsed<ClusterPage>("/?x=1");
  parsed<QueuesPage>("/queues");
  parsed<JobsPage>("/jobs");
  CHECK(parsed<EventsPage>("/events?of=app-1&page=2").of == "app-1");
  CHECK(parsed<PlanPage>("/plan?workers=2").form.values.at("workers") == "2");
  CHECK(parsed<WorkersPage>("/workers").page == 1);
  CHECK(parsed<WorkersPage>("/workers/?page=3").page == 3);
  CHECK(parsed<WorkerPage>("/workers/w1").id == WorkerId{"w1"});
  CHECK_FALSE(parsed<ApplicationsPage>("/applications").list.ended);
  auto ended = parsed<ApplicationsPage>("/applications?state=ended&page=2");
  CHECK(ended.list.ended);
  CHECK(ended.list.page == 2);
  CHECK(parsed<ApplicationPage>("/applications/app-1?page=4").page == 4);
  CHECK(parsed<ExecutorPage>("/executors/app-1/7").id
        == ExecutorId{AppId{"app-1"}, 7});
  CHECK(parsed<DriversPage>("/drivers?state=ended").list.ended);
  CHECK(parsed<DriverPage>("/drivers/driver-1").id == DriverId{"driver-1"});
}

TEST_CASE("an id in a path may be anything", "[web]") {
  CHECK(parsed<WorkerPage>("/workers/a%20b%2F%3F").id == WorkerId{"a b/?"});
}

TEST_CASE("what is no page has none", "[web]") {
  for (const auto* x :
       {"", "workers", "/nothing", "/workers/a/b", "/executors/app-1",
        "/executors/app-1/x", "/executors/app-1/-1", "/executors/app-1/7x",
        "/executors/app-1/99999999999", "/workers/%", "/workers/%4",
        "/workers/%zz", "/applications/a/b/c"}) {
    INFO(x);
    CHECK_FALSE(parse_page_address(x));
  }
}

TEST_CASE("a number of a page that is none means the first", "[web]") {
  for (const auto* x : {"0", "-1", "x", "", "99999999999999999999", "%"})
    CHECK(parsed<WorkersPage>("/workers?page=" + std::string{x}).page == 1);
}
