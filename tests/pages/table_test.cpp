// Tables as HTML: nothing that is filled in becomes a tag.

#include "pages/table.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::pages;
using namespace stoker::test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (auto i = text.find(part); i != std::string::npos;
       i = text.find(part, i + 1))
    ++result;
  return result;
}

Table names(const std::string& name) {
  Table result;
  result.title = name;
  result.head = {"Worker", "Name"};
  result.rows = {{name, {link_to(WorkerId{name}), text(name)}}};
  return result;
}

} // namespace

TEST_CASE("a name is no tag, no script and no attribute", "[pages]") {
  const std::string name = "\"><script>alert('x')</script>&amp;";
  auto page = html(names(name));
  INFO(page);
  CHECK_FALSE(contains(page, "<script"));
  CHECK(count(page, "&lt;script&gt;") >= 4);
  CHECK(contains(page, "&amp;amp;"));
}

TEST_CASE("an address that a name makes stays on this server", "[pages]") {
  auto page = html(names("javascript:alert(1)"));
  CHECK(contains(page, "href=\"/workers/javascript%3Aalert%281%29\""));
}

TEST_CASE("what is no UTF-8 is shown as far as it is", "[pages]") {
  CHECK(contains(html(names("a\xff"
                            "b")),
                 "a\xef\xbf\xbd"
                 "b"));
}

TEST_CASE("a table without rows says so", "[pages]") {
  Table x;
  x.head = {"Worker"};
  x.empty = "There is none.";
  auto page = html(x);
  CHECK(contains(page, "There is none."));
  CHECK_FALSE(contains(page, "<table"));
}

TEST_CASE("a table without rows leads to all of which they would be some",
          "[pages]") {
  Table x;
  x.head = {"Worker"};
  x.empty = "None is found.";
  CHECK_FALSE(contains(html(x), "See all"));
  x.href_of_all = "/workers";
  CHECK(
      contains(html(x), "None is found. <a href=\"/workers\">See all</a></p>"));
}

TEST_CASE("a column in which nothing stands is left out", "[pages]") {
  Table x;
  x.head = {"Worker", "Problem", "Cores"};
  x.rows = {{"1", {text("w1"), text(""), number(std::int64_t{1})}},
            {"2", {text("w2"), text(""), number(std::int64_t{2})}}};
  auto page = html(x);
  CHECK_FALSE(contains(page, "Problem"));
  CHECK(count(page, "<td") == 4);
  x.rows.back().cells[1] = text("broken");
  page = html(x);
  CHECK(contains(page, "Problem"));
  CHECK(count(page, "<td") == 6);
}

TEST_CASE("a table says how wide it is", "[pages]") {
  auto with = [](std::size_t columns) {
    Table x;
    x.head.assign(columns, "Name");
    x.rows = {{"1", std::vector<Cell>(columns, text("two words"))}};
    return html(x);
  };
  CHECK_FALSE(contains(with(3), " wide"));
  CHECK(contains(with(4), "align-middle wide\""));
  CHECK(contains(with(9), "align-middle wide\""));
  CHECK(contains(with(10), "align-middle wide very-wide\""));
  CHECK(count(with(4), "class=\"words\"") == 4);
}

TEST_CASE("a long list leads to its other pages", "[pages]") {
  auto x = names("w1");
  x.paging = {2, 250, "/workers?page="};
  auto page = html(x);
  CHECK(contains(page, "page 2 of 3, 250 in all"));
  CHECK(contains(page, "href=\"/workers?page=1\""));
  CHECK(contains(page, "href=\"/workers?page=3\""));
  x.paging.page = 3;
  page = html(x);
  CHECK(contains(page, "rel=\"prev\""));
  CHECK_FALSE(contains(page, "rel=\"next\""));
  x.paging = {1, 100, "/workers?page="};
  CHECK_FALSE(contains(html(x), "page 1"));
}

TEST_CASE("a list that nobody counts leads on and back to its first rows",
          "[pages]") {
  auto x = names("w1");
  CHECK_FALSE(contains(html(x), "More rows"));
  x.next = "/history?after=2";
  CHECK(contains(html(x), "href=\"/history?after=2\">After</a>"));
  CHECK_FALSE(contains(html(x), ">First</a>"));
  x.first = "/history";
  CHECK(contains(html(x), "href=\"/history\">First</a>"));
  // Also from the last one.
  x.next.clear();
  CHECK(contains(html(x), ">First</a>"));
  CHECK_FALSE(contains(html(x), "<li class=\"text-secondary\">"));
}

TEST_CASE("the beginning of a list says how many there are, and where",
          "[pages]") {
  auto x = names("w1");
  x.whole = {1, "/workers"};
  CHECK_FALSE(contains(html(x), "See all"));
  x.whole->rows = 1504;
  CHECK(contains(html(x), "<p>1 of 1504 are shown here. <a "
                          "href=\"/workers\">See all 1504</a></p>"));
}

TEST_CASE("a fact that may need many lines is marked", "[pages]") {
  auto with = [](const std::string& name) {
    return html(std::vector<Fact>{{"Name", text(name)}});
  };
  CHECK(contains(with(std::string(2000, 'a')), "<dd class=\"long\">aaa"));
  CHECK(contains(with("sort"), "<dd>sort</dd>"));
}

TEST_CASE("each kind of cell has a form of its own", "[pages]") {
  auto page = html(std::vector<Fact>{{"State", pages::state("RUNNING")},
                                     {"Since", elapsed(5, std::nullopt, 5)},
                                     {"At", pages::time(std::int64_t{0})},
                                     {"Cores", use(1, 2)}});
  CHECK(contains(page, "class=\"badge state-RUNNING\""));
  CHECK(contains(page, "data-since=\"5\">0 s<"));
  CHECK(contains(page, "<time datetime=\"1970-01-01T00:00:00Z\">"));
  CHECK(contains(page, "max=\"2\" value=\"1\""));
  CHECK(contains(page, "1 of 2"));
}
