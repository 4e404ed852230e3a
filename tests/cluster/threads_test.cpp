// What is shown of a process that does not end.

#include "tests/cluster/threads.hpp"

#include <signal.h>

#include <string>
#include <vector>

#include "tests/cluster/sandbox.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

TEST_CASE("a process that waits shows for what") {
  Sandbox sandbox;
  auto& sleeper = sandbox.start({"sleep", "1000"});
  std::vector<std::string> lines;
  // It is another program until it has begun.
  REQUIRE(eventually([&] {
    lines = lines_of(threads_of(sleeper.pid()));
    return lines.size() == 1
           && lines[0].find(" sleep: S, waits in ") != std::string::npos;
  }));
  CHECK(lines[0].starts_with("thread " + std::to_string(sleeper.pid())));
  sleeper.send(SIGKILL);
  sleeper.result();
  CHECK(threads_of(sleeper.pid()).empty());
}
