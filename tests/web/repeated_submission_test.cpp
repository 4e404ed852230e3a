// A request to start a driver that is made again with the same submission.

#include "tests/support/contains.hpp"
#include "tests/web/pages_fixture.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct SubmissionFixture : PagesFixture {
  /// The id of the driver; empty: it is refused as that of a request for something else.
  std::string submit(const std::string& body) {
    INFO(body);
    send("POST", "/api/v1/drivers", body);
    REQUIRE(response);
    REQUIRE(response->body);
    INFO(*response->body);
    if (response->status != 201) {
      CHECK(response->status == 409);
      CHECK(contains(*response->body, "that of a request for something else"));
      return {};
    }
    return boost::json::parse(*response->body)
        .at("driver_id")
        .as_string()
        .c_str();
  }
};

/// Another program has the same id.
std::string with(const std::string& more) {
  return R"({"submission":"s1","command":["sleep"])" + more + '}';
}

} // namespace

TEST_CASE_METHOD(SubmissionFixture,
                 "a submission is refused where any of its fields differs",
                 "[web]") {
  start();
  register_worker("w1");
  auto other = submit(R"({"command":["true"]})");
  auto id = submit(with(""));
  REQUIRE_FALSE(id.empty());
  for (const auto& more :
       {std::string{R"(,"name":"nap")"}, std::string{R"(,"cores":2)"},
        std::string{R"(,"memory_mb":1)"},
        std::string{R"(,"resources":{"gpu":1})"},
        std::string{R"(,"environment":{"A":"b"})"},
        std::string{R"(,"working_directory":"/tmp")"},
        std::string{R"(,"supervise":true)"},
        std::string{R"(,"max_restarts":1)"}, R"(,"after":[")" + other + R"("])",
        R"(,"after_ok":[")" + other + R"("])",
        std::string{R"(,"on_end":{"command":["true"]})"},
        std::string{R"(,"wait":true)"}}) {
    INFO(more);
    CHECK(submit(with(more)).empty());
  }
  CHECK(submit(with("")) == id);
}

TEST_CASE_METHOD(SubmissionFixture,
                 "the same request in other words is the same submission",
                 "[web]") {
  start();
  register_worker("w1");
  auto other = submit(R"({"command":["true"]})");
  auto id = submit(with(R"(,"environment":{"A":"b","C":"d"},"after":[")" + other
                        + R"("],"max_restarts":2)"));
  REQUIRE_FALSE(id.empty());
  // In another order, and with what is so anyway.
  CHECK(submit(R"({"max_restarts":2,"supervise":true,"after":[")" + other
               + R"("],"after_ok":[],"environment":{"C":"d","A":"b"},)"
                 R"("name":"sleep","wait":false,"working_directory":"",)"
                 R"("command":["sleep"],"submission":"s1"})")
        == id);
}

TEST_CASE_METHOD(SubmissionFixture,
                 "a submission of a driver that has ended is repeated",
                 "[web]") {
  start();
  register_worker("w1");
  // It waits, and so it ends at once.
  const std::string large{R"(,"cores":99,"wait":true)"};
  auto body = with(large
                   + R"(,"environment":{"A":"b"},)"
                     R"("on_end":{"command":["true"]})");
  auto id = submit(body);
  send("POST", "/api/v1/drivers/" + id + "/kill");
  REQUIRE(response);
  REQUIRE(response->status == 200);
  CHECK(submit(body) == id);
  CHECK(submit(with(large)) == id);
  CHECK(submit(with(large + R"(,"supervise":true)")).empty());
}
