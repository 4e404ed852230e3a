// The INPUT of a worker, between those who write and programs that are played by the test.

#include "actors/input.hpp"

#include <string>
#include <utility>
#include <vector>

#include "actors/defaults.hpp"
#include "messages/errc.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

struct InputFixture : DeterministicSystem {
  struct Written {
    WriteInput what;
    process::Monitor::InputListener taken;
  };
  std::shared_ptr<std::vector<Written>> written
      = std::make_shared<std::vector<Written>>();
  InputActor input = spawn(
      stoker::input,
      WriteToProgram{[x = written](const WriteInput& what,
                                   process::Monitor::InputListener taken) {
        x->push_back({what, std::move(taken)});
      }});

  static WriteInput piece(std::int64_t offset, std::string data) {
    return {WorkerId{"w1"}, ExecutorId{AppId{"app-1"}, 0}, offset,
            std::move(data), false};
  }

  void tell(std::size_t i, const std::optional<process::InputTaken>& x) {
    written->at(i).taken(x);
    scheduler.run();
  }
};

} // namespace

TEST_CASE_METHOD(InputFixture, "input is answered when its program takes it",
                 "[input]") {
  auto first = request<InputResponse>(input, piece(0, "abc"));
  auto second = request<InputResponse>(input, piece(7, "x"));
  REQUIRE(written->size() == 2);
  CHECK(written->at(0).what == piece(0, "abc"));
  advance(9s);
  CHECK_FALSE(first.answered());
  tell(1, process::InputTaken{8, true, {}});
  CHECK(second.answer() == InputResponse{8, true, {}});
  CHECK_FALSE(first.answered());
  tell(0, process::InputTaken{2, false, "no"});
  CHECK(first.answer() == InputResponse{2, false, "no"});
}

TEST_CASE_METHOD(InputFixture,
                 "input that is not taken is answered all the same",
                 "[input]") {
  auto first = request<InputResponse>(input, piece(5, "abc"));
  advance(4s);
  auto second = request<InputResponse>(input, piece(6, "abc"));
  advance(5900ms);
  CHECK_FALSE(first.answered());
  advance(200ms);
  CHECK(first.answer() == InputResponse{5, false, {}});
  CHECK_FALSE(second.answered());
  advance(4s);
  CHECK(second.answer() == InputResponse{6, false, {}});
  // What is said later is said to nobody.
  tell(0, process::InputTaken{8, false, {}});
  CHECK(pending_timers() == 0);
}

TEST_CASE_METHOD(InputFixture, "nobody reads input where no program runs",
                 "[input]") {
  auto pending = request<InputResponse>(input, piece(0, "abc"));
  tell(0, std::nullopt);
  REQUIRE(pending.answered());
  CHECK(pending.answer().error() == Errc::not_running);
}

TEST_CASE_METHOD(InputFixture, "what cannot be a piece of input is refused",
                 "[input]") {
  for (const auto& x : {piece(-1, "x"), piece(0, std::string(65'537, 'x'))}) {
    auto answer = ask<InputResponse>(input, x);
    REQUIRE(answer);
    CHECK(answer->problem == "this is not a piece of input");
  }
  CHECK(written->empty());
}
