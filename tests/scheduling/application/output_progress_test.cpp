// What of their output an application asks for: scheduling/application/output_progress.hpp.

#include <set>
#include <string>

#include "tests/scheduling/application/output_fixture.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

TEST_CASE_METHOD(OutputFixture, "each worker is asked once for all that it has",
                 "[output]") {
  CHECK(ask().empty());
  progress.started(0, w1);
  progress.started(1, w2);
  progress.started(2, w1);
  auto requests = ask();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].worker_id == w1);
  CHECK(requests[0].reader.empty());
  CHECK(requests[0].positions.size() == 4);
  CHECK(requests[0].wait_ms > 0);
  CHECK(requests[1].positions
        == std::vector{part(1, false, 0, "").position,
                       part(1, true, 0, "").position});
  // Until it answers.
  CHECK(ask().empty());
  CHECK(answer({}).empty());
  CHECK(ask_one().worker_id == w1);
}

TEST_CASE_METHOD(OutputFixture, "what has come is not asked for again",
                 "[output]") {
  progress.started(0, w1);
  (void)ask();
  auto news = answer({{part(0, false, 0, "one"), part(0, true, 0, "two!")}});
  REQUIRE(news.size() == 2);
  CHECK(news[0].data == "one");
  CHECK_FALSE(news[0].standard_error);
  CHECK(news[1].data == "two!");
  CHECK(news[1].standard_error);
  CHECK(news[1].dropped == 0);
  auto positions = ask_one().positions;
  CHECK(positions[0].offset == 3);
  CHECK(positions[1].offset == 4);
}

TEST_CASE_METHOD(OutputFixture,
                 "an output is closed at its end, and its worker hears of it",
                 "[output]") {
  progress.started(0, w1);
  progress.started(1, w1);
  (void)ask();
  CHECK(answer({{part(0, false, 0, "x", true)}}).size() == 1);
  CHECK(ask_one().positions.size() == 3);
  auto news = answer({{part(0, true, 0, "", true)}});
  REQUIRE(news.size() == 1);
  CHECK(news[0].closed);
  CHECK_FALSE(news[0].loss);
  auto last = ask_one();
  CHECK(last.taken == std::vector{ExecutorId{app, 0}});
  CHECK(last.positions.size() == 2);
  // Also when the answer to that is lost.
  (void)progress.failed(now, w1, Errc::no_answer, "late");
  now += 1s;
  CHECK(ask_one().taken.size() == 1);
  (void)answer(end_of(1));
  CHECK(ask_one().taken == std::vector{ExecutorId{app, 1}});
  (void)answer({});
  CHECK(ask().empty());
}

TEST_CASE_METHOD(OutputFixture, "bytes that nobody kept are counted",
                 "[output]") {
  progress.started(0, w1);
  (void)ask();
  (void)answer({{part(0, false, 0, "0123456789")}});
  (void)ask();
  auto news = answer({{part(0, false, 25, "x")}});
  REQUIRE(news.size() == 1);
  CHECK(news[0].dropped == 15);
  CHECK(ask_one().positions[0].offset == 26);
}

TEST_CASE_METHOD(OutputFixture,
                 "bytes that a worker could not write are a loss", "[output]") {
  progress.started(0, w1);
  (void)ask();
  auto answered = end_of(0);
  for (auto& x : answered.parts)
    x.lost = 7;
  auto news = answer(answered);
  REQUIRE(news.size() == 1);
  CHECK(news[0].closed);
  CHECK(news[0].loss
        == "stdout: 7 bytes could not be written by its worker; "
           "stderr: 7 bytes could not be written by its worker");
}

TEST_CASE_METHOD(OutputFixture,
                 "a loss is told when the other output shows that the program "
                 "ran",
                 "[output]") {
  progress.started(0, w1);
  (void)progress.ended(0, ExecutorState::FAILED);
  (void)ask();
  auto answered = end_of(0);
  answered.parts.at(0).problem = "3 bytes are gone";
  answered.parts.at(1).data = "some";
  auto news = answer(answered);
  REQUIRE_FALSE(news.empty());
  CHECK(news.back().loss == "3 bytes are gone");
}

TEST_CASE_METHOD(OutputFixture, "the losses of both streams are told",
                 "[output]") {
  progress.started(0, w1);
  (void)progress.ended(0, ExecutorState::EXITED);
  (void)ask();
  auto answered = end_of(0);
  for (auto& x : answered.parts)
    x.data = "some";
  answered.parts.at(0).problem = "3 bytes are gone";
  answered.parts.at(1).problem = "5 bytes are gone";
  auto news = answer(answered);
  REQUIRE_FALSE(news.empty());
  CHECK(news.back().loss
        == "stdout: 3 bytes are gone; stderr: 5 bytes are gone");
}

