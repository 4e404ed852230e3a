// What people fill in to see what has ended.

#include "web/history_form.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr std::int64_t hour_ms = 3'600'000;

RequestHistory asked(const std::string& target) {
  INFO(target);
  auto result
      = history_request(parse_history_form(target), from_ms(9 * hour_ms));
  REQUIRE(result);
  return *result;
}

} // namespace

TEST_CASE("a history is asked for as its form is filled in", "[web]") {
  auto x
      = asked("/history?kind=executors&name=sort&user=ann&company=atlas"
              "&state=failed&since=2h&until=1970-01-01+08:30&after=7%20app-1");
  CHECK(x.kinds == std::vector{HistoryKind::executor});
  CHECK(x.name == "sort");
  CHECK(x.user == "ann");
  CHECK(x.company == "atlas");
  CHECK(x.state == "FAILED");
  CHECK(x.since_ms == 7 * hour_ms);
  // Of UTC, wherever the master is.
  CHECK(x.until_ms == 8 * hour_ms + hour_ms / 2);
  CHECK(x.after == "7 app-1");
  CHECK(asked("/history?id=app-1").app_id == AppId{"app-1"});
  CHECK(asked("/history?id=app-1/0").id == "app-1/0");
}

TEST_CASE("use is asked for by user, company and whole months", "[web]") {
  auto use
      = [](const std::string& target) { return use_request(asked(target)); };
  auto x = use("/history?user=ann&company=atlas&kind=stages&name=sort"
               "&since=2026-10-15&until=2026-12-01");
  CHECK(x.user == "ann");
  CHECK(x.company == "atlas");
  CHECK(x.from == "2026-10");
  // What ended before December ended in November.
  CHECK(x.to == "2026-11");
  CHECK(use("/history?until=2026-12-01+00:01").to == "2026-12");
  CHECK_FALSE(use("/history").from);
  CHECK_FALSE(use("/history").to);
}

TEST_CASE("it is told of what use by month is, and what does not count",
          "[web]") {
  auto notes = [](const std::string& target) {
    return notes_on_use(parse_history_form(target), use_request(asked(target)));
  };
  CHECK(notes("/history").empty());
  CHECK(notes("/history?user=ann&company=atlas&since=2026-10-15"
              "&until=2026-12-01")
        == std::vector<std::string>{"This is all use of user ann of company "
                                    "atlas in whole months from 2026-10 to "
                                    "2026-11."});
  const std::string others = "Sums by month are of users and companies: no "
                             "kind, id, name or state counts here.";
  for (const auto* target : {"/history?kind=stages", "/history?id=app-1",
                             "/history?name=x", "/history?state=failed"})
    CHECK(notes(target) == std::vector{others});
  CHECK(notes("/history?user=ann&name=x")
        == std::vector{std::string{"This is all use of user ann."}, others});
}

TEST_CASE("kinds are those of the command line", "[web]") {
  CHECK(asked("/history").kinds
        == std::vector{HistoryKind::application, HistoryKind::driver});
  CHECK(asked("/history?id=app-1").kinds.empty());
  CHECK(asked("/history?kind=all").kinds.empty());
  CHECK(asked("/history?kind=stage").kinds == std::vector{HistoryKind::stage});
  CHECK(asked("/history?kind=executors,stages").kinds
        == std::vector{HistoryKind::executor, HistoryKind::stage});
}

TEST_CASE("however something may have ended can be asked for", "[web]") {
  for (const auto* state : {"finished", "FAILED", "killed", "error", "exited",
                            "lost", "complete", "skipped", "relaunching"})
    CHECK(asked("/history?kind=all&state=" + std::string{state}).state);
}

TEST_CASE("what a history cannot be asked for is told", "[web]") {
  auto [target, problem] = GENERATE(table<std::string, std::string>(
      {{"/history?kind=foo", "Kind: 'foo' is none of applications, drivers"},
       {"/history?kind=drivers,", "Kind: '' is none of applications, drivers"},
       {"/history?state=running", "State: nothing of these kinds ends as "
                                  "'running'; there are FINISHED, "},
       {"/history?state=exited", "nothing of these kinds ends as 'exited'"},
       {"/history?since=soon", "Since (UTC): 'soon' is no time"},
       {"/history?until=2026", "Until (UTC): '2026' is no time"}}));
  auto result = history_request(parse_history_form(target), from_ms(0));
  REQUIRE_FALSE(result);
  CHECK(contains(result.error().message, problem));
}

TEST_CASE("a history's form offers kinds and ends, and keeps what was typed",
          "[web]") {
  auto page = [](const std::string& target) {
    return html(form_of(parse_history_form(target)));
  };
  auto shown = page("/history?kind=stages&state=FAILED");
  CHECK(contains(shown, "<option value=\"stages\" selected>stages</option>"));
  CHECK(contains(shown, "<option value=\"failed\" selected>failed</option>"));
  CHECK(contains(page("/history"),
                 "<option value=\"\" selected>applications and drivers<"));
  CHECK(contains(page("/history?kind=%22%3E%3Cb"),
                 "<option value=\"&quot;&gt;&lt;b\" selected>"));
}

TEST_CASE("the field that a problem is about is marked", "[web]") {
  auto form = form_of(parse_history_form("/history?since=soon&kind=all"));
  mark_problem(form, "Since (UTC): 'soon' is no time");
  auto shown = html(form);
  auto wrong = shown.find("aria-invalid=\"true\" aria-describedby=\"problem\"");
  REQUIRE(wrong != std::string::npos);
  CHECK(shown.rfind("name=\"since\"", wrong) > shown.rfind("<label>", wrong));
  CHECK(shown.find("aria-invalid", wrong + 1) == std::string::npos);
}

TEST_CASE("each part of a history has an address with what is asked", "[web]") {
  auto x = parse_history_form(
      "/history?kind=stages&name=a+b&since=2h&until=1h&after=7");
  CHECK(href_of_part(x, "9")
        == "/history?after=9&kind=stages&name=a%20b&since=2h&until=1h");
  CHECK(href_of_part(x, "")
        == "/history?kind=stages&name=a%20b&since=2h&until=1h");
  CHECK(href_of_part({}, "") == "/history");
}
