// What is new of an output.

#include "web/output_portion.hpp"

#include "tests/support/contains.hpp"
#include "tests/web/pages_fixture.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE("a place in an output is read as it is written", "[web]") {
  CHECK(parse_reading_place("2.1234") == ReadingPlace{2, 1234});
  CHECK(parse_reading_place("0.0") == ReadingPlace{0, 0});
  for (const auto* x : {"", ".", "1", "1.", ".1", "-1.2", "1.-2", "1.2x",
                        "last", "1.99999999999999999999"}) {
    INFO(x);
    CHECK_FALSE(parse_reading_place(x));
  }
}

TEST_CASE("what was read before is not shown again", "[web]") {
  CHECK(unread_output("abcdef", 10, 10) == "abcdef");
  CHECK(unread_output("abcdef", 10, 13) == "def");
  CHECK(unread_output("abcdef", 10, 16).empty());
  CHECK(unread_output("abcdef", 10, 99).empty());
  CHECK(unread_output("abcdef", 0, {}) == "abcdef");
}

TEST_CASE("what is missing is told, and no line is shown in part", "[web]") {
  CHECK(unread_output("end\nwhole\n", 5, {})
        == "[stoker] earlier output is left out\nwhole\n");
  CHECK(unread_output("end\nwhole\n", 15, 10)
        == "\n[stoker] 9 bytes are left out here\nwhole\n");
  CHECK(unread_output("one long line", 15, 10)
        == "\n[stoker] 5 bytes are left out here\none long line");
}

TEST_CASE("a line that is most of a piece is shown in part", "[web]") {
  const std::string line(64 * 1024 - 1, 'x');
  CHECK(unread_output(line + '\n', 5, {})
        == "[stoker] earlier output is left out\n" + line + '\n');
  CHECK(unread_output(line + '\n', 15, 10)
        == "\n[stoker] 5 bytes are left out here\n" + line + '\n');
}

TEST_CASE_METHOD(PagesFixture, "portions are refused with a reason", "[web]") {
  start();
  get("/logs/executors/app-9/0/stdout?portion=last");
  REQUIRE(response);
  CHECK(response->status == 404);
  response.reset();
  get("/logs/executors/app-9/0/stdout?portion=7");
  REQUIRE(response);
  CHECK(response->status == 400);
  CHECK(contains(response->problem, "portion is \"last\""));
}
