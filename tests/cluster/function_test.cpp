// A program whose functions are the tasks of its jobs.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>

#include "tests/cluster/sandbox.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

struct FunctionSandbox : Sandbox {
  FunctionSandbox() {
    fs::create_directory(path("work"));
  }

  Process& start_job(const std::string& job) {
    return start({STOKER_FUNCTION_PROGRAM, job, path("work"), STOKER_PROGRAM});
  }

  /// Whether an executor has written that to its standard error.
  bool executor_says(const std::string& words) {
    std::error_code error;
    fs::recursive_directory_iterator files{path("work"), error};
    return std::any_of(begin(files), end(files), [&](const auto& x) {
      return x.path().filename() == "stderr"
             && contents_of(x.path()).find(words) != std::string::npos;
    });
  }
};

using Lines = std::set<std::string>;

Lines lines_in(const std::string& text) {
  auto lines = lines_of(text);
  return {lines.begin(), lines.end()};
}

} // namespace

TEST_CASE("functions of several executors read what others have written") {
  FunctionSandbox sandbox;
  auto result = sandbox.start_job("sum").result();
  INFO(result.err);
  CHECK(result.status == 0);
  // Sums of 0, 3, 6 ... 999, and of 1, 4 ... and 2, 5 ...
  CHECK(lines_in(result.out)
        == Lines{"result 0: 166833", "result 1: 166167", "result 2: 166500",
                 "done"});
}

TEST_CASE("a function that fails ends its job, and says why") {
  FunctionSandbox sandbox;
  auto result = sandbox.start_job("fail").result();
  auto lines = lines_of(result.out);
  INFO(result.out);
  REQUIRE(lines.size() == 5);
  CHECK(lines.front()
        == "attempt: function 'fail' failed: it does not want to");
  CHECK(lines.back().starts_with("task 0 of stage 'fail' failed 4 times"));
  CHECK(lines.back().ends_with("function 'fail' failed: it does not want to"));
}

TEST_CASE("a function that ends its process is tried again in another one") {
  FunctionSandbox sandbox;
  auto result = sandbox.start_job("crash").result();
  auto lines = lines_of(result.out);
  INFO(result.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("attempt: its executor "));
  CHECK(lines[1] == "result 0: alive");
  CHECK(lines[2] == "done");
}

TEST_CASE("what a function starts is no executor") {
  FunctionSandbox sandbox;
  auto result = sandbox.start_job("start").result();
  // It is used wrongly, and says so.
  CHECK(result.out == "result 0: 2\ndone\n");
}

TEST_CASE("SIGTERM ends what a function forks, and not its executor") {
  FunctionSandbox sandbox;
  auto result = sandbox.start_job("fork").result();
  CHECK(result.out
        == "result 0: signal " + std::to_string(SIGTERM) + "\ndone\n");
}

TEST_CASE("an executor whose driver is gone ends, also if a function hangs") {
  FunctionSandbox sandbox;
  auto& driver = sandbox.start_job("hang");
  REQUIRE(eventually([&] { return sandbox.executor_says("it hangs"); }));
  driver.send(SIGKILL);
  // By itself: its supervisor would end it later, and silently.
  CHECK(eventually([&] {
    return sandbox.executor_says("a function did not return when it was told");
  }));
  CHECK(eventually([&] { return sandbox.processes().empty(); }));
}
