// Which part of a list is asked for, and where that is.

#include "web/list_address.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE("a list that is looked through has an address", "[web]") {
  for (const auto* target :
       {"/drivers", "/drivers?state=ended", "/drivers?user=ann",
        "/drivers?state=ended&user=ann&name=a%20b%26c"})
    CHECK(href_of_list("/drivers", parse_list_address(target)) == target);
  auto x = parse_list_address("/drivers?page=3&name=a+b");
  CHECK(x.page == 3);
  CHECK(x.filter.name == "a b");
  CHECK_FALSE(x.ended);
}

TEST_CASE("who finds none is told what was looked for", "[web]") {
  CHECK(none_found({"nobody", ""}) == "None of them is of user nobody.");
  CHECK(none_found({"", "so rt"}) == "None of them has 'so rt' in its name.");
  CHECK(none_found({"ann", "sort"})
        == "None of them is of user ann and has 'sort' in its name.");
}

TEST_CASE("who looks through what has ended stays there", "[web]") {
  auto form = [](const std::string& target) {
    return html(form_of_list("/drivers", parse_list_address(target)));
  };
  CHECK(contains(form("/drivers?state=ended&user=ann"),
                 "<input type=\"hidden\" name=\"state\" value=\"ended\">"));
  CHECK(contains(form("/drivers?state=ended&user=ann"), "value=\"ann\""));
  CHECK_FALSE(contains(form("/drivers"), "hidden"));
}
