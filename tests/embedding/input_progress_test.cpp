// What is written to the executors of an application: embedding/input_progress.hpp.

#include "embedding/input_progress.hpp"

#include <string>
#include <utility>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

const WorkerId on_w1{"w1"};

using Ready = std::vector<std::pair<int, std::int64_t>>;

struct InputProgressFixture {
  InputProgress progress;
  Instant now{};

  InputProgressFixture() {
    progress.is_application(AppId{"app-1"});
  }

  WriteInput write(int exec_id, std::string data, bool end = false) {
    auto x = progress.write(exec_id, InputPart{std::move(data), end, false});
    REQUIRE(x);
    return *x;
  }

  void taken(int exec_id, std::int64_t bytes, bool closed = false) {
    CHECK_FALSE(progress.answered(exec_id, InputResponse{bytes, closed, {}}));
  }
};

} // namespace

TEST_CASE_METHOD(InputProgressFixture,
                 "each executor goes on from what it has taken", "[input]") {
  progress.started(0, on_w1);
  progress.started(3, on_w1);
  CHECK(progress.ready(now) == Ready{{0, 0}, {3, 0}});
  CHECK(
      write(3, "abcdef")
      == WriteInput{on_w1, ExecutorId{AppId{"app-1"}, 3}, 0, "abcdef", false});
  // One request at a time.
  CHECK(progress.ready(now) == Ready{{0, 0}});
  taken(3, 4);
  CHECK(progress.ready(now) == Ready{{0, 0}, {3, 4}});
  CHECK(write(3, "ef", true).end);
  taken(3, 6, true);
  CHECK(progress.ready(now) == Ready{{0, 0}});
}

TEST_CASE_METHOD(InputProgressFixture,
                 "the input is read for the fastest, while anybody reads",
                 "[input]") {
  CHECK_FALSE(progress.needed());
  progress.started(0, on_w1);
  progress.started(1, on_w1);
  CHECK(progress.needed() == 2 * 65'536);
  write(1, std::string(1000, 'x'));
  taken(1, 1000);
  CHECK(progress.needed() == 1000 + 2 * 65'536);
  // The fastest reads no more.
  write(1, "y");
  taken(1, 1000, true);
  CHECK(progress.needed() == 2 * 65'536);
  progress.ended(0);
  CHECK_FALSE(progress.needed());
}

TEST_CASE_METHOD(InputProgressFixture,
                 "who has read all there is waits for more", "[input]") {
  progress.started(0, on_w1);
  CHECK_FALSE(progress.write(0, InputPart{{}, false, true}));
  CHECK(progress.ready(now).empty());
  CHECK(progress.needed());
  progress.arrived();
  CHECK(progress.ready(now) == Ready{{0, 0}});
  CHECK_FALSE(progress.write(0, InputPart{{}, false, true}));
  progress.ended(0);
  progress.arrived();
  CHECK(progress.ready(now).empty());
}

TEST_CASE_METHOD(InputProgressFixture,
                 "what failed is said again, after pauses", "[input]") {
  progress.started(0, on_w1);
  std::vector<std::int64_t> pauses;
  for (int i = 0; i < 7; ++i) {
    write(0, "abc");
    CHECK_FALSE(progress.failed(now, 0, Errc::no_answer, "why"));
    CHECK(progress.ready(now).empty());
    auto due = progress.due(now);
    REQUIRE(due);
    pauses.push_back((*due - now).count());
    now = *due;
    CHECK(progress.ready(now) == Ready{{0, 0}});
    CHECK_FALSE(progress.due(now));
  }
  CHECK(pauses
        == std::vector<std::int64_t>{100, 200, 400, 800, 1600, 2000, 2000});
  write(0, "abc");
  taken(0, 3);
  CHECK(progress.ready(now) == Ready{{0, 3}});
  write(0, "d");
  CHECK_FALSE(progress.failed(now, 0, Errc::no_answer, "why"));
  CHECK(progress.due(now) == now + 100ms);
}

TEST_CASE_METHOD(InputProgressFixture,
                 "an executor that was lost goes on when it is found again",
                 "[input]") {
  progress.started(0, on_w1);
  write(0, "abc");
  taken(0, 3);
  write(0, "def");
  progress.lost(0);
  CHECK(progress.ready(now).empty());
  // Too late.
  taken(0, 6);
  CHECK(progress.ready(now).empty());
  // Its successor reads all.
  progress.started(1, on_w1);
  CHECK(progress.ready(now) == Ready{{1, 0}});
  progress.found_again(0);
  CHECK(progress.ready(now) == Ready{{0, 3}, {1, 0}});
  // The supervisor knows better.
  write(0, "def");
  taken(0, 6);
  CHECK(progress.ready(now) == Ready{{0, 6}, {1, 0}});
  // One that was closed stays so.
  write(0, "", true);
  taken(0, 6, true);
  progress.lost(0);
  progress.found_again(0);
  CHECK(progress.ready(now) == Ready{{1, 0}});
}

TEST_CASE_METHOD(InputProgressFixture,
                 "what can never be written is told, and not tried again",
                 "[input]") {
  progress.started(0, on_w1);
  progress.started(1, on_w1);
  write(0, "abc");
  CHECK(progress.answered(0, InputResponse{0, false, "the input has a gap"})
        == "the input has a gap");
  write(1, "abc");
  CHECK(progress.failed(now, 1, Errc::not_allowed, "it is ann's")
        == "it is ann's");
  CHECK(progress.ready(now).empty());
  CHECK_FALSE(progress.due(now));
}

TEST_CASE_METHOD(InputProgressFixture,
                 "many executors together hold little of the input",
                 "[input]") {
  for (int i = 0; i < 1000; ++i)
    progress.started(i, on_w1);
  CHECK(progress.piece_bytes() * 1000 <= 16 * 1024 * 1024);
  for (int i = 1000; i < 10'000; ++i)
    progress.started(i, on_w1);
  CHECK(progress.piece_bytes() == 4096);
  for (int i = 1; i < 10'000; ++i)
    progress.ended(i);
  CHECK(progress.piece_bytes() == 65'536);
}
