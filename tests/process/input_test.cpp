// What a monitor writes to the standard input of real programs.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "process/process_tree.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/noise.hpp"

using namespace stoker::process;
using namespace stoker::process::test;
using stoker::test::noise;

namespace {

using Taken = std::optional<InputTaken>;

LaunchSpec reader(const std::string& directory, const std::string& script) {
  auto spec = spec_for(directory, {});
  spec.arguments = {"/bin/sh", "-c", script};
  spec.input = true;
  return spec;
}

/// Says a piece of input; the answer comes when it comes.
std::shared_future<Taken> say(Watch& watch, std::int64_t offset,
                              std::string_view data, bool end = false) {
  auto promise = std::make_shared<std::promise<Taken>>();
  watch.monitor().write_input(
      "program", offset, std::string{data}, end,
      [promise](const Taken& x) { promise->set_value(x); });
  return promise->get_future().share();
}

/// Waits for the answer.
Taken result_of(const std::shared_future<Taken>& x) {
  REQUIRE(x.wait_for(patience) == std::future_status::ready);
  return x.get();
}

Taken write(Watch& watch, std::int64_t offset, std::string_view data,
            bool end = false) {
  return result_of(say(watch, offset, data, end));
}

bool is_open(const std::shared_future<Taken>& x) {
  return x.wait_for(0ms) != std::future_status::ready;
}

InputTaken took(std::int64_t bytes) {
  return {bytes, false, {}};
}

/// Says all, piece by piece, as far as each was taken. Returns how far it is in the end.
InputTaken write_all(Watch& watch, std::string_view data) {
  InputTaken last;
  while (!last.closed) {
    auto offset = static_cast<std::size_t>(last.taken);
    auto piece = data.substr(offset, 65'536);
    auto taken
        = write(watch, last.taken, piece, offset + piece.size() == data.size());
    REQUIRE(taken);
    REQUIRE_FALSE(taken->problem);
    last = *taken;
  }
  return last;
}

std::string contents(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// What a process holds of memory that is its own, in KB.
long private_kb(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/smaps_rollup"};
  long result = 0;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("Private_"))
      result += std::stol(line.substr(line.find(':') + 1));
  return result;
}

void start(Watch& watch, const LaunchSpec& spec) {
  REQUIRE(watch.monitor().start("program", spec));
}

} // namespace

TEST_CASE("a program reads what is written, and then its end") {
  TemporaryDirectory directory;
  Watch watch;
  start(watch, reader(directory.path("x"), "cat; echo end"));
  CHECK(write(watch, 0, "one\n") == took(4));
  CHECK(write(watch, 4, "two\n") == took(8));
  CHECK(write(watch, 8, "", true) == InputTaken{8, true, {}});
  REQUIRE(watch.await<Ended>("program"));
  CHECK(output_of(directory.path("x")) == "one\ntwo\nend\n");
}

TEST_CASE("input that is empty ends at once") {
  TemporaryDirectory directory;
  Watch watch;
  start(watch, reader(directory.path("x"), "wc -c"));
  CHECK(write(watch, 0, "", true) == InputTaken{0, true, {}});
  REQUIRE(watch.await<Ended>("program"));
  CHECK(output_of(directory.path("x")) == "0\n");
}

TEST_CASE("what was taken is not written again, whoever says it") {
  TemporaryDirectory directory;
  Watch watch;
  // It lives on, so that whoever asks again is answered.
  start(watch, reader(directory.path("x"),
                      "cat; while [ ! -e over ]; do sleep 0.01; done"));
  auto end = [&] { std::ofstream{directory.path("x/over")}; };
  CHECK(write(watch, 0, "abc") == took(3));
  CHECK(write(watch, 0, "abc") == took(3));
  // Partly new.
  CHECK(write(watch, 1, "bcde") == took(5));
  CHECK(write(watch, 0, "ab") == took(5));
  // How far is it?
  CHECK(write(watch, 5, "") == took(5));
  SECTION("another monitor, after the end of the first") {
    watch.forget();
    Watch next;
    REQUIRE(next.monitor().adopt("program", directory.path("x")));
    CHECK(write(next, 0, "abcdefg") == took(7));
    CHECK(write(next, 5, "fg", true) == InputTaken{7, true, {}});
    end();
    REQUIRE(next.await<Ended>("program"));
  }
  SECTION("the same") {
    CHECK(write(watch, 5, "fg", true) == InputTaken{7, true, {}});
    CHECK(write(watch, 5, "fg", true) == InputTaken{7, true, {}});
    end();
    REQUIRE(watch.await<Ended>("program"));
  }
  CHECK(output_of(directory.path("x")) == "abcdefg");
}

TEST_CASE("input with a gap, or behind its end, is refused") {
  TemporaryDirectory directory;
  Watch watch;
  // Nothing is read, so the pipe stays open.
  start(watch, reader(directory.path("x"), "sleep 1000"));
  CHECK(write(watch, 0, "abc") == took(3));
  CHECK(write(watch, 4, "e") == InputTaken{3, false, "the input has a gap"});
  CHECK(write(watch, 0, "a", true)
        == InputTaken{3, false, "the input ends before what it had"});
  // The pipe is full, so that the end stays to be told.
  std::string much(65'536, 'x');
  CHECK(write(watch, 3, much, true) == took(3 + 65'536));
  CHECK(write(watch, 3 + 65'536, "y")
        == InputTaken{3 + 65'536, false, "the input goes on behind its end"});
  CHECK(is_open(say(watch, 3 + 65'536, "", true)));
}

TEST_CASE("a program that reads no more closes its input") {
  TemporaryDirectory directory;
  Watch watch;
  start(watch, reader(directory.path("x"),
                      "head -c 2; exec <&-; touch closed; sleep 1000"));
  CHECK(write(watch, 0, "ab") == took(2));
  REQUIRE(eventually(
      [&] { return std::filesystem::exists(directory.path("x/closed")); }));
  auto next = write(watch, 2, "cd");
  REQUIRE(next);
  CHECK(next->closed);
  CHECK_FALSE(next->problem);
  // The program goes on.
  CHECK(watch.reports("program").size() == 1);
}

TEST_CASE("input that waits is answered when the program reads no more") {
  TemporaryDirectory directory;
  Watch watch;
  start(watch,
        reader(directory.path("x"), "while [ ! -e go ]; do sleep 0.01; done; "
                                    "exec <&-; sleep 1000"));
  std::string much(65'536, 'x');
  // The pipe, and what the supervisor keeps.
  CHECK(write(watch, 0, much) == took(65'536));
  CHECK(write(watch, 65'536, much) == took(2 * 65'536));
  auto waiting = say(watch, 2 * 65'536, much);
  CHECK(is_open(waiting));
  SECTION("by itself") {
    std::ofstream{directory.path("x/go")} << "";
    auto taken = result_of(waiting);
    REQUIRE(taken);
    CHECK(taken->closed);
  }
  SECTION("because it is ended") {
    watch.monitor().end("program");
    auto taken = result_of(waiting);
    CHECK((!taken || taken->closed));
  }
  SECTION("with its supervisor") {
    ::kill(state_in(directory.path("x")).supervisor.pid, SIGKILL);
    CHECK_FALSE(result_of(waiting));
    REQUIRE(watch.await<SupervisorLost>("program"));
  }
  SECTION("or gives way to what is said later") {
    auto later = say(watch, 2 * 65'536, "y");
    CHECK(result_of(waiting) == took(2 * 65'536));
    CHECK(is_open(later));
    std::ofstream{directory.path("x/go")} << "";
    auto taken = result_of(later);
    REQUIRE(taken);
    CHECK(taken->closed);
  }
}

TEST_CASE(
    "what waits for room is taken once there is some, by who comes later too") {
  TemporaryDirectory directory;
  Watch watch;
  start(watch, reader(directory.path("x"),
                      "while [ ! -e go ]; do sleep 0.01; done; cat > all"));
  auto data = noise(3 * 65'536);
  std::string_view all{data};
  CHECK(write(watch, 0, all.substr(0, 65'536)) == took(65'536));
  CHECK(write(watch, 65'536, all.substr(65'536, 65'536)) == took(2 * 65'536));
  auto waiting = say(watch, 2 * 65'536, all.substr(2 * 65'536));
  SECTION("the same monitor") {
    std::ofstream{directory.path("x/go")} << "";
    CHECK(result_of(waiting) == took(3 * 65'536));
    CHECK(write(watch, 3 * 65'536, "", true)
          == InputTaken{3 * 65'536, true, {}});
    REQUIRE(watch.await<Ended>("program"));
  }
  SECTION("another monitor") {
    watch.forget();
    Watch next;
    REQUIRE(next.monitor().adopt("program", directory.path("x")));
    auto last = say(next, 2 * 65'536, all.substr(2 * 65'536), true);
    CHECK(is_open(last));
    std::ofstream{directory.path("x/go")} << "";
    auto taken = result_of(last);
    REQUIRE(taken);
    CHECK(taken->taken == 3 * 65'536);
    REQUIRE(next.await<Ended>("program"));
  }
  CHECK(contents(directory.path("x/all")) == data);
}

TEST_CASE("bytes of all values pass whole, in pieces of any size") {
  TemporaryDirectory directory;
  Watch watch;
  start(watch, reader(directory.path("x"), "cat > all"));
  auto data = noise(1'000'000) + std::string(1000, '\0') + "\n\n{\n";
  InputTaken last;
  for (std::size_t offset = 0, size = 1; !last.closed;
       size = size * 3 % 65'537) {
    auto piece = std::string_view{data}.substr(offset, size);
    auto taken = write(watch, static_cast<std::int64_t>(offset), piece,
                       offset + piece.size() == data.size());
    REQUIRE(taken);
    REQUIRE_FALSE(taken->problem);
    last = *taken;
    offset = static_cast<std::size_t>(last.taken);
  }
  REQUIRE(watch.await<Ended>("program"));
  CHECK(contents(directory.path("x/all")) == data);
}

TEST_CASE("a slow reader gets all, and its supervisor keeps little of it") {
  TemporaryDirectory directory;
  Watch watch;
  start(watch, reader(directory.path("x"),
                      "while head -c 1000000 > part && [ -s part ]; do "
                      "cat part >> all; sleep 0.01; done"));
  auto data = noise(10'000'000);
  CHECK(write(watch, 0, std::string_view{data}.substr(0, 65'536))
        == took(65'536));
  auto supervisor = state_in(directory.path("x")).supervisor.pid;
  auto before = private_kb(supervisor);
  REQUIRE(before > 0);
  CHECK(write_all(watch, data) == InputTaken{10'000'000, true, {}});
#if !defined(STOKER_SANITIZED)
  // A piece that waits for its bytes, what the pipe did not take, and the room of both. A
  // sanitizer keeps more.
  CHECK(private_kb(supervisor) < before + 1024);
#endif
  REQUIRE(watch.await<Ended>("program"));
  CHECK(contents(directory.path("x/all")) == data);
}

TEST_CASE(
    "a program without input has none, and what is said to it is refused") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec = reader(directory.path("x"), "wc -c; sleep 1000");
  spec.input = false;
  start(watch, spec);
  auto taken = write(watch, 0, "x");
  REQUIRE(taken);
  CHECK(taken->closed);
  CHECK(taken->problem == "the program reads no input");
  CHECK(eventually([&] { return output_of(directory.path("x")) == "0\n"; }));
}

TEST_CASE("nobody reads the input of a program that is not there") {
  TemporaryDirectory directory;
  Watch watch;
  CHECK_FALSE(write(watch, 0, "x"));
  start(watch, reader(directory.path("x"), "exit 0"));
  REQUIRE(watch.await<Ended>("program"));
  CHECK_FALSE(write(watch, 0, "x"));
  auto spec = reader(directory.path("y"), "");
  spec.arguments = {"/no/such/program"};
  start(watch, spec);
  auto taken = write(watch, 0, "x");
  CHECK((!taken || taken->closed));
}
