// Output that is not read any more: workers that come back are told.

#include <set>
#include <string>
#include <vector>

#include "tests/scheduling/application/output_fixture.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

TEST_CASE_METHOD(OutputFixture,
                 "a worker that returns hears which executors are not read",
                 "[output]") {
  progress.started(0, w1);
  (void)ask_one();
  // The master tells that it was lost, or its output is given up: it had ended.
  auto state = GENERATE(ExecutorState::LOST, ExecutorState::EXITED);
  (void)progress.ended(0, state);
  (void)progress.failed(now, w1, Errc::not_found, "w1 is lost");
  // It is asked seldom if there is nothing to read.
  CHECK(ask().empty());
  now += OutputProgress::wait;
  CHECK(ask_one().taken.empty());
  CHECK(answer({}).empty());
  CHECK(progress.due(now) == now + OutputProgress::wait);
  // Its master may find them again for so long.
  now += OutputProgress::unread_after - 1ms;
  CHECK(ask_one().taken.empty());
  CHECK(answer({}).empty());
  // What is new there does not wait for that.
  progress.started(1, w1);
  CHECK(ask_one().taken.empty());
  CHECK(answer({}).empty());
  now += 1ms;
  const std::vector<ExecutorId> unread{{app, 0}};
  // It may not have ended the executor when it hears this first.
  for (int i = 0; i < 2; ++i) {
    CHECK(ask_one().taken == unread);
    CHECK(answer({}).empty());
  }
  SECTION("until all have ended") {
    now += OutputProgress::unread_for;
    CHECK(ask_one().taken == unread);
    CHECK(answer({}).empty());
    CHECK(ask_one().taken.empty());
  }
  SECTION("until it is lost again") {
    CHECK(ask_one().taken == unread);
    (void)progress.failed(now, w1, Errc::not_found, "w1 is lost");
    now += OutputProgress::wait;
    CHECK(ask_one().taken.empty());
    CHECK(answer({}).empty());
    // What it was told before does not count.
    now += OutputProgress::unread_for;
    for (int i = 0; i < 2; ++i) {
      CHECK(ask_one().taken == unread);
      CHECK(answer({}).empty());
    }
  }
  SECTION("until they are found again") {
    (void)progress.found_again(now, 0);
    CHECK(ask_one().taken.empty() == (state == ExecutorState::LOST));
  }
  SECTION("until the application is over") {
    progress.application_is_over();
    CHECK(ask_one().taken.empty());
  }
}

TEST_CASE_METHOD(OutputFixture,
                 "a worker hears what is not read when an answer comes late",
                 "[output]") {
  progress.started(0, w1);
  (void)ask_one();
  (void)progress.ended(0, ExecutorState::LOST);
  (void)progress.failed(now, w1, Errc::not_found, "w1 is lost");
  now += OutputProgress::wait;
  CHECK(ask_one().taken.empty());
  // The application stood still, and has named nothing yet.
  now += 1h;
  CHECK(answer({}).empty());
  now += 1h;
  CHECK(ask_one().taken.size() == 1);
}

TEST_CASE_METHOD(
    OutputFixture,
    "a returned worker hears of complete output it has not heard of",
    "[output]") {
  progress.started(0, w1);
  (void)ask_one();
  (void)progress.ended(0, ExecutorState::EXITED);
  CHECK(answer(end_of(0)).size() == 1);
  CHECK(ask_one().taken.size() == 1);
  (void)progress.failed(now, w1, Errc::not_found, "w1 is lost");
  now += OutputProgress::wait;
  CHECK(ask_one().taken.empty());
  CHECK(answer({}).empty());
  now += OutputProgress::unread_after;
  CHECK(ask_one().taken.size() == 1);
}

TEST_CASE_METHOD(OutputFixture, "all executors that are not read are named",
                 "[output]") {
  constexpr int executors = 300;
  for (int i = 0; i < executors; ++i)
    progress.started(i, w1);
  (void)ask_one();
  for (int i = 0; i < executors; ++i)
    (void)progress.ended(i, ExecutorState::LOST);
  (void)progress.failed(now, w1, Errc::not_found, "w1 is lost");
  now += OutputProgress::wait;
  (void)ask_one();
  CHECK(answer({}).empty());
  std::set<int> named;
  for (int i = 0; i < 3; ++i) {
    now += OutputProgress::unread_after;
    for (const auto& x : ask_one().taken)
      named.insert(x.exec_id);
    CHECK(answer({}).empty());
  }
  CHECK(named.size() == executors);
}

TEST_CASE_METHOD(
    OutputFixture,
    "workers that never return are asked ever less, and take no room",
    "[output]") {
  constexpr int workers = 300;
  for (int i = 0; i < workers; ++i)
    progress.started(i, WorkerId{"gone-" + std::to_string(i)});
  progress.started(workers, w1);
  (void)ask(100 * mb);
  auto lose_all = [&] {
    for (int i = 0; i < workers; ++i)
      (void)progress.failed(now, WorkerId{"gone-" + std::to_string(i)},
                            Errc::not_found, "it is lost");
  };
  for (int i = 0; i < workers; ++i)
    (void)progress.ended(i, ExecutorState::LOST);
  lose_all();
  CHECK(answer({}).empty());
  auto asked = 0;
  auto end = now + 1h;
  while (now < end) {
    // As much as is asked for at most, whatever the others are asked.
    auto requests = ask(mb);
    for (const auto& x : requests)
      CHECK(x.limit == (x.worker_id == w1 ? mb : 0));
    asked += static_cast<int>(requests.size()) > 1 ? 1 : 0;
    if (requests.size() > 1)
      lose_all();
    CHECK(answer({}).empty());
    now += 10s;
  }
  CHECK(asked < 20);
  progress.application_is_over();
  lose_all();
  now += 1h;
  CHECK(ask().size() == 1);
}