TEST_CASE_METHOD(OutputFixture,
                 "an end without output is believed when the master knows it",
                 "[output]") {
  progress.started(0, w1);
  auto absent = end_of(0);
  for (auto& x : absent.parts)
    x.problem = "there is no stdout";
  (void)ask();
  CHECK(answer(absent).empty());
  // Not at once again.
  CHECK(ask().empty());
  REQUIRE(progress.due(now));
  now = *progress.due(now);
  (void)ask();
  CHECK(progress.ended(0, ExecutorState::EXITED).empty());
  auto news = answer(absent);
  REQUIRE(news.size() == 1);
  CHECK(news[0].loss
        == "stdout: there is no stdout; stderr: there is no stdout");
}

TEST_CASE_METHOD(OutputFixture, "why a program waits is told once",
                 "[output]") {
  progress.started(0, w1);
  auto waits = part(0, false, 0, "");
  waits.problem = "its output cannot be written: No space left on device";
  (void)ask();
  auto news = answer({{waits}});
  REQUIRE(news.size() == 1);
  CHECK(news[0].problem == waits.problem);
  // Nor again when it could go on in between.
  for (const auto& problem :
       {waits.problem, std::optional<std::string>{}, waits.problem}) {
    now += 1s;
    (void)ask();
    waits.problem = problem;
    CHECK(answer({{waits}}).empty());
  }
}

TEST_CASE_METHOD(OutputFixture, "no more is asked for than there is room for",
                 "[output]") {
  progress.started(0, w1);
  progress.started(1, w2);
  CHECK(ask(1000).empty());
  auto requests = ask(mb);
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].limit + requests[1].limit <= mb);
  (void)answer({});
  CHECK(ask(requests[1].limit).empty());
  CHECK(ask(mb).size() == 1);
}

TEST_CASE_METHOD(OutputFixture,
                 "a worker that cannot be asked is asked again after pauses",
                 "[output]") {
  progress.started(0, w1);
  Duration last{};
  for (int i = 0; i < 20; ++i) {
    REQUIRE(ask().size() == 1);
    CHECK(progress.failed(now, w1, Errc::not_running, "away").empty());
    CHECK(ask().empty());
    auto due = progress.due(now);
    REQUIRE(due);
    CHECK(*due - now >= last);
    last = *due - now;
    now = *due;
  }
  CHECK(last == 2s);
}

TEST_CASE_METHOD(
    OutputFixture,
    "what ended on a worker that is lost is a loss; what ran there "
    "runs elsewhere",
    "[output]") {
  progress.started(0, w1);
  progress.started(1, w1);
  (void)ask();
  (void)progress.ended(0, ExecutorState::EXITED);
  auto news = progress.failed(now, w1, Errc::not_found, "worker w1 is lost");
  REQUIRE(news.size() == 1);
  CHECK(news[0].exec_id == 0);
  CHECK(news[0].loss == "worker w1 is lost");
  news = progress.ended(1, ExecutorState::LOST);
  REQUIRE(news.size() == 1);
  CHECK(news[0].exec_id == 1);
  CHECK(news[0].closed);
  CHECK_FALSE(news[0].loss);
  now += 1h;
  CHECK(ask_one().positions.empty());
}

TEST_CASE_METHOD(
    OutputFixture,
    "an application that is over brings what its executors still write",
    "[output]") {
  progress.started(0, w1);
  progress.started(1, w1);
  progress.ran(1);
  (void)progress.ended(0, ExecutorState::EXITED);
  progress.application_is_over();
  CHECK(ask_one().positions.size() == 4);
  SECTION("to its end, of which only the worker tells") {
    auto news = answer(
        {{part(1, false, 0, "bye\n", true), part(1, true, 0, "", true)}});
    REQUIRE(news.size() == 2);
    CHECK(news[0].data == "bye\n");
    CHECK(news[1].closed);
    CHECK_FALSE(news[1].loss);
  }
  SECTION("and a loss counts, which only the worker tells") {
    auto gone = end_of(1);
    gone.parts[0].problem = "it is gone";
    auto news = answer(gone);
    REQUIRE(news.size() == 1);
    CHECK(news[0].loss == "it is gone");
  }
  SECTION("until its worker is lost") {
    auto news = progress.failed(now, w1, Errc::not_found, "w1 is lost");
    REQUIRE(news.size() == 2);
    CHECK(news[0].loss == "w1 is lost");
    CHECK(news[1].loss == "w1 is lost");
  }
  SECTION("until it does not wait any more") {
    auto news = progress.give_up("no master");
    REQUIRE(news.size() == 2);
    CHECK(news[0].loss == "no master");
    CHECK(news[1].loss == "no master");
    // Late, and harmless.
    CHECK(answer(end_of(0)).empty());
  }
}

