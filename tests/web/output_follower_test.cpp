// What a program writes is read over HTTP.

#include "web/output_follower.hpp"

#include "tests/support/contains.hpp"
#include "tests/web/pages_fixture.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

std::optional<OutputRequest> parsed(const std::string& path,
                                    const std::string& query = {}) {
  HttpRequest x;
  x.path = path;
  x.query = query;
  return parse_output_request(x);
}

} // namespace

TEST_CASE("an output is asked for by what writes it", "[web]") {
  auto x = parsed("/logs/executors/app-1/7/stdout");
  REQUIRE(x);
  CHECK(x->program == ProgramId{ExecutorId{AppId{"app-1"}, 7}});
  CHECK_FALSE(x->standard_error);
  CHECK_FALSE(x->follow);
  CHECK_FALSE(x->tail);
  x = parsed("/logs/drivers/driver-1/stderr", "follow=1&tail=100");
  REQUIRE(x);
  CHECK(x->program == ProgramId{DriverId{"driver-1"}});
  CHECK(x->standard_error);
  CHECK(x->follow);
  CHECK(x->tail == 100);
  CHECK(parsed("/logs/drivers/driver-1/stderr", "tail=0")->tail == 0);
  CHECK_FALSE(parsed("/logs/drivers/driver-1/stderr", "tail=-1")->tail);
}

TEST_CASE("what writes nothing has no output", "[web]") {
  for (const auto* path :
       {"/logs", "/logs/", "/logs/workers/w1/stdout", "/logs/drivers/stdout",
        "/logs/drivers/d1/stdin", "/logs/executors/app-1/stdout",
        "/workers/w1/stdout"}) {
    INFO(path);
    CHECK_FALSE(parsed(path));
  }
}

TEST_CASE("the path of an output is read as it is written", "[web]") {
  for (auto standard_error : {false, true})
    for (const auto& id : {ProgramId{ExecutorId{AppId{"app-1"}, 7}},
                           ProgramId{DriverId{"a/b"}}}) {
      auto x = parsed(output_path(id, standard_error));
      REQUIRE(x);
      CHECK(x->program == id);
      CHECK(x->standard_error == standard_error);
    }
}

TEST_CASE_METHOD(PagesFixture, "the output of what is not known is not there",
                 "[web]") {
  start();
  get("/logs/executors/app-9/0/stdout");
  REQUIRE(response);
  CHECK(response->status == 404);
}
