// A page as a whole, and its charts.

#include "pages/page.hpp"

#include <algorithm>

#include "pages/chart.hpp"
#include "pages/confirm.hpp"
#include "pages/embedded.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::pages;
using namespace stoker::test;

TEST_CASE("a page says what it is of, and leads to the others", "[pages]") {
  Page page{"Worker <w1>", {{"facts", "<p>all of it</p>"}}, false};
  Frame frame{"/workers", "stoker://127.0.0.1:7070", RecoveryState::ALIVE};
  auto text = html(page, frame);
  INFO(text);
  CHECK(contains(text, "<title>Worker &lt;w1&gt; - Stoker</title>"));
  CHECK(contains(text, "<section id=\"facts\" aria-label=\"Facts\" data-live>"
                       "<p>all of it</p></section>"));
  CHECK(
      contains(text, "<a href=\"/workers\" aria-current=\"page\">Workers</a>"));
  CHECK(contains(text, "<a href=\"/queues\">Queues</a>"));
  CHECK(contains(text, "state-ALIVE"));
  CHECK_FALSE(contains(text, "chart.min.js"));
  page.has_charts = true;
  CHECK(contains(html(page, frame), "chart.min.js"));
}

TEST_CASE("a page says where the master is, if that is told", "[pages]") {
  Page page{"Workers", {}, false};
  Frame frame{"/workers", "stoker://127.0.0.1:7070", RecoveryState::ALIVE};
  CHECK(contains(html(page, frame), "stoker://127.0.0.1:7070</span>, at <"));
  frame.master_url.clear();
  auto text = html(page, frame);
  CHECK_FALSE(contains(text, "stoker://"));
  CHECK_FALSE(contains(text, ", at <"));
}

TEST_CASE("a page names its reader, who may end his session", "[pages]") {
  Page page{"Workers", {}, false};
  Frame frame{"/workers", "stoker://127.0.0.1:7070", RecoveryState::ALIVE};
  CHECK_FALSE(contains(html(page, frame), "read by"));
  frame.user = "<ann>";
  auto text = html(page, frame);
  CHECK(contains(text, "read by &lt;ann&gt;"));
  CHECK(contains(text, "data-name=\"&lt;ann&gt;\">"));
  CHECK_FALSE(contains(text, "Sign out"));
  frame.has_session = true;
  text = html(page, frame);
  CHECK(contains(text, "data-name=\"&lt;ann&gt;\" data-session>"));
  CHECK(contains(text, "Sign out"));
}

TEST_CASE("a question is answered by a form with its token", "[pages]") {
  auto text = html(Confirmation{"/drivers/d\"1/kill", "t0", "Is <it> meant?",
                                "Kill", "/drivers/d1", "Go back"});
  INFO(text);
  CHECK(contains(text, "<form method=\"post\" action=\"/drivers/d"));
  CHECK_FALSE(contains(text, "d\"1"));
  CHECK(contains(text, "name=\"token\" value=\"t0\""));
  CHECK(contains(text, "Is &lt;it&gt; meant?"));
  CHECK(contains(text, "href=\"/drivers/d1\">Go back</a>"));
  CHECK(contains(order_html("Kill", "/drivers/d1/kill"),
                 "href=\"/drivers/d1/kill\">Kill</a>"));
}

TEST_CASE("pages load nothing from anywhere else", "[pages]") {
  for (const auto& x : embedded_templates()) {
    INFO(x.name);
    CHECK(x.content.find("//") == std::string_view::npos);
    CHECK(x.content.find("style=") == std::string_view::npos);
    CHECK(x.content.find("onclick") == std::string_view::npos);
  }
  for (const auto* name : {"bootstrap.min.css", "chart.min.js", "charts.js",
                           "output.js", "stoker.css", "stoker.js"}) {
    INFO(name);
    CHECK(std::ranges::any_of(embedded_assets(), [&](const EmbeddedFile& x) {
      return x.name == name && x.content.size() > 100;
    }));
  }
}

TEST_CASE("how many there were follows from when each came and went",
          "[pages]") {
  auto line = count_over_time("executors", {{10, 30}, {20, {}}, {20, 25}}, 5,
                              {}, 100);
  using Points = std::vector<std::pair<std::int64_t, double>>;
  CHECK(line.points == Points{{5, 0}, {10, 1}, {20, 3}, {25, 2}, {30, 1}});
  CHECK(line.goes_on);
  line = count_over_time("executors", {{10, 30}}, 10, 40, 100);
  CHECK(line.points == Points{{10, 1}, {30, 0}, {40, 0}});
  CHECK_FALSE(line.goes_on);
}

TEST_CASE("where there never was one, there are none from the first moment on",
          "[pages]") {
  using Points = std::vector<std::pair<std::int64_t, double>>;
  auto line = count_over_time("executors", {}, 5, {}, 100);
  CHECK(line.points == Points{{5, 0}});
  CHECK(line.goes_on);
  CHECK(count_over_time("executors", {}, 5, 9, 100).points
        == Points{{5, 0}, {9, 0}});
}

TEST_CASE("a line of many points is thinned, and keeps both ends", "[pages]") {
  std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> spans;
  for (int i = 0; i < 1000; ++i)
    spans.emplace_back(i, std::nullopt);
  auto points = count_over_time("executors", spans, 0, {}, 50).points;
  REQUIRE(points.size() == 50);
  CHECK(points.front().first == 0);
  CHECK(points.back() == std::pair<std::int64_t, double>{999, 1000});
}

TEST_CASE("the values of a chart are told without it", "[pages]") {
  Chart chart{"Cores", "Cores over time", "", {}};
  for (const auto* name : {"acme", "globex"}) {
    auto& line = chart.lines.emplace_back();
    line.name = name;
    for (int i = 0; i < 50; ++i)
      line.points.emplace_back(i * 1000, name == std::string{"acme"} ? i : 7);
  }
  auto text = html(chart);
  CHECK(contains(text, "<details><summary>Values</summary>"));
  CHECK(contains(text, ">acme</th>"));
  CHECK(contains(text, ">globex</th>"));
  CHECK(contains(text, "<time datetime=\"1970-01-01T00:00:00Z\">"));
  // The last one always.
  CHECK(contains(text, "<time datetime=\"1970-01-01T00:00:49Z\">"));
  CHECK(contains(text, ">49</td>"));
  CHECK(contains(text, ">7</td>"));
  std::size_t rows = 0;
  for (auto i = text.find("<tr role=\"row\" data-key"); i != std::string::npos;
       i = text.find("<tr role=\"row\" data-key", i + 1))
    ++rows;
  CHECK(rows == 14);
}

TEST_CASE("what a chart shows is no markup", "[pages]") {
  ChartLine line;
  line.name = "'\"><script>";
  line.points = {{1, 2}};
  auto text = html(
      Chart{"Shares", "Shares over time", "It leaves <one> out.", {line}});
  CHECK_FALSE(contains(text, "<script>"));
  CHECK(contains(text, "&quot;points&quot;:[[1,2E0]]"));
  CHECK(
      contains(text, "<p class=\"chart-note\">It leaves &lt;one&gt; out.</p>"));
}