TEST_CASE_METHOD(OutputFixture,
                 "an executor has lost nothing when its program has never run",
                 "[output]") {
  progress.started(0, w1);
  progress.application_is_over();
  (void)ask_one();
  auto none = end_of(0);
  none.parts[0].problem = none.parts[1].problem = "there is no stdout";
  auto news = answer(none);
  REQUIRE(news.size() == 1);
  CHECK(news[0].closed);
  CHECK_FALSE(news[0].loss);
}

TEST_CASE_METHOD(OutputFixture, "all executors have their turn", "[output]") {
  for (int i = 0; i < 300; ++i)
    progress.started(i, w1);
  std::set<int> seen;
  for (int i = 0; i < 3; ++i) {
    auto request = ask_one();
    // Others must not wait for those that write nothing.
    CHECK(request.wait_ms == 0);
    for (const auto& x : request.positions)
      seen.insert(x.executor->exec_id);
    (void)answer({});
    now += 1s;
  }
  CHECK(seen.size() == 300);
}

TEST_CASE_METHOD(OutputFixture,
                 "an executor that is found again is read where it was left",
                 "[output]") {
  progress.started(0, w1);
  (void)ask_one();
  (void)answer({{part(0, false, 0, "first ")}});
  (void)ask_one();
  auto lost = progress.ended(0, ExecutorState::LOST);
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].closed);
  CHECK_FALSE(lost[0].loss);
  // What was asked before comes too late.
  CHECK(answer({{part(0, false, 6, "second ")}}).empty());
  CHECK(ask().empty());
  CHECK(progress.found_again(now, 0).empty());
  now += 1s;
  auto request = ask_one();
  REQUIRE(request.positions.size() == 2);
  CHECK(request.positions[0].offset == 6);
  (void)progress.ended(0, ExecutorState::EXITED);
  auto news = answer(
      {{part(0, false, 6, "second", true), part(0, true, 0, "", true)}});
  REQUIRE(news.size() == 2);
  CHECK(news[0].data == "second");
  CHECK(news[1].closed);
}

TEST_CASE_METHOD(OutputFixture,
                 "the worker of an executor that is found again may not have "
                 "registered yet",
                 "[output]") {
  progress.started(0, w1);
  (void)ask_one();
  (void)progress.ended(0, ExecutorState::LOST);
  CHECK(progress.found_again(now, 0).empty());
  (void)progress.ended(0, ExecutorState::EXITED);
  // Asked before it was found again, or just after it.
  for (int i = 0; i < 2; ++i) {
    CHECK(progress.failed(now, w1, Errc::not_found, "w1 is lost").empty());
    now += 5s;
    CHECK(ask_one().positions.size() == 2);
  }
  SECTION("it comes") {
    auto news = answer(end_of(0));
    REQUIRE(news.size() == 1);
    CHECK(news[0].closed);
    CHECK_FALSE(news[0].loss);
  }
  SECTION("it does not come") {
    now += OutputProgress::return_patience;
    auto news = progress.failed(now, w1, Errc::not_found, "w1 is lost");
    REQUIRE(news.size() == 1);
    CHECK(news[0].closed);
    CHECK(news[0].loss == "w1 is lost");
  }
}

TEST_CASE_METHOD(OutputFixture,
                 "an executor that is found again may have been read before",
                 "[output]") {
  progress.started(0, w1);
  (void)ask_one();
  CHECK(answer(end_of(0)).back().closed);
  CHECK(progress.ended(0, ExecutorState::LOST).empty());
  auto news = progress.found_again(now, 0);
  REQUIRE(news.size() == 1);
  CHECK(news[0].closed);
}

TEST_CASE_METHOD(OutputFixture, "what could not be started lacks no output",
                 "[output]") {
  progress.started(0, w1);
  auto state = GENERATE(ExecutorState::FAILED, ExecutorState::EXITED);
  (void)progress.ended(0, state);
  (void)ask_one();
  auto end = end_of(0);
  for (auto& part : end.parts)
    part.problem = "there is no such directory";
  auto news = answer(end);
  REQUIRE(news.size() == 1);
  CHECK(news[0].closed);
  CHECK(news[0].loss.has_value() == (state == ExecutorState::EXITED));
}
