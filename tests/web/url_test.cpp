// What stands in addresses.

#include "web/url.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("a value is found by its name", "[web]") {
  CHECK(query_value("/a?x=1&y=2", "y") == "2");
  CHECK(query_value("?page=%2Fworkers%3Fpage%3D2", "page")
        == "/workers?page=2");
  CHECK_FALSE(query_value("/a?xy=1", "x"));
  CHECK_FALSE(query_value("/a", "x"));
}

TEST_CASE("a plus is a space in a query alone", "[web]") {
  CHECK(query_value("?x=a+b%2B", "x") == "a b+");
  CHECK(url_decoded("a+b", false) == "a+b");
}

TEST_CASE("what is badly encoded is nothing", "[web]") {
  for (const auto* x : {"%", "a%4", "%zz", "%4"}) {
    CHECK_FALSE(url_decoded(x, false));
    CHECK_FALSE(decoded_parts(std::string{"/a/"} + x));
    CHECK_FALSE(query_value(std::string{"?x="} + x, "x"));
  }
}

TEST_CASE("a query is names and values, each name once", "[web]") {
  for (const auto* x :
       {"", "a=1", "a=", "a=1&b=1", "&&a=1&", "a==", "a=b=c", "a=%2B+"})
    CHECK(malformed_query(x).empty());
  for (const auto* x :
       {"a", "=", "=1", "a=%", "a=%2", "a=%zz", "a=1&a=2", "a=1&b", "a=1&=2"})
    CHECK_FALSE(malformed_query(x).empty());
}

TEST_CASE("a path has its parts, however many slashes are between", "[web]") {
  CHECK(decoded_parts("/a//b%2Fc/") == std::vector<std::string>{"a", "b/c"});
  CHECK(decoded_parts("/") == std::vector<std::string>{});
}
