// What the options of `stoker history` ask: tools/stoker/history_question.hpp.

#include "tools/stoker/history_question.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

const Instant asked_at = from_ms(1'795'000'000'000);

RequestHistory asked(const HistoryFilter& x) {
  auto result = history_question(x, asked_at);
  REQUIRE(result);
  return *result;
}

std::string history_refusal(const HistoryFilter& x) {
  auto result = history_question(x, asked_at);
  return result ? "" : result.error().message;
}

std::string use_refusal(const HistoryFilter& x) {
  auto result = use_question(x);
  return result ? "" : result.error().message;
}

HistoryFilter with(std::string HistoryFilter::*member, std::string value) {
  HistoryFilter result;
  result.*member = std::move(value);
  return result;
}

HistoryFilter of_kind(std::vector<std::string> kinds) {
  HistoryFilter result;
  result.kinds = std::move(kinds);
  return result;
}

} // namespace

TEST_CASE("a history is asked for applications and drivers, of an id for all") {
  CHECK(asked({}).kinds
        == std::vector{HistoryKind::application, HistoryKind::driver});
  auto one = asked(with(&HistoryFilter::id, "app-20261126120000-0001"));
  CHECK(one.kinds.empty());
  CHECK(one.app_id == AppId{"app-20261126120000-0001"});
  CHECK_FALSE(one.id);
  CHECK(asked(with(&HistoryFilter::id, "driver-1")).id == "driver-1");
  CHECK(asked(of_kind({"stages"})).kinds == std::vector{HistoryKind::stage});
  CHECK(asked(of_kind({"stages", "all"})).kinds.empty());
}

TEST_CASE("a time of a history is a date or how long ago") {
  CHECK(asked(with(&HistoryFilter::since, "1h")).since_ms
        == to_ms(asked_at) - 3'600'000);
  CHECK(contains(history_refusal(with(&HistoryFilter::until, "soon")),
                 "--until: 'soon' is no time"));
  for (const auto* number : {"2026", "1795783448"})
    CHECK(history_refusal(with(&HistoryFilter::since, number))
          == "--since: '" + std::string{number}
                 + "' is no time: write 2026-11-26, '2026-11-26 14:30', "
                   "2026-11-26T14:30Z for UTC, 'yesterday', or 2h for two "
                   "hours ago");
  CHECK(asked(with(&HistoryFilter::until, "2026-11-26T14:30Z")).until_ms
        == 1'795'703'400'000);
}

TEST_CASE("what would begin after its end is refused") {
  HistoryFilter x;
  x.since = "2026-11-27";
  x.until = "2026-11-26";
  CHECK(contains(history_refusal(x), "--since is after --until"));
  x.since = x.until;
  CHECK(history_refusal(x).empty());
  x.since = "2026-12";
  x.until = "2026-11";
  CHECK(contains(use_refusal(x), "--since is after --until"));
  x.since = "2026-11";
  CHECK(use_refusal(x).empty());
}

TEST_CASE("a state in which nothing ends is refused with those that there "
          "are") {
  CHECK(asked(with(&HistoryFilter::state, "failed")).state == "FAILED");
  CHECK(asked(with(&HistoryFilter::state, "Relaunching")).state
        == "RELAUNCHING");
  CHECK(history_refusal(with(&HistoryFilter::state, "bogus"))
        == "--state: nothing of these kinds ends as 'bogus'; there are "
           "FINISHED, FAILED, KILLED, RELAUNCHING and ERROR");
  CHECK(contains(history_refusal(with(&HistoryFilter::state, "running")),
                 "ends as 'running'"));
  auto executors = of_kind({"executors"});
  executors.state = "finished";
  CHECK(contains(history_refusal(executors),
                 "there are KILLED, FAILED, LOST and EXITED"));
  auto stages = of_kind({"stages"});
  stages.state = "complete";
  CHECK(history_refusal(stages).empty());
}

TEST_CASE("use by month is of whole months, and tells what it cannot tell "
          "apart") {
  HistoryFilter x;
  x.since = "2026-01";
  x.until = "2026-11";
  x.user = "ann";
  auto question = use_question(x);
  REQUIRE(question);
  CHECK(question->from == "2026-01");
  CHECK(question->to == "2026-11");
  CHECK(question->user == "ann");
  CHECK_FALSE(question->company);
  for (const auto* text : {"2h", "2026-13", "2026-11-26", "soonish"})
    CHECK(contains(use_refusal(with(&HistoryFilter::since, text)),
                   "--since: with --monthly it is a month, as 2026-11"));
  CHECK(contains(use_refusal(with(&HistoryFilter::until, "2h")), "--until"));
  CHECK(contains(use_refusal(with(&HistoryFilter::name, "words")),
                 "not with --name"));
  CHECK(contains(use_refusal(with(&HistoryFilter::state, "failed")),
                 "not with --state"));
  x.kinds = {"drivers"};
  x.name = "words";
  x.state = "failed";
  CHECK(contains(use_refusal(x), "not with --kind, --name and --state"));
}

TEST_CASE("what the options exclude is told from what is not in the history") {
  auto x = with(&HistoryFilter::id, "app-1");
  x.user = "nobody";
  CHECK(missing_text(x, true)
        == "app-1 is in the history, but nothing of it is as --user says");
  x.kinds = {"drivers"};
  CHECK(missing_text(x, true)
        == "app-1 is in the history, but nothing of it is as --kind and --user "
           "say");
  CHECK(contains(missing_text(x, false), "app-1 is not in the history"));
}
